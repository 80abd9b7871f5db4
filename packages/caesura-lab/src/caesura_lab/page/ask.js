"use strict";
// Questions out, passages in. Texts reach the page as text nodes only, never as markup. Places count characters.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const AT_ONCE = 4, SHOWN = 500, CUT = 700;
const number = (value) => value.toLocaleString("en");
const narrow = matchMedia("(max-width: 860px)");
const state = { passages: [], chosen: -1, document: -1, paged: true, turn: 0, opened: 0 };
let doc = null;

function element(name, classes, ...inside) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  made.append(...inside);
  return made;
}

async function get(path, values) {
  let answer;
  try {
    answer = await fetch(`${path}?${new URLSearchParams(values)}`);
  } catch {
    throw new Error("Nothing answers: does caesura serve still run?");
  }
  const said = await answer.json();
  if (!answer.ok) throw new Error(said.error);
  return said;
}

// A name with its folders, safe whatever directions of writing it has.
function named(path) {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1;
  const made = element("bdi", "");
  made.append(element("span", "place", path.slice(0, at)), path.slice(at));
  return made;
}

// A slice of a text -> nodes, with the words in it. from: the place of the text in the document; characters: its own.
function withWords(characters, from, start, end, words) {
  const nodes = [];
  let at = start;
  const slice = (one, other) => characters.slice(one - from, other - from).join("");
  for (const [first, last] of words) {
    if (last <= at || first >= end) continue;
    if (first > at) nodes.push(slice(at, first));
    nodes.push(element("b", "w", slice(Math.max(first, at), Math.min(last, end))));
    at = Math.min(last, end);
  }
  if (at < end) nodes.push(slice(at, end));
  return nodes;
}

// ---- the list

function say(text, failed) {
  $("sum").textContent = text;
  $("sum").classList.toggle("failed", Boolean(failed));
}

function showFiles() {
  state.passages = [];
  state.chosen = -1;
  $("every").hidden = true;
  const files = data.documents, many = files.length === 1 ? "1 file" : `${number(files.length)} files`;
  say(`${many}, ${number(files.reduce((sum, one) => sum + one.characters, 0))} characters`);
  const items = files.slice(0, SHOWN).map((file, place) => {
    const about = element("span", "place", ...(file.title ? [element("bdi", "", file.title), " · "] : []), `${number(file.characters)} characters`);
    const card = element("button", "card", element("span", "head", element("span", "file", named(file.path))), about);
    card.type = "button";
    card.addEventListener("click", () => openFile(place));
    return element("li", "", card);
  });
  if (files.length > SHOWN) items.push(element("li", "place", `and ${number(files.length - SHOWN)} more`));
  $("found").replaceChildren(...items);
  $("list").scrollTop = 0;
  step(0);
}

// The parts of the score of the best chunk, and the words of the question that were found in all of them.
function why(passage) {
  const best = passage.chunks[0], grid = element("span", "why"), has = element("span", "has");
  for (const [part, name] of [["vectors", "vectors"], ["words", "words"], ["document", "document"]]) {
    const bar = element("span", part), rail = element("span", "rail", bar);
    bar.style.setProperty("width", `${Math.round(best[part] * 100)}%`);
    grid.append(element("span", "", name), rail, element("span", "", best[part].toFixed(2)));
  }
  const lines = [["text", ""], ["headings", " in the headings"], ["title", " in the title"]].map(([field, said]) => {
    const words = [...new Set(passage.chunks.flatMap((chunk) => chunk.found[field] || []))];
    return words.length ? words.join(", ") + said : "";
  }).filter(Boolean);
  const count = passage.chunks.length;
  has.append(element("b", "w", element("bdi", "", lines.join("; ") || "no word of the question")), count > 1 ? ` (${count} chunks)` : "");
  return [grid, has];
}

function showPassages(answer) {
  state.passages = answer.passages;
  state.chosen = -1;
  $("every").hidden = false;
  const shown = answer.passages.length, all = answer.found;
  say(`${shown < all ? `the best ${shown} of ${all} passages` : shown === 1 ? "1 passage" : `${shown} passages`}, ${answer.seconds.toFixed(2)} s`);
  if (!shown) say("Nothing was found: allow more characters, or ask in other words.");
  $("found").replaceChildren(...answer.passages.map((passage, place) => {
    const characters = Array.from(passage.text), own = passage.chunks[0];
    const start = Math.min(Math.max(own.start, passage.start), passage.end), from = passage.end - start < 60 ? passage.start : start;
    const cut = element("span", "cut", from > passage.start ? "… " : "", ...withWords(characters, passage.start, from, Math.min(from + CUT, passage.end), passage.words));
    const head = element("span", "head", element("span", "rank", place + 1), element("span", "file", named(data.documents[passage.document].path)), element("span", "score", `score ${passage.score.toFixed(2)}`));
    const at = element("span", "place", passage.place);
    if (passage.headings.length) at.append(" · ", element("bdi", "", passage.headings.join(" › ")));
    const card = element("button", "card", head, at, cut, ...why(passage));
    card.type = "button";
    card.addEventListener("click", () => choose(place, true));
    return element("li", "", card);
  }));
  $("list").scrollTop = 0;
  if (shown && !narrow.matches) choose(0, false);
  else if (shown) step(0);
  else close();
}

async function ask(event) {
  if (event) event.preventDefault();
  const values = { question: $("question").value, budget: $("budget").value, most: $("most").value };
  if (!values.question.trim()) return;
  const turn = ++state.turn;
  say("Searching …");
  history.replaceState(null, "", `?${new URLSearchParams(values)}`);
  try {
    const answer = await get("search", values);
    if (turn !== state.turn) return;
    document.body.classList.remove("reading");
    showPassages(answer);
    const card = $("found").querySelector(".card");
    if (event && card) card.focus({ preventScroll: true });
  } catch (error) {
    if (turn === state.turn) say(error.message, true);
  }
}

// ---- the document

const parts = new Map(); // element -> what loads it
const wanted = new Set();
let loading = 0;
const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) entry.isIntersecting ? wanted.add(entry.target) : wanted.delete(entry.target);
  pump();
}, { root: $("scroll"), rootMargin: "1200px 0px" });

// Loads what is near to what is seen, the latest first, and nothing that was only scrolled past.
function pump() {
  while (loading < AT_ONCE && wanted.size) {
    const part = [...wanted].pop();
    wanted.delete(part);
    load(part).finally(pump);
  }
}

function load(part) {
  const made = parts.get(part);
  if (!made) return Promise.resolve();
  if (!made.loaded) {
    watcher.unobserve(part);
    loading++;
    made.loaded = made.load().catch((error) => made.failed(error)).finally(() => loading--);
  }
  return made.loaded;
}

const here = () => state.passages.map((passage, place) => ({ ...passage, place })).filter((passage) => passage.document === state.document);

function drawText(part, text, from) {
  const characters = Array.from(text), end = from + characters.length;
  const own = here().filter((passage) => passage.start < end && passage.end > from).sort((a, b) => a.start - b.start);
  const inside = [];
  let at = from;
  for (const passage of own) {
    const start = Math.max(passage.start, at), stop = Math.min(passage.end, end);
    if (start > at) inside.push(characters.slice(at - from, start - from).join(""));
    if (stop <= start) continue;
    const mark = element("mark", "", ...withWords(characters, from, start, stop, passage.words));
    mark.dataset.place = passage.place;
    mark.classList.toggle("on", passage.place === state.chosen);
    inside.push(mark);
    at = stop;
  }
  if (at < end) inside.push(characters.slice(at - from).join(""));
  part.replaceChildren(...inside);
  part.classList.toggle("split", !text.endsWith("\n") && end < doc.edges[doc.edges.length - 1]);
  part.style.containIntrinsicBlockSize = "auto 400px";
  part.style.minHeight = "";
}

function drawMarks(frame, page, sheet) {
  const marks = document.createElementNS(SVG, "svg");
  marks.setAttribute("viewBox", `0 0 ${sheet.width} ${sheet.height}`);
  marks.setAttribute("aria-hidden", "true");
  for (const passage of here()) {
    for (const [at, left, top, right, bottom] of passage.boxes) {
      if (at !== page) continue;
      const box = document.createElementNS(SVG, "rect");
      for (const [name, value] of Object.entries({ x: left - 3, y: top - 2, width: right - left + 6, height: bottom - top + 4, rx: 2 })) box.setAttribute(name, value);
      box.dataset.place = passage.place;
      box.classList.toggle("on", passage.place === state.chosen);
      marks.append(box);
    }
  }
  for (const one of marks.querySelectorAll(".on")) marks.append(one); // above the others
  frame.querySelector("svg")?.remove();
  frame.append(marks);
}

// The whole document as boxes that are as high as what will be in them, about.
function lay() {
  watcher.disconnect();
  parts.clear();
  wanted.clear();
  const file = state.document, paged = state.paged && doc.pages > 0, made = [];
  document.body.classList.toggle("paged", paged);
  $("mode").hidden = !doc.pages;
  $("mode").textContent = paged ? "Text" : "Pages";
  for (let place = 0; place < (paged ? doc.pages : doc.edges.length - 1); place++) {
    if (paged) {
      const page = place + 1, frame = element("div", "frame"), part = element("figure", "", element("figcaption", "", `Page ${number(page)}`), frame);
      parts.set(part, {
        load: async () => {
          const sheet = await get("sheet", { number: file, page }), image = element("img");
          image.src = sheet.image;
          image.alt = `Page ${page}`;
          frame.style.setProperty("aspect-ratio", `${sheet.width}/${sheet.height}`);
          frame.append(image);
          parts.get(part).sheet = sheet;
          drawMarks(frame, page, sheet);
        },
        failed: (error) => frame.append(element("p", "", error.message)),
        again: () => parts.get(part).sheet && drawMarks(frame, page, parts.get(part).sheet),
      });
      made.push(part);
    } else {
      const part = element("div", "part"), from = doc.edges[place];
      part.style.minHeight = `${Math.round((doc.lines[place] + (doc.edges[place + 1] - from) / 110) * 24)}px`;
      parts.set(part, {
        load: async () => {
          const { text } = await get("section", { number: file, section: place });
          parts.get(part).text = text;
          drawText(part, text, from);
        },
        failed: (error) => part.append(error.message),
        again: () => parts.get(part).text !== undefined && drawText(part, parts.get(part).text, from),
      });
      made.push(part);
    }
  }
  $("text").replaceChildren(...made);
  $("scroll").scrollTop = 0;
  for (const part of made) watcher.observe(part);
  return made;
}

function sayName(place) {
  const file = data.documents[place], title = file.title ? element("span", "", " — ", element("bdi", "", file.title)) : "";
  $("name").replaceChildren(element("b", "", named(file.path)), title);
}

// Shows a document; its answer is null where another was opened meanwhile.
async function open(place) {
  const turn = ++state.opened;
  $("empty").hidden = true;
  if (state.document === place && doc) return [...$("text").children];
  sayName(place);
  const answer = await get("document", { number: place });
  if (turn !== state.opened) return null;
  state.document = place;
  doc = answer;
  return lay();
}

function close() {
  state.opened++;
  state.document = -1;
  doc = null;
  watcher.disconnect();
  parts.clear();
  wanted.clear();
  $("text").replaceChildren();
  $("name").replaceChildren();
  $("mode").hidden = true;
  $("empty").hidden = false;
  step(0);
}

async function openFile(place) {
  document.body.classList.add("reading");
  try {
    if (await open(place)) $("scroll").scrollTop = 0;
  } catch (error) {
    say(error.message, true);
  }
  $("scroll").focus({ preventScroll: true });
}

function step(by) {
  const count = state.passages.length;
  $("before").hidden = $("after").hidden = !count;
  $("before").disabled = state.chosen <= 0;
  $("after").disabled = state.chosen >= count - 1;
  if (by) choose(Math.min(Math.max(state.chosen + by, 0), count - 1), document.body.classList.contains("reading"));
}

// A passage is shown in its document. reads: on a narrow screen too, in the place of the list.
async function choose(place, reads) {
  const passage = state.passages[place];
  if (!passage) return;
  state.chosen = place;
  const cards = $("found").querySelectorAll(".card");
  cards.forEach((card, at) => card.setAttribute("aria-current", String(at === place)));
  cards[place].scrollIntoView({ block: "nearest" });
  step(0);
  if (reads) document.body.classList.add("reading");
  else if (narrow.matches) return;
  try {
    const made = await open(passage.document);
    if (made && state.chosen === place) await reveal(passage, made);
  } catch (error) {
    say(error.message, true);
  }
}

async function reveal(passage, made) {
  const turn = state.opened;
  for (const part of parts.values()) part.again();
  const paged = state.paged && doc.pages > 0;
  if (paged) {
    const [page, , top] = passage.best[0] || passage.boxes[0] || [passage.pages ? passage.pages[0] : 1, 0, 0], part = made[page - 1];
    part.scrollIntoView({ block: "start" });
    await load(part);
    if (turn !== state.opened) return;
    const frame = part.querySelector(".frame"), { sheet } = parts.get(part) || {};
    const down = sheet ? (frame.offsetHeight * top) / sheet.height : 0;
    $("scroll").scrollTop += frame.getBoundingClientRect().top - $("scroll").getBoundingClientRect().top + down - $("scroll").clientHeight * 0.25;
    return;
  }
  const first = Math.max(doc.edges.findIndex((edge) => edge > passage.start) - 1, 0);
  let last = first;
  while (last < made.length - 1 && doc.edges[last + 1] < passage.end && last < first + 4) last++;
  await Promise.all(made.slice(Math.max(first - 1, 0), last + 2).map(load));
  if (turn !== state.opened) return;
  const mark = $("text").querySelector("mark.on");
  if (mark) mark.scrollIntoView({ block: "start" });
}

function back() {
  document.body.classList.remove("reading");
  const card = $("found").querySelectorAll(".card")[Math.max(state.chosen, 0)];
  if (card) card.focus();
}

function turnMode() {
  if (!doc || !doc.pages) return;
  state.paged = !state.paged;
  const made = lay(), passage = state.passages[state.chosen];
  if (passage && passage.document === state.document) reveal(passage, made);
}

// ---- light and dark, keys

const dark = matchMedia("(prefers-color-scheme: dark)");
let theme = "";
function paint() {
  const used = theme || (dark.matches ? "dark" : "light");
  document.documentElement.dataset.theme = used;
  $("theme").textContent = used === "dark" ? "Light" : "Dark";
}
$("theme").addEventListener("click", () => {
  theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  paint();
});
dark.addEventListener("change", paint);
$("form").addEventListener("submit", ask);
$("every").addEventListener("click", () => {
  history.replaceState(null, "", location.pathname);
  $("question").value = "";
  state.turn++;
  showFiles();
  close();
});
$("back").addEventListener("click", back);
$("mode").addEventListener("click", turnMode);
$("before").addEventListener("click", () => step(-1));
$("after").addEventListener("click", () => step(1));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
  const typing = event.target.tagName === "INPUT", reading = $("reader").contains(event.target);
  const cards = [...$("found").querySelectorAll(".card")], at = cards.indexOf(event.target);
  if (event.key === "Escape" && reading) back();
  else if (event.key === "ArrowDown" && event.target === $("question") && cards.length) cards[Math.max(state.chosen, 0)].focus();
  else if (typing) return;
  else if (event.key === "/") {
    document.body.classList.remove("reading");
    $("question").focus();
    $("question").select();
  } else if (event.key === "t") turnMode();
  else if (/^(j|n|k|p)$/.test(event.key)) step(/j|n/.test(event.key) ? 1 : -1);
  else if (at >= 0 && /^Arrow(Down|Up)$/.test(event.key)) {
    const next = cards[at + (event.key === "ArrowDown" ? 1 : -1)];
    if (next) next.focus();
    else if (event.key === "ArrowUp") $("question").focus();
    if (next && state.passages.length) choose(cards.indexOf(next), false);
  } else if (at >= 0 && event.key === "Enter" && state.passages.length) choose(at, true).then(() => $("scroll").focus({ preventScroll: true }));
  else return;
  event.preventDefault();
});

const asked = new URLSearchParams(location.search);
$("budget").value = asked.get("budget") || data.budget;
$("most").value = asked.get("most") || data.most;
$("budget").max = data.limits.budget;
$("most").max = data.limits.most;
$("question").maxLength = data.limits.question;
$("question").value = asked.get("question") || "";
paint();
showFiles();
if ($("question").value) ask();
else if (!narrow.matches) $("question").focus();
