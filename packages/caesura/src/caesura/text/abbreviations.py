"""Data only: written forms -> what a full stop after them means. Read by `caesura.text.sentences`.

Forms are in lower case, without the last stop and without inner spaces (`z. B.` is `z.b`). One table serves all
languages that share a script: a form is listed by what follows it, and so a clash with an ordinary word of another
language does no harm where that word is not followed by the same thing. Dotted letters that are not listed
(`u.s.a`) are known by their shape.
"""

from __future__ import annotations

# Never the last word of a sentence: a capital letter goes on (titles, "e.g.", German adjectives before a noun).
INNER = frozenset(
    """
    mr mrs ms mss mx messrs mme mmes mlle mlles dr drs prof profs gen col maj capt cpt lt sgt cpl pvt cmdr cdr adm rev
    revd hon pres gov sen supt insp det sir fr br msgr mgr mt mts ft rt pfc brig comdr asst assoc atty
    e.g eg i.e ie cf viz vs resp approx a.k.a aka incl excl esp repr introd transl c.f n.b nb q.v ibid op.cit loc.cit
    hr hrn fr frl frau dipl dipl.-ing mag univ.-prof priv.-doz med phil rer nat jur theol h.c habil hl sel ing kath
    evang ev prot röm gr altgr lat engl franz frz dt dtsch ital span poln russ türk österr schweiz schweizer europ amerik
    chin jap arab hebr kgl königl kaiserl staatl städt öffentl wiss techn med jurist wirtschaftl gesetzl vgl z.b zb z.t
    d.h dh u.a ua o.ä s.o s.u i.d.r i.a i.s.d i.v.m i.h.v i.d.f m.e m.w u.u v.a v.l.n.r z.hd z.z z.zt zt bzw bspw
    bzgl ca einschl evtl exkl ggf gem geb gest inkl insb insbes jew max min mind mtl näml od oder sog sogen sozus
    urspr usf verh vorm wg zzgl abzgl zw zzt sr.d verf hrsg hg begr erg entspr
    m mm mgr ste p.ex par.ex c.-à-d c.à.d càd env éd mons vve fg bd av
    sra srta sres sras srtas d dña dn da fray lic licda ldo lda ing arq dra drs profa pbro pdte pdta excmo excma ilmo
    ilma rvdo rvda sto sta gral cnel tte sgto cap cmdte alm almte ee p.ej pej admón depto dpto
    sig sigg sig.ra sig.na sig.re sig.ri sigra signa avv ing arch dott dott.ssa dottssa prof.ssa profssa geom rag cav comm
    on sen gen col cap magg ten mons don fra s.e s.s spett egr gent gent.mo gent.ma preg preg.mo ill.mo chiar.mo psicol
    psic dir amm pres amb min sost idraul meteor st.d p.es pes
    dhr mevr mw mej ir drs mr ds bc jhr bijv bv d.w.z dwz i.p.v ipv i.v.m o.a m.b.t mbt m.n m.i t.a.v t.o.v z.g.n z.n
    zgn aanw vnw st nl
    p pp pan pani inż mgr dr hab lek ks bp abp św śp gen płk mjr kpt por ppor sierż prof doc red np m.in tj tzn tzw
    ul al pl os im płn płd bałt słow niem ang fr łac wł hiszp ros
    ing mudr judr phdr rndr mvdr paeddr thdr mgr bc mga doc prof plk gen por kpt npor mjr sv t.j tj t.zn tzn tzv
    napr resp cca č sz str tzv odd
    hr fr dir cand stud lic mag pastor ca bl.a f.eks feks fx d.v.s dvs m.a.o m.h.t mht jf jvf evt pga iflg vedr
    sr sra srta srs dr dra drs exmo exma eng engª enga prof profª profa arq sto sta d dom dona p.ex v.g
    κ κα κος δρ καθ αγ π.χ πχ δηλ βλ σ.σ ο.π πρβλ λ.χ
    г-н г-жа г-да гн гжа гр гр-н гр-ка д-р др-р проф доц акад инж кап ген полк майор лейт св преп им ул пр-т просп пер
    пл бул ж.к обл р-н д-ра д-ру проф-ра ст ред сост изд авт т.е т.н т.к т.нар напр см ср лат греч нем фр англ
    итал исп рус тур бел укр вет куб кв тов мин п.д ст.н.с н.с с.н.с инг чл.-кор б.т м.м т.ғ.д
    տ պ պրոֆ դոկ ակադ մ.թ մ.թ.ա
    डॉ श्री प्रो पं श्रीमती कु रु
    د أ
    """.split()
)

# The last word of a sentence wherever a capital letter follows.
ENDS = frozenset(
    """
    etc etc.. usw usf u.s.w u.v.m uvm u.v.a u.ä u.dgl o.dgl ecc eccetera itd itp i.t.d i.t.p atď a.i atd apod m.fl m.m
    osv o.s.v enz e.d e.a al et.al et.c
    т.д т.п тд тп др пр и.др и.пр и.т.д и.т.п т.б т.с.с т.нататък т.с б
    κ.ά κ.λπ κλπ κ.ο.κ κ.τ.λ κτλ
    a.m p.m am pm
    """.split()
)

# May end a sentence: it does where the next word is one that opens sentences (`STARTERS`).
MAYBE = frozenset(
    """
    jr sr esq phd ph.d m.d b.a m.a b.sc m.sc inc corp co cos bros ltd llc llp plc l.l.c gmbh ag kg e.v s.a s.l s.r.l
    srl s.p.a spa s.a.s s.r.o spol a.s a.d d.o.o sp sp.z.o.o z.o.o b.v n.v a/s aps oy ab nyrt kft zrt cie dept univ inst
    assn est ave blvd rd hwy pl sq bldg apt ste st str tel ext fax dist mfg mfrs intl natl govt
    oz lb lbs ft in yd mi mph kg km cm mm hr hrs min mins sec secs mo mos yr yrs qt gal
    u.s u.s.a u.k u.n e.u d.c n.y l.a eu
    std stk tsd mio mrd mill jh jhd jahrh n.chr v.chr m.ü.m str pl
    av apr ed eds trad cap núm pág ud uds vd vds aa.vv d.e.p a.c d.c s.l s.f vto cta cte ee.uu rr.hh cc.oo ff.aa
    hs seg temp máx mín prom
    a.c d.c econ az c.m u.s c.a p.za v.le c.so p.zza tel cell int lett ling mat fis chim biol filos dipl spiegaz
    mln mld mlrd mr tys zł gr godz r w wieku wg zob por
    m.j n.l n.l r hod min tis mil
    kr kl nr mia mio ggr
    г гг в вв н.э до.н.э р руб коп долл дол тыс млн млрд трлн у.е чел шт кг км см мм га ц л ч ч.л сек час лв ст хил
    м куб.м кв.м ж жж м.б ғ ғ.с т қ.м ө
    դ ր
    """.split()
)

# Before a number the sentence goes on; before a capital letter the form is an ordinary word.
NUMBERS = frozenset(
    """
    no nos nr nrs n° nº n.° n.º n.ro num vol vols ch chap sec sect fig figs eq eqs tab p pp pg pgs par para art arts ex
    ver ed op par v vv l ll ser bk pt pts app ref refs cl col cols lot rev ln al a ad b c ca circa est ca
    s seite bd bde abb abbn abs kap nrn ziff zif rn rdnr anm aufl jg h heft zl § art § az tel fax plz pos
    núm núms pág págs párr párrf párrs cap caps secc inc apdo ej ejs tomo t cra cl calle tfno tel ext fol
    pag pagg cap capp artt tav tavv sez lett cfr n nn rif prot reg all punto
    blz bl afb hfst hst deel dl lid nrs
    str ss rozdz rys tabl art ust pkt poz lp nr zał r
    č čl ods písm obr kap roč zv s č. tab
    s ss sml kap fig afs stk nr bd bilag
    pág fl fls art arts inc séc cód rel cx
    σ σσ σελ αρ άρθ κεφ τόμ εικ πίν
    с стр рис табл гл разд ч п пп ст стт илл вып т тт кн кв д корп оф ном тел № абз прил бет кітап
    """.split()
)

# Months and days: before a number or another one of them the sentence goes on, else it ends before a capital letter.
DATES = frozenset(
    """
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun
    jän febr märz okt dez mo di mi do fr sa so
    janv févr fév avr juil août sept déc lun mer jeu ven sam dim
    ene abr ago dic mié mie jue vie sáb sab dom
    genn gen magg mag giu lug ott set mar gio
    mrt mei ma di wo vr za zo
    янв фев февр мар апр авг сен сент окт ноя нояб дек пн вт ср чт пт сб вс
    """.split()
)

# Months written in full, after a day with a stop ("12. Juni", "7. Apríla").
MONTHS = frozenset(
    """
    januar jänner februar feber märz april mai juni juli august september oktober november dezember
    januari februari maart mei augustus december marts maj
    stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia
    január január januára február februára marec marca apríl apríla máj mája jún júna júl júla augusta septembra október
    októbra novembra decembra ledna února března dubna května června července srpna září října listopadu prosince
    january february march may june july october
    """.split()
)

# Before a number with a stop these make it an ordinal ("am 12. Tag"), also before a capital letter.
ORDINAL_AFTER = frozenset(
    """
    der die das den dem des am im ins zum zur vom beim ein eine einen einem einer eines seit bis ab jeder jede jedes
    jeden jedem seinem seinen seiner seine ihrem ihren ihrer ihre und unserem unserer mein dein sein
    den det på i til fra v na od do po pred za vo zo tretí do
    """.split()
)

# Words that open a sentence far more often than they go on a name. In lower case; looked up for a capitalised word.
STARTERS = frozenset(
    """
    a an the this that these those there here it its it's he she they we you i i'm my your his her their our what who
    whom whose which when where why how if while although though because since after before until as at by for from in
    into on with without within during despite under over and but or nor so yet then thus hence however therefore
    moreover furthermore meanwhile finally also even still just only once not no yes some many most all both each every
    few several another one two three is are was were am do does did has have had can could will would shall should may
    might must let please don't didn't can't won't isn't wasn't he's she's they're we're you're i've i'd i'll that's
    there's what's let's according today yesterday tomorrow now later soon again perhaps maybe nobody everyone everything
    nothing somebody someone something unlike like such
    der die das den dem des ein eine einen einem einer er sie es wir ihr ich du man dies diese dieser dieses diesen
    diesem jene jener hier dort da dann danach dabei damit daher deshalb trotzdem aber und oder doch denn wenn als ob
    weil obwohl nachdem bevor während seit bei mit nach von zu zum zur im am beim vom auf aus für durch gegen ohne um
    über unter vor zwischen was wer wie wo warum wann welche welcher welches nicht nur auch noch schon sehr so alle alles
    viele einige mehrere kein keine keiner mein meine sein seine unser unsere ist sind war waren hat haben hatte kann
    können muss heute gestern morgen jetzt später zudem außerdem jedoch allerdings dennoch
    le la les un une des du de il elle ils elles on nous vous je tu ce cet cette ces c'est ceci cela ça mais ou et donc
    or ni car si quand lorsque comme puis ensuite enfin alors aussi ainsi cependant pourtant toutefois où qui que quoi
    quel quelle quels quelles comment pourquoi dans sur sous avec sans pour par chez après avant pendant depuis selon
    mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs tout toute tous toutes en au aux il y a pas
    el los las una unos unas al lo él ella ellos ellas yo tú usted ustedes nosotros esto eso este esta estos estas ese
    esa esos esas aquel aquella hay es son fue fueron era eran está están pero y o ni que qué quién cuándo cómo dónde
    cuál cuánto por para con sin sobre entre desde hasta según durante tras ante cuando donde mientras aunque porque
    como si no sí también además luego después antes entonces ahora hoy ayer mañana su sus mi mis tu tus nuestro se le
    les me te nos buenos buenas envíe gracias
    lo gli uno io lui lei noi voi loro questo questa questi queste quello quella quelli c'è ci sono ho ha hanno abbiamo
    era erano è e ed ma o oppure però quindi allora poi dopo prima mentre quando dove come perché chi che cosa quale
    quanto non sì anche ancora già solo nel nella nello nei negli nelle dal dalla del della dei delle al alla alle ai
    con su per tra fra di da in si mi ti vi suo sua suoi sue mio mia grazie oggi ieri domani arrivederci
    het een hij zij ze wij we jullie ik jij dit dat deze die daar er maar en of want dus omdat als toen nadat voordat
    hoewel terwijl wat wie waar wanneer waarom hoe niet ook nog al met van voor door bij op aan uit naar zijn haar
    o a os as um uma uns umas ele ela eles elas eu nós você vocês isto isso aquilo esse essa mas ou porém então
    depois quando onde como porque quem qual não sim também ainda já só no na nos nas do da dos das ao à pelo pela
    to ten ta te ci on ona oni one my wy ja ty jest są był była było byli ale i lub albo więc gdy kiedy jeśli choć
    ponieważ co kto gdzie jak dlaczego nie tak też także już tylko po przed na w z ze do od dla przez pod nad przy
    je sú bol bola bolo boli sa si ako keď ak lebo alebo však kde kto čo prečo áno tiež už len pre pri podľa tento táto
    toto v o zo s so k ku
    det den de der en et han hun vi jeg du men og eller så da når hvis fordi hvad hvem hvor hvornår hvorfor hvordan ikke
    også på med til fra for om efter før under over
    он она оно они мы вы я ты это этот эта эти тот та те то что кто где когда как почему зачем но а и или если хотя
    пока потому поэтому также тоже уже ещё еще только не нет да в на с со к по из за от до у о об при для без под над
    после перед между через его её ее их наш ваш мой твой все всё каждый был была было были есть там тут здесь
    сегодня вчера завтра теперь потом затем однако
    бул ол біз сіз мен сен олар бұл осы сол және бірақ ал егер қазір кейін
    той тя то те ние вие аз ти това този тази тези той че но или ако когато къде как защо не да в във на с със от по
    за към при след преди
    ο η το οι τα τον την του της των ένας μια ένα αυτός αυτή αυτό αυτοί και αλλά ή αν όταν όπου πώς γιατί τι ποιος
    δεν μη ναι σε στο στη στον στην με από για κατά μετά πριν
    """.split()
)

# Names that carry a mark of exclamation.
SHOUTED = frozenset("yahoo jeopardy yum oklahoma whaam elliott".split())
