"use strict";
// The data in, the page out. Texts reach the page as text nodes only, never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
const BLOCK = 700, LONGEST = 6000;
const number = (value) => value.toLocaleString("en");
const state = { document: 0, view: 0, pinned: 0, shown: -1 };
let doc, view, curve, parts, tags, starts;

function element(name, classes, text) {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  if (text !== undefined) made.textContent = text;
  return made;
}

function drawn(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  return made;
}

// Chunks, which may overlap -> stretches [from, to, chunk, chunk before that shares it or -1] that tile the text.
function stretches() {
  const edges = new Set([0, doc.text.length]);
  for (const chunk of view.chunks) edges.add(chunk[0]).add(chunk[1]);
  const rising = [...edges].sort((a, b) => a - b), found = [];
  let next = 0, open = [];
  for (let i = 0; i + 1 < rising.length; i++) {
    const from = rising[i];
    while (next < view.chunks.length && view.chunks[next][0] <= from) open.push(next++);
    open = open.filter((chunk) => view.chunks[chunk][1] > from);
    found.push([from, rising[i + 1], open.length ? open[open.length - 1] : -1, open.length > 1 ? open[open.length - 2] : -1]);
  }
  return found;
}

// Where a block that begins at `from` ends: after a line, else at white space, never inside a surrogate pair.
function blockEnd(from) {
  const text = doc.text, line = text.indexOf("\n", from + BLOCK);
  if (line >= 0 && line < from + LONGEST) return line + 1;
  if (text.length - from <= LONGEST) return text.length;
  const space = text.lastIndexOf(" ", from + LONGEST);
  let end = space > from ? space + 1 : from + LONGEST;
  if (/[\ud800-\udbff]/.test(text[end - 1]) && /[\udc00-\udfff]/.test(text[end])) end++;
  return end;
}

// Whether there is a question, and it led elsewhere.
function isPassedOver(chunk) {
  return data.question !== undefined && !view.chunks[chunk][8];
}

function showText() {
  parts = view.chunks.map(() => []);
  tags = [];
  const into = document.createDocumentFragment();
  let block = null, end = 0;
  for (const [from, to, chunk, other] of stretches()) {
    for (let at = from; at < to;) {
      if (at >= end) {
        end = blockEnd(at);
        block = element("div", "block");
        const text = doc.text.slice(at, end), lines = text.split("\n").length - 1 + Math.ceil(text.length / 95);
        block.style.containIntrinsicSize = `auto ${lines * 28}px`;
        if (!text.endsWith("\n") && end < doc.text.length) block.classList.add("split");
        into.append(block);
      }
      const stop = Math.min(to, end), text = doc.text.slice(at, stop);
      if (chunk < 0) {
        block.append(text);
      } else {
        const piece = element("span", `s k${chunk % 4}`, text);
        if (other >= 0) piece.classList.add("o", `o${chunk % 4}${other % 4}`);
        if (isPassedOver(chunk) && (other < 0 || isPassedOver(other))) piece.classList.add("not");
        piece.dataset.c = chunk;
        if (!tags[chunk]) {
          tags[chunk] = element("button", `tag t${chunk % 4}`, chunk + 1);
          tags[chunk].type = "button";
          tags[chunk].tabIndex = -1;
          tags[chunk].dataset.c = chunk;
          const found = view.chunks[chunk][8] ? ", found" : "";
          tags[chunk].setAttribute("aria-label", `Chunk ${chunk + 1}, ${number(view.chunks[chunk][4])} ${data.unit}${found}`);
          block.append(tags[chunk]);
        }
        parts[chunk].push(piece);
        if (other >= 0) parts[other].push(piece);
        block.append(piece);
      }
      at = stop;
    }
  }
  $("text").replaceChildren(into);
}

// The curve between two places of the text, in a box of 1000 by 100; of more points than can be seen, the extremes.
function plot(svg, from, to) {
  const x = (place) => ((place - from) / Math.max(to - from, 1)) * 1000;
  const y = (score) => 96 - ((score - curve.low) / (curve.high - curve.low)) * 92;
  const into = document.createDocumentFragment();
  const first = Math.max(chunkAt(from), 0);
  for (let chunk = first; chunk < view.chunks.length && view.chunks[chunk][0] < to; chunk++) {
    const left = Math.max(x(view.chunks[chunk][0]), 0), right = Math.min(x(view.chunks[chunk][1]), 1000);
    const not = isPassedOver(chunk) ? " not" : "";
    if (right > left) into.append(drawn("rect", { x: left, y: 0, width: right - left, height: 100, class: `f${chunk % 4}${not}` }));
  }
  if (view.chunks.length < 400 || to - from < doc.text.length) {
    let ticks = "";
    for (let chunk = Math.max(first, 1); chunk < view.chunks.length && view.chunks[chunk][0] < to; chunk++) ticks += `M${x(view.chunks[chunk][0])} 0V100`;
    into.append(drawn("path", { d: ticks, class: "tick" }));
  }
  const seen = [];
  for (let i = 0; i < curve.places.length; i++) if (curve.places[i] >= from && curve.places[i] <= to) seen.push(i);
  const step = Math.max(1, Math.ceil(seen.length / 900));
  let line = "";
  for (let i = 0; i < seen.length; i += step) {
    let low = seen[i], high = seen[i];
    for (const j of seen.slice(i, i + step)) {
      if (curve.scores[j] < curve.scores[low]) low = j;
      if (curve.scores[j] > curve.scores[high]) high = j;
    }
    for (const j of low === high ? [low] : [Math.min(low, high), Math.max(low, high)])
      line += `${line ? "L" : "M"}${x(curve.places[j]).toFixed(2)} ${y(curve.scores[j]).toFixed(2)}`;
  }
  into.append(drawn("path", { d: line, class: "curve" }));
  if (curve.threshold !== null) into.append(drawn("path", { d: `M0 ${y(curve.threshold)}H1000`, class: "limit" }));
  into.append(drawn("rect", { class: "here", y: 1, height: 98, x: 0, width: 0 }));
  svg.replaceChildren(into);
  svg.range = [from, to];
}

function mark(svg, chunk) {
  const box = svg.querySelector(".here");
  if (!box || chunk < 0) return;
  const [from, to] = svg.range, wide = Math.max(to - from, 1);
  const left = Math.max(((view.chunks[chunk][0] - from) / wide) * 1000, 0), right = Math.min(((view.chunks[chunk][1] - from) / wide) * 1000, 1000);
  box.setAttribute("x", left);
  box.setAttribute("width", Math.max(right - left, 1.5));
}

function showNear(chunk) {
  if (curve.places.length < 150 || !view.chunks.length) return;
  const middle = chunk < 0 ? 0 : view.chunks[chunk][0], share = 60 / curve.places.length;
  const half = Math.max(doc.text.length * share, chunk < 0 ? 0 : (view.chunks[chunk][1] - middle) * 0.75);
  const from = Math.max(0, middle - half);
  plot($("near"), from, Math.min(doc.text.length, from + 2 * half));
  mark($("near"), chunk);
}

// The last chunk that begins at or before a place; -1 if none does.
function chunkAt(place) {
  let low = 0, high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (starts[middle] <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function show(chunk) {
  if (state.shown === chunk && chunk >= 0) return;
  for (const piece of parts[state.shown] || []) piece.classList.remove("on");
  state.shown = chunk;
  for (const piece of parts[chunk] || []) piece.classList.add("on");
  const list = $("facts");
  list.replaceChildren();
  if (chunk < 0) {
    $("which").textContent = "No chunks";
    $("why").textContent = $("because").textContent = "";
    return;
  }
  const [from, , start, end, size, tokens, score, why, because] = view.chunks[chunk];
  const facts = [["size", `${number(end - start)} characters`], ["tokens", number(tokens)]];
  if (data.unit === "tokens" && size !== tokens) facts.push(["by its splitter", number(size)]);
  facts.push(["place", `${number(start)} – ${number(end)}`]);
  if (view.pages && view.pages[chunk]) {
    const [first, last] = view.pages[chunk];
    facts.push(["page", first === last ? number(first) : `${number(first)} – ${number(last)}`]);
  }
  if (score !== null) facts.push(["gap before it", score.toFixed(3)]);
  const before = chunk && view.chunks[chunk - 1];
  if (before && before[3] > start) facts.push(["overlap", `${number(before[3] - start)} with ${chunk}`]);
  for (const [name, value] of facts) {
    const fact = element("div");
    fact.append(element("dt", "", name), element("dd", "", value));
    list.append(fact);
  }
  $("which").textContent = `Chunk ${chunk + 1} of ${number(view.chunks.length)}`;
  $("why").textContent = why;
  $("because").textContent = because || "Not found for the question.";
  showSheets(chunk);
  mark($("curve"), chunk);
  if (from < ($("near").range || [0, -1])[0] || from >= ($("near").range || [0, -1])[1]) showNear(chunk);
  else mark($("near"), chunk);
}

// The pages of a PDF that a chunk stands on, as far as there are pictures of them, with the chunk marked.
function showSheets(chunk) {
  const list = $("sheets"), boxes = (view.boxes || [])[chunk] || [], sheets = doc.sheets || {};
  const wanted = [...new Set(boxes.map((box) => box[0]))].sort((a, b) => a - b);
  list.replaceChildren();
  for (const page of wanted) {
    const figure = element("figure", "sheet"), sheet = sheets[page];
    figure.append(element("figcaption", "", sheet ? `Page ${number(page)}` : `Page ${number(page)}, which this file has no picture of`));
    if (sheet) {
      const { width, height } = sheet, own = boxes.filter((box) => box[0] === page);
      const top = Math.min(...own.map((box) => box[2]));
      const frame = element("div", "frame"), image = element("img"), marks = drawn("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
      image.src = sheet.image;
      image.alt = `Page ${page} of ${doc.name}`;
      image.width = Math.round(width);
      image.height = Math.round(height);
      for (const [, left, up, right, down] of own)
        marks.append(drawn("rect", { x: left - 3, y: up - 2, width: right - left + 6, height: down - up + 4, rx: 2, class: `m${chunk % 4}` }));
      frame.append(image, marks);
      figure.append(frame);
      frame.dataset.top = top / height;
    }
    list.append(figure);
  }
  const first = list.querySelector(".frame");
  if (first) requestAnimationFrame(() => {
    list.scrollTop = Math.max(0, first.offsetTop - list.offsetTop + first.offsetHeight * first.dataset.top - list.clientHeight / 3);
  });
}

function pin(chunk, focus) {
  if (!view.chunks.length) {
    show(-1);
    $("said").textContent = $("which").textContent;
    return;
  }
  chunk = Math.min(Math.max(chunk, 0), view.chunks.length - 1);
  if (tags[state.pinned]) tags[state.pinned].tabIndex = -1;
  state.pinned = chunk;
  tags[chunk].tabIndex = 0;
  showNear(chunk);
  show(chunk);
  const because = $("because").hidden ? "" : `${$("because").textContent} `;
  $("said").textContent = `${$("which").textContent}. ${because}${$("why").textContent}`;
  if (!focus) return;
  tags[chunk].scrollIntoView({ block: "start" });
  tags[chunk].focus({ preventScroll: true });
}

// The passages of this document that were found, the best first, each a button that leads to it.
function showFound() {
  if (data.question === undefined) return;
  $("found").hidden = $("because").hidden = false;
  $("found").replaceChildren(element("b", "", data.question), view.found.length ? "found in" : "found nothing here");
  for (const [rank, first, last, best] of view.found) {
    const label = first === last ? `${first + 1}` : `${first + 1}–${last + 1}`;
    const button = element("button", `tag t${best % 4}`, label);
    button.type = "button";
    button.setAttribute("aria-label", `Passage ${rank}: ${first === last ? "chunk" : "chunks"} ${label}`);
    button.addEventListener("click", () => pin(best, true));
    $("found").append(button);
  }
  data.documents.forEach((one, place) => {
    const option = $("documents").options[place], count = one.views[state.view].found.length;
    if (option) option.textContent = count ? `${one.name} (${count})` : one.name;
  });
}

function showView(place) {
  view = doc.views[state.view];
  curve = doc.curves[view.curve];
  starts = view.chunks.map((chunk) => chunk[0]);
  if (curve.low === undefined) {
    const seen = curve.threshold === null ? curve.scores : [...curve.scores, curve.threshold];
    curve.low = seen.length ? seen.reduce((a, b) => Math.min(a, b)) : 0;
    curve.high = seen.reduce((a, b) => Math.max(a, b), curve.low + 0.1);
  }
  state.shown = -1;
  showText();
  const sizes = view.chunks.map((chunk) => chunk[4]);
  const total = sizes.reduce((a, b) => a + b, 0);
  $("sum").textContent = sizes.length
    ? `${number(sizes.length)} chunk${sizes.length > 1 ? "s" : ""}, ${number(Math.round(total / sizes.length))} ${data.unit} on average, the largest ${number(sizes.reduce((a, b) => Math.max(a, b)))}`
    : "no chunks";
  $("key").replaceChildren(curve.exact ? "The curve: the scores that this splitter cuts by. " : "The curve: how different the three sentences after each gap are from the three before it. ");
  if (curve.threshold !== null) $("key").append(element("b", "", `- - threshold ${curve.threshold.toFixed(3)}`));
  $("high").textContent = curve.high.toFixed(2);
  $("low").textContent = curve.low.toFixed(2);
  $("near").hidden = curve.places.length < 150;
  $("near").style.display = $("near").hidden ? "none" : "";
  $("near").range = null;
  plot($("curve"), 0, doc.text.length);
  showFound();
  pin(place === undefined ? 0 : chunkAt(place), false);
  if (place !== undefined && tags[state.pinned]) tags[state.pinned].scrollIntoView({ block: "start" });
  measure();
}

function showDocument(index) {
  state.document = index;
  doc = data.documents[index];
  document.body.classList.toggle("paged", Object.keys(doc.sheets || {}).length > 0);
  $("name").textContent = document.title = doc.title ? `${doc.name} — ${doc.title}` : doc.name;
  state.view = Math.min(state.view, doc.views.length - 1);
  const group = $("splitters");
  while (group.children.length > 1) group.lastChild.remove();
  doc.views.forEach((one, place) => {
    const label = element("label", "pick"), input = element("input");
    input.type = "radio";
    input.name = "splitter";
    input.checked = place === state.view;
    input.addEventListener("change", () => choose(place));
    label.append(input, element("span", "", one.splitter));
    group.append(label);
  });
  showView();
  scrollTo(0, 0);
  if (data.question !== undefined && view.found.length) pin(view.found[0][3], true);
}

function choose(place) {
  const at = view.chunks.length ? view.chunks[state.pinned][0] : undefined, moved = scrollY > 40;
  const held = tags.includes(document.activeElement);
  state.view = place;
  $("splitters").querySelectorAll("input")[place].checked = true;
  reveal(place);
  showView(moved ? at : undefined);
  if (held && tags[state.pinned]) tags[state.pinned].focus({ preventScroll: true });
}

// On a narrow screen the names of the splitters are a row that scrolls: brings one into it.
function reveal(place) {
  const group = $("splitters"), label = group.querySelectorAll("label")[place];
  group.scrollLeft = label.offsetLeft - group.offsetLeft - (group.clientWidth - label.offsetWidth) / 2;
}

function measure() {
  document.documentElement.style.setProperty("--top", `${document.querySelector(".top").offsetHeight}px`);
}

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
addEventListener("message", (event) => { // of a site that shows this page in a frame, and has a switch of its own
  if (event.data !== "dark" && event.data !== "light") return;
  theme = event.data;
  $("theme").hidden = true;
  paint();
});
const chunkOf = (event) => {
  const at = event.target.closest && event.target.closest("[data-c]");
  return at ? Number(at.dataset.c) : -1;
};
$("text").addEventListener("pointerover", (event) => {
  if (event.pointerType !== "touch" && chunkOf(event) >= 0) show(chunkOf(event));
});
$("text").addEventListener("pointerleave", () => pin(state.pinned, false));
$("text").addEventListener("click", (event) => {
  if (chunkOf(event) >= 0) pin(chunkOf(event), false);
});
$("text").addEventListener("focusin", (event) => {
  if (chunkOf(event) >= 0) pin(chunkOf(event), false);
});
for (const name of ["curve", "near"]) {
  const place = (event) => {
    const box = $(name).getBoundingClientRect(), [from, to] = $(name).range;
    return from + ((event.clientX - box.left) / box.width) * (to - from);
  };
  $(name).addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch" && view.chunks.length) show(Math.max(chunkAt(place(event)), 0));
  });
  $(name).addEventListener("pointerleave", () => pin(state.pinned, false));
  $(name).addEventListener("click", (event) => pin(chunkAt(place(event)), true));
}
$("before").addEventListener("click", () => pin(state.pinned - 1, true));
$("after").addEventListener("click", () => pin(state.pinned + 1, true));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT)$/.test(event.target.tagName)) return;
  const moves = { ArrowRight: 1, n: 1, j: 1, ArrowLeft: -1, p: -1, k: -1 };
  if (event.key in moves) pin(state.pinned + moves[event.key], true);
  else if (/^[1-9]$/.test(event.key) && Number(event.key) <= doc.views.length) choose(Number(event.key) - 1);
  else return;
  event.preventDefault();
});
addEventListener("resize", measure);

if (data.documents.length > 1) {
  const pick = $("documents");
  pick.hidden = false;
  $("name").classList.add("said"); // the list shows it
  data.documents.forEach((one, place) => pick.append(new Option(one.name, place)));
  pick.addEventListener("change", () => showDocument(Number(pick.value)));
}
paint();
const best = data.documents.findIndex((one) => data.question !== undefined && one.views[0].found.some(([rank]) => rank === 1));
$("documents").value = Math.max(best, 0);
showDocument(Math.max(best, 0));
