"""Abbreviations, marks and tags, and what a full stop after them means. Data only.

Forms are in lower case, without the last stop and without inner spaces (`z. B.` is `z.b`). One table serves all
languages that share a script: a form is listed by what follows it, and so a clash with an ordinary word of another
language does no harm where that word is not followed by the same thing. Dotted letters that are not listed
(`u.s.a`) are known by their shape.
"""

from __future__ import annotations


def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())


# Marks that end sentences, and those that may stand around them.
FREE = "。！？｡؟۔।॥။։፧።፨᠃᠉។៕༎།܀܁܂꓿𑁇𑁈"  # no space needs to follow
STOPS = ".!?…‼⁇⁈⁉‽．\u037e" + FREE
CLOSERS = "”’»›)]}」』）】》〉］｝＂＇`"
EITHER = "\"'“«‹*_"  # closes where no word follows
LATE = '"”’»)]}」』）'  # closes even after a space
NOTES = "[(⁰¹²³⁴⁵⁶⁷⁸⁹"  # may open the mark of a note
NOTE = r"(?:\[(?:\d{1,3}(?:[,;–-] ?\d{1,3}){0,9}|[a-z]|(?i:note|nb) \d{1,3}|[a-z]{1,15} needed)\]|[⁰¹²³⁴-⁹]{1,4}|[†‡])"
OPENERS = "\"'“”„‘’«»‹›([{¿¡*_`#,—–-"
BULLETS = "•⁃‣◦▪▫●○■□◆◇➢➤✓✔∙"
HANGING = ",;-–—，、&+/"  # a line that ends so goes on
ENDED = '.!?…:。！？：؟۔।։;"”»’)'
ROLES = ("user:", "assistant:", "system:", "human:", "bot:", "agent:", "ai:", "model:")
ASKS = frozenset(("q", "question", "frage", "pregunta", "domanda", "вопрос", "问", "問"))
ANSWERS = frozenset(("a", "answer", "antwort", "réponse", "respuesta", "risposta", "ответ", "答"))

# Elements that are whole, those that open a unit, those that stand in a sentence; environments that are whole.
WHOLE_TAGS = "table|pre|script|style|ul|ol|dl"
TAGS = "p|div|section|article|header|footer|nav|main|blockquote|form|head|body|html|title|meta|link|figure"
INLINE_TAGS = "a|abbr|b|cite|code|em|i|q|small|span|strong|sub|sup|u"
DISPLAYS = (
    "equation|align|alignat|gather|multline|eqnarray|displaymath|math|array|tabularx?|longtable|table|figure|verbatim|lstlisting"
    "|minted|algorithm|algorithmic|itemize|enumerate|description|quote|quotation|tikzpicture"
)

# Opening mark, how it is written in a pattern, what may not stand inside, the closing mark in a pattern.
PAIRS = (
    ('"', r'(?<![^\s(\[{—–:-])"(?=\S)', '"', r'(?<=\S)"(?!\w)'),
    ("„", "„", "„“”", "[“”]"),
    ("»", r"»(?=\w)", "«»", "«"),
    ("`", "`", "`\n\r", "`"),
    ("(", r"\(", "()", r"\)"),
    ("[", r"\[", "[]", r"\]"),
    *((pair[0], pair[0], pair, pair[1]) for pair in ("“”", "«»", "‹›", "「」", "『』", "《》", "〈〉", "（）", "【】")),
)

# Never the last word of a sentence: a capital letter goes on ("e.g.", titles, German adjectives before a noun).
INNER = _words(
    """
    mr mrs ms mss mx messrs mme mmes mlle mlles dr drs prof profs capt cpt lt sgt cpl pvt cmdr cdr revd supt insp msgr
    mgr mt mts pfc brig comdr asst assoc atty e.g eg i.e ie cf viz vs resp approx a.k.a aka incl excl esp introd transl
    c.f n.b q.v ibid op.cit loc.cit hrn frl dipl dipl.-ing univ.-prof priv.-doz phil jur theol h.c habil hl ing kath
    evang ev röm altgr engl franz frz dtsch ital russ österr schweiz schweizer europ amerik jap hebr kgl königl kaiserl
    staatl städt öffentl wiss techn jurist wirtschaftl gesetzl vgl z.b zb z.t d.h dh u.a ua o.ä s.o s.u i.d.r i.a i.s.d
    i.v.m i.h.v i.d.f m.e m.w u.u v.a v.l.n.r z.hd z.z z.zt zt bzw bspw bzgl einschl evtl exkl ggf geb inkl insb insbes
    jew mind mtl näml od sog sogen sozus urspr verh vorm zzgl abzgl zw zzt hrsg hg begr erg entspr p.ex par.ex c.-à-d
    c.à.d càd éd mons vve fg bd srta sres sras srtas dña lic licda ldo lda arq dra profa pbro pdte pdta excmo excma
    ilmo ilma rvdo rvda gral cnel tte sgto cmdte almte p.ej pej admón depto dpto sig sigg sig.ra sig.na sig.re sig.ri
    avv dott dott.ssa dottssa prof.ssa profssa geom comm spett egr gent.mo gent.ma preg.mo ill.mo chiar.mo psicol idraul
    meteor s.e st.d p.es pes dhr mevr ir jhr bijv bv d.w.z dwz i.p.v ipv o.a m.b.t mbt m.n m.i t.a.v t.o.v z.g.n z.n
    zgn aanw vnw inż hab bp abp św śp gen płk mjr kpt ppor sierż m.in tj tzn tzw płn płd np pkt bałt słow niem łac
    hiszp mudr judr phdr rndr mvdr paeddr thdr doc plk npor t.j t.zn tzv napr sv stud bl.a f.eks feks fx d.v.s dvs
    m.a.o m.h.t mht jvf pga iflg vedr exmo exma engª enga profª v.g κος δρ καθ αγ π.χ πχ δηλ βλ σ.σ ο.π πρβλ λ.χ г-н
    г-жа г-да гжа гр-н гр-ка д-р др-р проф доц акад инж полк лейт им ул пр-т просп пл бул р-н д-ра д-ру проф-ра т.е т.н
    т.к т.нар напр см ср лат греч куб кв тов ст.н.с н.с с.н.с чл.-кор м.т м.ғ.д պրոֆ դոկ ակադ մ.թ մ.թ.ա डॉ प्रो पं
    श्रीमती د
    abt verf übers bearb ausg ehem nördl südl östl westl mündl schriftl stellv allg preuß bayer sächs vorl frdl herzl
    u.zw m.a.w o.g hptm oblt ltg hbf avda hno hna pza plza pje mtro mtra fdo admr subsecr ntra ntro vda cía éts fbg
    m.-l amal pça lgo trav v.exa v.ex dir.ª prof.ª bł kard zob oprac tłum woj wiceprez st.sierż kmdr
    chor plut asp inż.arch pplk por rtm škpt prap nábř okr odb akad zejm kupř příp popř srov přel pharmdr rsdr
    thlic doç yrd öğr arş bkz örn orgn korg tümg tuğg yzb bnb ütğm tğm asb uzm müh mim krş çev bşk şb av.stj
    afd bijz evt zog vlg mej mevr.dr dr.ir обл пос пгт мкр наб ш оз пер изд вып прим авт соавт гос адм
    зав дир секр ст.преп ген-м подп серж ефр архиеп еп митр прот иером св прп ок прибл англ франц исп
    укр сокр акц ж.-д ж/д ดร ผศ รศ ศ นพ พญ น ร.ร ຮສ ດຣ ປອ ທ ນ ወዘተ ፕሮፌ dyw bryg teléf coord urb
    ts pgs ths gs tp nxb d-na d-ra d-l d-nul jud acad κα άγ dª d.ª
    """
)

# The same, where they are capitalised themselves: forms that are also words ("Gen. Lee", "On. Rossi", "Dir. Amm.").
TITLES = _words(
    """
    gen col maj adm rev hon pres gov sen rep det sr sra fr br ft rt hr mag med m mm mgr da fray alm cap sig sigra signa
    arch rag cav on ten don dir amm gent preg min sost comm ing mons amb mw mej ds bc p pp ks dn sto sta dom fra san gr
    mus lic pastor cand d ca adj gem sel prot griech chin lat зам нач ред сост ген кап майор св преп гр о κ
    pr gal pe pg alb org os kr ks.bp brig insp cel
    """
)

# The last word of a sentence wherever a capital letter follows.
ENDS = _words(
    """
    etc etc.. usw usf u.s.w u.v.m uvm u.v.a u.ä u.dgl o.dgl ecc eccetera itd itp i.t.d i.t.p atď a.i atd apod m.fl m.m
    osv o.s.v enz e.d e.a al et.al et.c т.д т.п тд тп др пр и.др и.пр и.т.д и.т.п т.б т.с.с т.нататък т.с κ.ά κ.λπ κλπ
    κ.ο.κ κ.τ.λ κτλ a.m p.m am pm v.v ș.a.m.d ş.a.m.d ș.a ş.a
    """
)

# May end a sentence: it does where the next word is one that opens sentences (`STARTERS`).
MAYBE = _words(
    """
    av med ul al pl os wł lek red art rus tur tel fam geogr hist jr sr esq phd ph.d m.d b.a m.a b.sc m.sc inc corp co
    cos bros ltd llc llp plc l.l.c gmbh kg e.v s.a s.l s.r.l srl s.p.a spa s.a.s s.r.o spol a.s d.o.o sp sp.z.o.o z.o.o
    b.v n.v a/s aps oy nyrt kft zrt cie dept univ inst assn est ave blvd rd hwy bldg st ste str ext fax dist mfg mfrs
    intl natl govt oz lb lbs ft yd mph km cm mm hr hrs min mins sec secs mos yr yrs qt gal u.s u.s.a u.k u.n e.u d.c
    n.y l.a eu tsd mio mrd mill jh jhd jahrh n.chr v.chr m.ü.m eds núm pág ud uds vd vds aa.vv d.e.p a.c s.f vto cta ee
    uu rr hh cc oo ff aa jj ss.mm ee.uu hs máx mín prom econ az c.m c.a p.za v.le c.so p.zza ling chim biol filos dipl
    spiegaz mln mld mlrd mr tys zł godz m.j n.l hod tis kr kl nr mia ggr г гг в вв н.э до.н.э р руб коп долл дол тыс
    млн млрд трлн у.е чел шт кг км см мм га ц л ч ч.л сек час лв ст хил м куб.м кв.м ж жж м.б ғ ғ.с т қ.м ө դ ր
    hnos cad sok mah apt şti nám fa vb yy экз обл mwst akc okr pça ltda cia eirl bco sn pw im gm ong ctra
    रु कि.मी ई.पू
    """
)

# Before a number the sentence goes on; before a capital letter the form is an ordinary word.
NUMBERS = _words(
    """
    no nos nr nrs n° nº n.° n.º n.ro num vol vols ch chap sec sect fig figs eq eqs tab p pp pg pgs par para art arts ex
    ver ed op v vv l ll ser bk pt pts app ref refs cl col cols lot rev ln al a ad b c ca circa est s seite bd bde abb
    abbn abs kap nrn ziff zif rn rdnr anm aufl jg h heft zl § az tel fax plz pos núm núms pág págs párr párrf párrs cap
    caps secc inc apdo ej ejs tomo t cra calle tfno ext fol pag pagg capp artt tav tavv sez lett cfr n nn rif prot reg
    all punto blz bl afb hfst hst deel dl lid str ss rozdz rys tabl ust pkt poz lp zał r č čl ods písm obr roč zv č.
    sml afs stk bilag fl fls séc cód rel cx σ σσ σελ αρ άρθ κεφ τόμ εικ πίν с стр рис табл гл разд ч п пп ст стт илл
    вып т тт кн кв д корп оф ном тел № абз прил бет кітап
    env aprox max min ong cca ok dn şek böl md sf wyd apto lote bloco km прибл около доб каб эт ауд род ум
    """
)

# Months and days: before a number or another one of them the sentence goes on, else it ends before a capital letter.
DATES = _words(
    """
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun jän febr märz okt dez
    mo di mi do fr sa so janv févr fév avr juil août déc lun mer jeu ven sam dim ene abr ago dic mié mie jue vie sáb
    sab dom genn gen magg mag giu lug ott set gio mrt mei ma wo vr za zo янв фев февр мар апр авг сен сент окт ноя нояб
    дек пн вт ср чт пт сб вс
    """
)

# Months written in full, after a day with a stop ("12. Juni", "7. Apríla").
MONTHS = _words(
    """
    januar jänner februar feber märz april mai juni juli august september oktober november dezember januari februari
    maart mei augustus december marts maj stycznia lutego marca kwietnia maja czerwca lipca sierpnia września
    października listopada grudnia január januára február februára marec apríl apríla máj mája jún júna júl júla
    augusta septembra október októbra novembra decembra ledna února března dubna května června července srpna září
    října listopadu prosince january february march may june july october
    """
)

# Before a number with a stop these make it an ordinal ("am 12. Tag"), also before a capital letter.
ORDINAL_AFTER = _words(
    """
    der die das den dem des am im ins zum zur vom beim ein eine einen einem einer eines seit bis ab jeder jede jedes
    jeden jedem seinem seinen seiner seine ihrem ihren ihrer ihre und unserem unserer mein dein sein det på i til fra v
    na od do po pred za vo zo tretí
    w we ze ke ve při u
    """
)

# Words that open a sentence far more often than they go on a name. In lower case; looked up for a capitalised word.
STARTERS = _words(
    """
    a an the this that these those there here it its it's he she they we you i i'm my your his her their our what who
    whom whose which when where why how if while although though because since after before until as at by for from in
    into on with without within during despite under over and but or nor so yet then thus hence however therefore
    moreover furthermore meanwhile finally also even still just only once not no yes some many most all both each every
    few several another one two three is are was were am do does did has have had can could will would shall should may
    might must let please don't didn't can't won't isn't wasn't he's she's they're we're you're i've i'd i'll that's
    there's what's let's according today yesterday tomorrow now later soon again perhaps maybe nobody everyone
    everything nothing somebody someone something unlike like such der die das den dem des ein eine einen einem einer
    er sie es wir ihr ich du man dies diese dieser dieses diesen diesem jene jener hier dort da dann danach dabei damit
    daher deshalb trotzdem aber und oder doch denn wenn als ob weil obwohl nachdem bevor während seit bei mit nach von
    zu zum zur im beim vom auf aus für durch gegen ohne um über unter vor zwischen wer wie wo warum wann welche welcher
    welches nicht nur auch noch schon sehr alle alles viele einige mehrere kein keine keiner mein meine sein seine
    unser unsere ist sind war waren hat haben hatte kann können muss heute gestern morgen jetzt später zudem außerdem
    jedoch allerdings dennoch le la les un une de il elle ils elles nous vous je tu ce cet cette ces c'est ceci cela ça
    mais ou et donc ni car si quand lorsque comme puis ensuite enfin alors aussi ainsi cependant pourtant toutefois où
    qui que quoi quel quelle quels quelles comment pourquoi dans sur sous avec sans pour par chez après avant pendant
    depuis selon mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs tout toute tous toutes en au aux y pas
    el los las una unos unas al lo él ella ellos ellas yo tú usted ustedes nosotros esto eso este esta estos estas ese
    esa esos esas aquel aquella hay fue fueron eran está están pero o qué quién cuándo cómo dónde cuál cuánto por
    para con sin sobre entre desde hasta según durante tras ante cuando donde mientras aunque porque como sí también
    además luego después antes entonces ahora hoy ayer mañana su sus mi mis tus nuestro se me te buenos buenas gracias
    gli uno io lui lei noi voi loro questo questa questi queste quello quella quelli c'è ci sono ho ha hanno abbiamo
    erano è e ed oppure però quindi allora poi dopo prima mentre quando dove come perché chi che cosa quale quanto non
    sì anche ancora già solo nel nella nello nei negli nelle dal dalla del della dei delle alla ai per tra fra di ti vi
    suo sua suoi sue mio mia grazie oggi ieri domani arrivederci het een hij zij ze wij jullie ik jij dit dat deze daar
    maar of want dus omdat toen nadat voordat hoewel terwijl wat waar wanneer waarom hoe niet ook nog met van voor door
    bij op aan uit naar zijn haar os uma uns umas ele ela eles elas eu nós você vocês isto isso aquilo esse essa mas
    porém então depois onde quem qual não sim também ainda já só na nas dos ao à pelo pela to ten ona oni wy ja ty jest
    są był była było byli ale lub albo więc gdy kiedy jeśli choć ponieważ co kto gdzie jak dlaczego nie tak też także
    już tylko po przed w z od dla przez pod nad przy sú bol bola bolo boli ako keď ak lebo alebo však kde čo prečo áno
    tiež už len pre pri podľa tento táto toto v zo s k ku det han hun jeg og eller så når hvis fordi hvad hvem hvor
    hvornår hvorfor hvordan ikke også på med til om efter før он она оно они мы вы я ты это этот эта эти тот та те то
    что кто где когда как почему зачем но а и или если хотя пока потому поэтому также тоже уже ещё еще только не нет да
    в на с со к по из за от до у о об при для без под над после перед между через его её ее их наш ваш мой твой все всё
    каждый был была было были есть там тут здесь сегодня вчера завтра теперь потом затем однако бул ол біз сіз мен сен
    олар бұл осы сол және бірақ ал егер қазір кейін той тя ние вие аз ти това този тази тези че ако когато къде защо
    във със към след преди ο η το οι τα τον την του της των ένας μια ένα αυτός αυτή αυτό αυτοί και αλλά ή αν όταν όπου
    πώς γιατί τι ποιος δεν μη ναι σε στο στη στον στην με από για κατά μετά πριν
    bir bu şu biz siz onlar ama fakat ancak çünkü eğer daha sonra önce ardından böylece ayrıca bunun buna
    bunlar şimdi bugün dün yarın hiç çok nasıl neden niçin hangi yani oysa hatta bazı tüm onun onu yerine herkes
    kimse tato ono byl byla bylo jsou není když protože nebo proto také ve za jen jeho její jejich kdy proč kdo tam
    tady dnes včera zítra všichni každý potom má são estão há tem havia ninguém todos alguns têm tudo daarna daarom
    toch iedereen niemand personne nadie mają jego jej nikt wszyscy każdy tutaj tam dzisiaj wczoraj derzeit zunächst
    zuerst zuletzt ferner folglich dadurch dafür dagegen dazu darin darauf darunter sodann somit nun sobald insgesamt
    trotz laut wegen innerhalb beide zahlreiche manche ihren ihrem ihres seinen seinem seiner etwa rund ebenso
    anschließend ursprünglich
    """
)

# Nouns that a number with a stop makes one of a row ("19. Jahrhundert", "1. Weltkrieg", "2. Dünya Savaşı").
ORDERED = _words(
    """
    jahrhundert jahrhunderts jh jhd jahrtausend jahrzehnt jahrestag geburtstag todestag weltkrieg weltkriegs
    stock stockwerk etage obergeschoss og klasse liga bundesliga auflage bezirk kapitel akt satz platz rang spieltag
    runde sitzung armee division kompanie semester tag woche monat quartal halbzeit grades lebensjahr strafsenat senat
    zivilsenat wahlperiode legislaturperiode advent reihe teil dünya ordu bölge sınıf yüzyıl lig kat cadde sokak lecia
    wieku piętro piętrze dywizji światowej wojny liceum ročník ligy století patře
    """
)

# Money, which "5 tis" or "3 Mio" counts.
MONEY = frozenset(("Kč", "Kčs", "Euro", "Dollar", "Franken", "Mark", "Lei", "Ft"))

# Letters of languages in which a number with a stop is one of a row far more often than the end of a sentence.
ROW_LETTERS = "äöüßğşıąęłńśźżěščřžůďťňľőűøæðÄÖÜĞŞİĄĘŁŃŚŹŻĚŠČŘŽŮĎŤŇĽŐŰØÆ"

# Syllables after which a Tibetan sentence goes on behind its shad: "and", "having", "because", "although", cases.
LINKS = _words(
    """
    དང ནས ཏེ སྟེ དེ ཞིང ཤིང ཅིང ཡང ཀྱང འང ན པས བས ལས ལ ར རུ ཏུ དུ སུ པར བར གིས ཀྱིས གྱིས ཡིས གི ཀྱི གྱི ཡི ཞེས ཅེས ཚེ སྐབས དུས
    """
)

# Names of English letters in Urdu: "ایم۔ اے۔" is one abbreviation.
URDU_LETTERS = _words(
    """
    اے بی سی ڈی ای ایف جی ایچ آئی جے کے ایل ایم این او پی کیو آر ایس ٹی یو وی ڈبلیو ایکس وائی زیڈ زی
    """
)

# Names that carry a mark of exclamation.
SHOUTED = _words(
    """
    yahoo jeopardy yum oklahoma whaam elliott
    """
)

# What may follow "5 p.m." in the same sentence although it is capitalised.
AFTER_TIME = _words(
    """
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday Eastern Pacific Central Mountain Greenwich Moscow
    """
)

SHORT_TITLES = frozenset(("mr", "mrs", "ms", "dr"))
SHORTENED = INNER | ENDS | MAYBE | NUMBERS
