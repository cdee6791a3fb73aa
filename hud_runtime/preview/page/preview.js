// Asks for data and draws it. All that is shown is set as text; nothing that comes from a subject becomes markup.
"use strict";

const DENSITIES = ["", "minimal", "compact", "full"];
const TAGS = new Set(("blockquote br code del em hr li ol p pre section span strong sup table tbody td th thead tr ul").split(" "));
const HEADINGS = { h1: "h3", h2: "h4", h3: "h5", h4: "h6", h5: "h6", h6: "h6" }; // below the page's own
const CLASSES = new Set(["raw", "box", "link"]);
const COLOURS = {
  rung: ["full", "compact", "minimal", "hidden", "no ladder"],
  layer: ["static", "session", "turn", "heading"],
  kind: ["list", "value", "view", "component", "heading", "text"],
};
const IDLE = 120; // milliseconds after the last change before what is dearer is asked for

const state = { look: { turn: null, density: "", budget: null }, colour: "rung", chosen: null, revision: null, step: 10, scaled: null, tabs: {} };
let view = null, rungs = null, change = null;

const $ = (id) => document.getElementById(id);

function made(tag, props, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value === null || value === undefined) continue;
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((each) => each !== null && each !== undefined).map((each) => (each instanceof Node ? each : document.createTextNode(String(each)))));
  return element;
}

const number = (value) => Number(value).toLocaleString("en");
const tokens = (value) => `${number(value)} token${value === 1 ? "" : "s"}`;
const draw = (id, ...children) => $(id).replaceChildren(...children.flat().filter(Boolean));
const named = (rung) => rung ?? "hidden";

// ------------------------------------------------------------------ asking

function address(what, more) {
  const asked = new URLSearchParams();
  const { turn, density, budget } = state.look;
  if (turn !== null) asked.set("turn", turn);
  if (density) asked.set("density", density);
  if (budget !== null) asked.set("budget", budget);
  for (const [name, value] of Object.entries(more || {})) asked.set(name, value);
  return `/data/${what}?${asked}`;
}

/** Returns what is asked for; null where something is wrong, undefined where it was left for a move made meanwhile. */
async function ask(what, more) {
  const response = await fetch(address(what, more), { cache: "no-store" });
  if (response.status === 403) throw new Error("open the address that ujsx preview printed again");
  const told = await response.json();
  if (told.fault) { shownFault(told.fault); return null; }
  if (told.left) { if (!isMoving) soon(IDLE); return undefined; } // moved on another page: it is asked for again
  return told.answer;
}

let busy = false, again = false, idle = 0;
let isMoving = false; // somebody moves a slider: what is not the view itself waits until they rest

async function refresh() {
  isMoving = true;
  clearTimeout(idle);
  if (busy) { again = true; return; }
  busy = true;
  try {
    do {
      again = false;
      const got = await ask("view");
      if (got) { view = got; shownFault(state.fault); drawView(); }
    } while (again);
  } catch (error) {
    $("status").textContent = `not reached: ${error.message}`;
  } finally {
    busy = false;
  }
  const isCompared = state.tabs.shown === "changes" || state.tabs.details === "prefix";
  soon(isCompared ? 0 : IDLE);
}

function soon(pause) {
  clearTimeout(idle);
  idle = setTimeout(refreshRest, pause);
}

let resting = false, restAgain = false;

/** Asks for what is dearer, one look at a time: of those that come meanwhile the last counts. */
async function refreshRest() {
  isMoving = false;
  if (resting) { restAgain = true; return; }
  resting = true;
  try {
    do { restAgain = false; await rest(); } while (restAgain && !isMoving);
  } finally {
    resting = false;
  }
}

async function rest() {
  const look = JSON.stringify(state.look);
  const isOld = () => look !== JSON.stringify(state.look);
  const told = await ask("change");
  if (isOld() || told === undefined) return;
  change = told; drawChange();
  const costs = await ask("rungs");
  if (isOld() || costs === undefined) return;
  rungs = costs; scale(); drawSection(); drawDetail();
}

async function follow() {
  for (;;) {
    try {
      const response = await fetch(`/data/changes?known=${state.revision ?? ""}`, { cache: "no-store" });
      const told = await response.json();
      if (state.revision === null) begin(told.look);
      if (told.revision !== state.revision) {
        state.revision = told.revision;
        state.fault = told.fault;
        shownFault(told.fault);
        refresh();
      }
    } catch {
      $("status").textContent = "the preview has ended; start it again";
      await new Promise((later) => setTimeout(later, 1000));
    }
  }
}

// ------------------------------------------------------------------ what is wrong

function shownFault(fault) {
  const box = $("fault");
  box.hidden = !fault;
  if (!fault) return;
  const place = [fault.file, fault.line, fault.column].filter((each) => each !== undefined && each !== null).join(":");
  draw("fault",
    made("p", {}, made("strong", {}, fault.kind ? `${fault.kind}: ` : ""), fault.message),
    place ? made("p", { class: "mono" }, place) : null,
    fault.excerpt ? made("pre", { class: "block" }, fault.excerpt) : null,
    (fault.frames || []).length > 1 ? made("ol", { class: "rows mono" }, fault.frames.map((each) => made("li", {}, `${each.file}:${each.line} in ${each.function}: ${each.source}`))) : null,
    view ? made("p", { class: "quiet" }, "Below is the last rendering that was good.") : null);
}

// ------------------------------------------------------------------ the text

function category(node) {
  if (state.colour === "rung") return node.is_section ? node.density ?? "hidden" : "no ladder";
  if (state.colour === "layer") return node.layer ?? "heading";
  return node.kind;
}

const colour = (node) => `c${COLOURS[state.colour].indexOf(category(node)) + 1}`;

function told(node) {
  const words = [];
  if (node.is_section) words.push(named(node.rung));
  if (node.layer) words.push(node.layer);
  words.push(node.kind);
  return words.join(" · ");
}

function part(node, index, content) {
  const mark = (is) => () => marked(index, is);
  return made("div", { class: `part${node.text ? "" : " is-hidden"}`, "data-index": index, onmouseenter: mark(true), onmouseleave: mark(false) },
    made("button", { class: `tag ${colour(node)}`, type: "button", onclick: () => choose(index), onfocus: mark(true), onblur: mark(false) }, node.text ? made("i", { title: "tokens" }, number(node.tokens)) : null, made("b", {}, node.name), " ", made("small", {}, node.text ? told(node) : named(node.rung))),
    content);
}

function marked(index, is) {
  for (const each of document.querySelectorAll(`[data-index="${index}"]`)) each.classList.toggle("is-marked", is);
}

function grown(nodes) {
  return nodes.map((node) => {
    if (typeof node === "string") return document.createTextNode(node);
    const [tag, kind, title, children] = node;
    const name = HEADINGS[tag] ?? (TAGS.has(tag) ? tag : "span");
    return made(name, { class: HEADINGS[tag] ? tag : CLASSES.has(kind) ? kind : null, title: title || null }, grown(children));
  });
}

function drawView() {
  const isNew = $("name").textContent !== view.name;
  if (isNew) { $("name").textContent = view.name; document.title = `${view.name} – ujsx preview`; }
  const turn = $("turn");
  $("turns").hidden = !view.has_turns;
  turn.max = view.turns;
  turn.value = state.look.turn ?? view.turns; // and not that of the view: whoever holds a key is farther already
  $("turn-is").textContent = `${view.turn} of ${view.turns}${state.look.turn === null ? ", the last" : ""}`;
  turn.setAttribute("aria-valuetext", $("turn-is").textContent);
  drawSliders();
  const used = view.used === null ? "" : ` · context ${Math.round(view.used)} % full`;
  $("status").textContent = `${view.domain} · version ${view.version}${used}`;
  draw("figures", ...[made("strong", {}, tokens(view.tokens))],
    document.createTextNode(`${view.budget === null ? "" : ` of ${number(view.budget)}`}${view.over_budget ? ", over the budget: the least that can be shown" : ""} · ${view.layers.map((each) => `${each.layer} ${number(each.tokens)}`).join(" · ")}`));
  draw("notes", view.notes.map((each) => made("li", { class: "gone" }, each)));
  draw("legend", COLOURS[state.colour].filter((each) => view.nodes.some((node) => category(node) === each)).map((each) => made("li", { class: `c${COLOURS[state.colour].indexOf(each) + 1}` }, each)));
  if (state.chosen === null) state.chosen = view.nodes.findIndex((each) => each.is_section && each.text);
  state.chosen = Math.min(Math.max(state.chosen, 0), view.nodes.length - 1);
  drawText(); drawSection(); drawDetail();
}

let parts = []; // what each part of the reading was drawn from, and as what

/** Draws the parts of the reading; those that are as they were stay. */
function drawReading() {
  const place = $("reading"), { nodes, reading } = view;
  parts = nodes.map((node, index) => {
    const from = JSON.stringify([node, reading[index], state.colour]), before = parts[index];
    return before && before.from === from ? before : { from, element: part(node, index, made("div", { class: "prose" }, grown(reading[index]))) };
  });
  const elements = parts.map((each) => each.element);
  if (!elements.length) elements.push(made("p", { class: "part quiet" }, "It shows nothing yet."));
  const stays = new Set(elements);
  for (const each of [...place.children]) if (!stays.has(each)) each.remove();
  elements.forEach((each, index) => { if (place.children[index] !== each) place.insertBefore(each, place.children[index] ?? null); });
}

function drawText() {
  const nodes = view.nodes;
  $("legend").hidden = state.tabs.shown === "changes"; // it has no parts whose lines have colours
  if (state.tabs.shown === "reading") {
    drawReading();
  } else if (state.tabs.shown === "exact") {
    draw("exact", nodes.map((node, index) => part(node, index, made("div", { class: "prose", "data-text": index }, node.text.replace(/^\n+/, "")))));
    drawBreak();
  } else drawChanges();
  chosen();
}

function chosen() {
  for (const each of document.querySelectorAll(".part")) each.classList.toggle("is-chosen", each.dataset.index === String(state.chosen));
}

/** Marks where the prefix broke, in the exact text. */
function drawBreak() {
  if (!change || !change.broken || change.turn === null) return;
  let at = change.place;
  for (const [index, node] of view.nodes.entries()) {
    if (at <= node.text.length && node.text) {
      const lead = node.text.length - node.text.replace(/^\n+/, "").length;
      split(index, Math.max(at - lead, 0), Math.max(at - lead, 0), made("span", { class: "cut", title: `byte ${number(change.byte)}: from here on the text differs from turn ${change.turn}` }));
      return;
    }
    at -= node.text.length;
  }
}

function split(index, start, end, mark) {
  const place = document.querySelector(`[data-text="${index}"]`);
  if (!place) return;
  const text = view.nodes[index].text.replace(/^\n+/, "");
  if (mark.tagName === "MARK") mark.textContent = text.slice(start, end);
  place.replaceChildren(document.createTextNode(text.slice(0, start)), mark, document.createTextNode(text.slice(end)));
}

function whole(index) {
  const place = document.querySelector(`[data-text="${index}"]`);
  if (place) { place.textContent = view.nodes[index].text.replace(/^\n+/, ""); drawBreak(); }
}

function drawChanges() {
  if (!view.has_turns) { draw("changes", made("p", { class: "part quiet" }, "A layout alone has no turns to compare; name a session with it.")); return; }
  if (!change) return;
  if (change.turn === null) { draw("changes", made("p", { class: "part quiet" }, "Before the first turn there is nothing to compare with.")); return; }
  const rows = change.parts.map((each) => made("div", { class: "part" },
    made("p", { class: "quiet" }, each.path),
    made("pre", { class: "prose" }, each.gone.map((line) => made("span", { class: "gone" }, `− ${line}\n`)), each.new.map((line) => made("span", { class: "new" }, `+ ${line}\n`)))));
  draw("changes", made("p", { class: "part quiet" }, rows.length ? `Since turn ${change.turn}:` : `Nothing differs from turn ${change.turn}.`), rows);
}

// ------------------------------------------------------------------ details

function choose(index) { state.chosen = index; node = null; chosen(); drawSection(); drawDetail(); }

let node = null;

async function theNode() {
  const index = state.chosen, look = JSON.stringify(state.look), revision = state.revision;
  const key = `${index} ${look} ${revision}`;
  if (node && node.key === key) return node;
  if (isMoving) return null;
  const got = await ask("node", { index });
  if (!got || index !== state.chosen || look !== JSON.stringify(state.look)) return null;
  return (node = { key, ...got });
}

function ladder(which) {
  const names = view.nodes.filter((each) => each.is_section);
  return rungs && rungs.sections.length === names.length ? rungs.sections[names.indexOf(which)] : null;
}

async function drawSection() {
  if (state.tabs.details !== "section" || !view.nodes.length) return;
  const shown = view.nodes[state.chosen], costs = shown.is_section ? ladder(shown) : null;
  const most = costs ? Math.max(1, ...costs.rungs.map((each) => each.tokens)) : 1;
  const left = view.omitted.filter((each) => each.section === shown.name);
  const higher = made("div", {});
  draw("section",
    made("h2", {}, shown.name), made("p", { class: "quiet" }, shown.path),
    costs && costs.values.length ? made("p", { class: "quiet" }, `values of its template: ${costs.values.join(", ")}`) : null,
    made("p", {}, `${told(shown)} · ${tokens(shown.tokens)}`, shown.capped_at !== null ? ` · its own budget of ${tokens(shown.capped_at)} keeps it from a higher rung` : ""),
    costs ? made("h3", {}, "Its ladder") : null,
    costs ? made("table", { class: "figures" },
      made("thead", {}, made("tr", {}, made("th", { scope: "col" }, "rung"), made("th", { class: "n", scope: "col" }, "tokens"), made("th", { scope: "col" }, "beside the most"), made("th", { scope: "col" }, "chosen"))),
      made("tbody", {}, costs.rungs.map((each) => made("tr", { class: each.rung === shown.rung ? "is-shown" : null },
        made("td", { class: "rung" }, named(each.rung)), made("td", { class: "n" }, number(each.tokens)),
        made("td", {}, made("meter", { min: 0, max: most, value: each.tokens, "aria-label": `${named(each.rung)}: ${tokens(each.tokens)}` })),
        made("td", { class: "quiet" }, each.rung === shown.rung ? "shown" : each.useful ? "" : "never: it saves nothing"))))) : null,
    costs ? legendOfRungs(costs.rungs) : null,
    higher,
    left.length ? made("h3", {}, "Left out") : null, left.length ? omittedTable(left) : null);
  if (!shown.is_section) return;
  const got = await theNode();
  if (!got) return;
  if (got.next) higher.replaceChildren(made("h3", {}, `The next rung, ${got.next.rung}: ${tokens(got.next.tokens)}, ${number(got.next.tokens - shown.tokens)} more`), made("pre", { class: "block" }, got.next.text));
  else higher.replaceChildren(made("h3", {}, "It shows all that it has"));
}

/** What the marks in the names of rungs mean, of those that are there. */
function legendOfRungs(rungs) {
  const names = rungs.map((each) => named(each.rung)).join(" ");
  const words = [["/", "/ so many items"], ["~", "~ so many characters of each text"]].filter(([mark]) => names.includes(mark)).map(([, word]) => word);
  return words.length ? made("p", { class: "quiet small" }, `${words.join(", ")}, at most`) : null;
}

function omittedTable(rows) {
  return made("table", { class: "figures" },
    made("thead", {}, made("tr", {}, ["section", "how much", "tokens", "shown by"].map((each) => made("th", { scope: "col" }, each)))),
    made("tbody", {}, rows.map((each) => made("tr", {}, made("td", {}, each.section), made("td", {}, `${number(each.count)} ${each.what === "texts" ? "shortened" : "not shown"}`), made("td", { class: "n" }, number(each.tokens)), made("td", { class: "mono" }, each.handle ?? "a higher rung")))));
}

function drawPrefix() {
  if (!view.has_turns || !change || change.turn === null) { draw("prefix", made("p", { class: "quiet" }, "There is no turn before this one.")); return; }
  const broken = change.broken;
  draw("prefix",
    made("h2", {}, broken ? `Broken by ${broken.node}` : "The prefix is kept"),
    made("p", {}, `${Math.round(change.kept * 100)} % of the HUD of turn ${change.turn} is a prefix of this one: so much a prompt cache still has.`),
    made("table", { class: "figures" }, made("tbody", {},
      [["first byte that differs", number(change.byte)], ["line", broken ? number(broken.line) : "–"], ["field", broken ? broken.field ?? "–" : "–"], ["kept", tokens(change.kept_tokens)], ["lost", tokens(change.lost_tokens)], ["read and billed anew", tokens(change.new_tokens)]]
        .map(([name, value]) => made("tr", {}, made("th", { scope: "row" }, name), made("td", { class: "n" }, value))))),
    broken ? made("ul", { class: "rows mono apart" }, broken.changes.map((each) => made("li", {}, each))) : null,
    made("h3", {}, change.delta === null ? "No words say what changed: all is sent again" : change.delta ? `The delta that says it: ${tokens(change.delta_tokens)}` : "There is no news to send"),
    change.delta ? made("pre", { class: "block" }, change.delta) : null);
}

function drawChange() {
  if (state.tabs.shown === "changes") drawChanges();
  if (state.tabs.shown === "exact") drawText();
  if (state.tabs.details === "prefix") drawPrefix();
}

async function drawTree() {
  const places = new Map(), top = made("ul", { class: "rows" });
  const row = (index, label, quiet) => made("button", { class: "row", type: "button", "data-index": index, "aria-pressed": index === state.chosen ? "true" : "false", onclick: () => choose(index), onmouseenter: () => marked(index, true), onmouseleave: () => marked(index, false), onfocus: () => marked(index, true), onblur: () => marked(index, false) }, label, made("span", { class: "quiet" }, ` ${quiet}`));
  const inner = made("div", {});
  const label = (index, name) => {
    const each = view.nodes[index];
    return row(index, name, `${told(each)} · ${each.text ? tokens(each.tokens) : "shows nothing"}`);
  };
  let heading = null; // that of the section which opens next
  for (const [index, each] of view.nodes.entries()) {
    if (each.kind === "heading") { heading = index; continue; }
    const names = each.path.split(" / ");
    let list = top, path = "";
    for (const name of names.slice(0, -1)) {
      path += `${name} / `;
      if (!places.has(path)) {
        const below = made("ul", { class: "rows" });
        const isIts = heading !== null && name === view.nodes[heading].name;
        list.append(made("li", {}, isIts ? label(heading, name) : made("span", { class: "quiet" }, name), isIts && heading === state.chosen ? inner : null, below));
        if (isIts) heading = null;
        places.set(path, below);
      }
      list = places.get(path);
    }
    list.append(made("li", {}, label(index, names[names.length - 1]), index === state.chosen ? inner : null));
  }
  draw("tree", top);
  const got = await theNode();
  if (!got || !inner.isConnected) return;
  inner.replaceChildren(made("h3", {}, "Primitives"), made("ul", { class: "rows mono" }, got.tree.map(primitive)),
    made("h3", {}, "mdast"), made("ul", { class: "rows mono" }, got.mdast.map(mdast)));
  if (!got.tree.length && !got.mdast.length) inner.replaceChildren(made("p", { class: "quiet" }, "It shows nothing here."));
}

function primitive(each) {
  if (typeof each === "string") return made("li", { class: "quiet" }, JSON.stringify(each));
  const [name, props, children] = each;
  return made("li", {}, name, made("span", { class: "quiet" }, ` ${props}`), children.length ? made("ul", { class: "rows" }, children.map(primitive)) : null);
}

function mdast([name, fields, children, start, end]) {
  const index = state.chosen, lead = view.nodes[index].text.length - view.nodes[index].text.replace(/^\n+/, "").length;
  const on = () => { if (start !== null && state.tabs.shown === "exact") split(index, Math.max(start - lead, 0), Math.max(end - lead, 0), made("mark", {})); marked(index, true); };
  const off = () => { whole(index); marked(index, false); };
  return made("li", {}, made("button", { class: "row", type: "button", onmouseenter: on, onmouseleave: off, onfocus: on, onblur: off }, name, made("span", { class: "quiet" }, ` ${fields}`)),
    children.length ? made("ul", { class: "rows" }, children.map(mdast)) : null);
}

async function drawEvents(after) {
  const got = await ask("events", after ? { after } : {});
  if (!got || state.tabs.details !== "events") return;
  const rows = got.events.map((each) => made("div", { class: "event" },
    made("p", {}, made("strong", {}, each.type), made("span", { class: "quiet" }, ` version ${number(each.version)} · ${each.actor} · ${new Date(each.timestamp).toISOString().replace(/\.\d+Z/, "Z")}`)),
    made("p", {}, each.words), made("details", {}, made("summary", {}, "payload"), made("pre", { class: "block" }, each.payload))));
  if (got.after) rows.push(made("p", {}, made("button", { class: "plain", type: "button", onclick: (event) => { event.target.parentNode.remove(); drawEvents(got.after); } }, "More")));
  if (after) $("events").append(...rows);
  else draw("events", rows.length ? rows : made("p", { class: "quiet" }, "Nothing was recorded in this turn."));
}

async function drawDeliveries() {
  const got = await ask("deliveries");
  if (!got || state.tabs.details !== "deliveries") return;
  draw("deliveries", got.deliveries.length ? got.deliveries.map((each) => made("div", { class: "event" },
    made("p", {}, made("strong", {}, `to ${each.reader}, ${each.mode}`), made("span", { class: "quiet" }, ` version ${number(each.version)} · ${each.is_sent ? "sent" : "made, not sent"}${each.why ? ` · all of it: ${each.why}` : ""}`)),
    each.parts.length ? each.parts.map((one) => made("div", {}, made("p", { class: "quiet" }, `${one.kind} for ${one.place}${one.since === null ? "" : `, since version ${number(one.since)}`}`), made("pre", { class: "block" }, one.text))) : made("p", { class: "quiet" }, "no news")))
    : made("p", { class: "quiet" }, "No delivery of this session is kept. What the turn would append is under Prefix."));
}

function drawCost() {
  if (!view.has_turns) { draw("cost", made("p", { class: "quiet" }, "A layout alone costs nothing yet; name a session with it.")); return; }
  draw("cost", made("p", {}, "Counts what the HUD has cost, turn by turn, as `ujsx cost` does. Of a long session that takes a while."),
    made("p", {}, made("button", { class: "plain", type: "button", onclick: countCost }, "Count")));
}

async function countCost() {
  let got = { of: null };
  do { // a piece at a time: sliders can be moved meanwhile
    draw("cost", made("p", { role: "status" }, got.of ? `counting … ${Math.floor(100 * got.counted / got.of)} %` : "counting …"));
    got = await ask("cost");
    if (!got) { drawCost(); return; }
  } while (got.of);
  const cell = (value) => made("td", { class: "n" }, value);
  draw("cost",
    made("p", { class: "quiet" }, "What the whole session costs with a HUD that is sent so, in tokens at the price of plain input, and beside the same session without one."),
    made("table", { class: "figures" }, made("thead", {}, made("tr", {}, ["sent as", "tokens", "without: 1 ×"].map((each) => made("th", { scope: "col" }, each)))),
      made("tbody", {}, got.ways.map(([way, cost, ratio]) => made("tr", {}, made("td", {}, way), cell(number(Math.round(cost))), cell(`${ratio.toFixed(3)} ×`))))),
    made("p", {}, `Cheapest at these prices: ${got.cheapest}. Tools and instructions stand in each request as well: ${number(got.tools[0])} tokens, ${number(Math.round(got.tools[1]))} for the session.`),
    made("h3", {}, "By turn"),
    made("p", { class: "quiet" }, "Tokens of the HUD, and of what is appended to say what changed; how much of it a prompt cache kept, and what it lost by which field."),
    made("table", { class: "figures" }, made("thead", {}, made("tr", {}, ["turn", "HUD", "appended", "kept", "lost", "broken by"].map((each) => made("th", { scope: "col" }, each)))),
      made("tbody", {}, got.turns.map(([turn, hud, appended, kept, lost, by]) => made("tr", {}, cell(number(turn)), cell(number(hud)), cell(number(appended)), cell(`${Math.round(kept * 100)} %`), cell(number(lost)), made("td", {}, by ?? ""))))));
}

async function drawTools(dialect) {
  const got = await ask("schema", dialect ? { dialect } : {});
  if (!got || state.tabs.details !== "tools") return;
  const choice = made("select", { id: "dialect", onchange: (event) => drawTools(event.target.value) }, got.dialects.map((each) => made("option", each === got.dialect ? { value: each, selected: "" } : { value: each }, each)));
  draw("tools", made("p", {}, made("label", { for: "dialect" }, "Dialect "), choice),
    got.tools.map((each) => made("div", {}, made("h3", {}, `${each.name}, ${tokens(each.tokens)}`), made("pre", { class: "block" }, each.text))));
}

const DETAILS = {
  section: () => {},
  omitted: () => draw("omitted", view.omitted.length ? omittedTable(view.omitted) : made("p", { class: "quiet" }, "Nothing is left out.")),
  prefix: drawPrefix, tree: drawTree, events: () => drawEvents(), deliveries: drawDeliveries, cost: drawCost, tools: () => drawTools(),
};

let drawn = "";

/** Draws the tab that is open; what is dear or long only when the session or the turn is another one. */
function drawDetail(isChosen) {
  const tab = state.tabs.details, turn = ["cost", "tools"].includes(tab) ? "any" : view.turn;
  const key = `${tab} ${view.version} ${turn} ${state.revision}`;
  if (!isChosen && key === drawn && ["events", "deliveries", "cost", "tools"].includes(tab)) return;
  drawn = key;
  DETAILS[tab]();
}

// ------------------------------------------------------------------ controls

function scale() {
  if (!rungs || state.scaled === state.revision) return;
  state.scaled = state.revision;
  const all = rungs.sections.reduce((sum, each) => sum + Math.max(0, ...each.rungs.map((one) => one.tokens)), 0);
  state.step = Math.max(5, Math.ceil(all / 500) * 5);
}

/** Begins with the look that the command was given. */
function begin(look) {
  state.look = { turn: look.turn ?? null, density: look.density ?? "", budget: look.budget ?? null };
  $("density").value = DENSITIES.indexOf(state.look.density);
  if (look.budget === "off") $("budget").value = 101;
  else if (look.budget !== undefined && look.budget !== null) $("budget").value = Math.min(100, Math.max(1, Math.round(look.budget / state.step)));
}

function drawSliders() {
  const { density, budget } = state.look;
  const isOwn = typeof budget === "number";
  $("density-is").textContent = density || `${view.density ?? "full"}, by level`;
  $("density").setAttribute("aria-valuetext", $("density-is").textContent);
  $("budget-is").textContent = budget === "off" ? "none" : isOwn ? tokens(budget) : `${view.budget === null ? "none" : number(view.budget)}, by level`;
  $("budget").setAttribute("aria-valuetext", $("budget-is").textContent);
}

function listen() {
  $("controls").addEventListener("submit", (event) => event.preventDefault());
  $("turn").addEventListener("input", (event) => { const at = Number(event.target.value); state.look.turn = at >= view.turns ? null : at; refresh(); });
  $("density").addEventListener("input", (event) => { state.look.density = DENSITIES[event.target.value]; refresh(); });
  $("budget").addEventListener("input", (event) => { const at = Number(event.target.value); state.look.budget = at === 0 ? null : at > 100 ? "off" : at * state.step; refresh(); });
  for (const each of document.querySelectorAll("[name=colour]")) each.addEventListener("change", () => { state.colour = each.value; if (view) drawView(); });
  $("theme").addEventListener("click", () => theme(isDark() ? "light" : "dark"));
  for (const list of document.querySelectorAll("[role=tablist]")) tabs(list);
}

function tabs(list) {
  const all = [...list.children], group = list.dataset.tabs;
  const open = (tab) => {
    for (const each of all) {
      each.setAttribute("aria-selected", String(each === tab));
      each.tabIndex = each === tab ? 0 : -1;
      $(each.getAttribute("aria-controls")).hidden = each !== tab;
    }
    state.tabs[group] = tab.getAttribute("aria-controls");
    if (!view) return;
    if (group === "shown") drawText(); else { drawSection(); drawDetail(true); }
  };
  for (const [place, each] of all.entries()) {
    each.type = "button";
    each.addEventListener("click", () => open(each));
    each.addEventListener("keydown", (event) => {
      const to = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: all.length - 1 }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      const next = all[(to + all.length) % all.length];
      next.focus(); open(next);
    });
  }
  open(all[0]);
}

const isDark = () => (document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";

function theme(name) {
  if (name) document.documentElement.dataset.theme = name;
  $("theme").textContent = isDark() ? "Light" : "Dark";
}

listen();
theme();
follow();
