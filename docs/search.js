// The ranking of the site's search, in place of Sphinx's, whose box and list of results it uses. INDEX is before it.

// Words of the field and of these pages that mean the same here.
const ALIKE = [
  "accuracy accurate exact precise real", "ai llm model", "alert message notice notify warning",
  "allow approval approve ask confirm consent permission", "appear display preview show view visible", "args arguments parameters",
  "auth authentication login token", "auto automatic", "autocomplete checker completion editor ide lint linter mypy pyright",
  "ban forbid never prohibit rule", "begin launch start", "beginner quickstart start tutorial", "benchmark evaluation measurement",
  "bill billing cent cheap cost dollars euro expensive money pay price spend spent usd", "broken corrupt damaged malformed",
  "budget limit max maximum quota", "bug error mistake", "busy concurrent lock", "callback event hook", "chat conversation thread",
  "child delegate subagent", "cloud remote upload", "colleague everyone share shared team", "color style theme", "columns rows table",
  "compact compaction summarize summary", "compare comparison diff difference variant versus", "component part piece", "computer laptop machine",
  "concurrent parallel simultaneous", "condition conditional if", "config configuration configure settings setup",
  "constant deterministic fixed freeze frozen reproducible same", "container docker kubernetes", "continue resume", "crash kill",
  "credential login password secret", "customer person tenant", "cut reduce shorten shrink trim truncate", "dangerous destructive harmful risky",
  "dashboard hud panel", "database db sqlite store", "date time timestamp", "deactivate disable off uninstall", "debug explain inspect",
  "declare define definition describe", "delay fast latency milliseconds performance slow slower speed",
  "delete discard drop erase purge remove wipe", "demo example sample", "dependency prerequisite requirement", "deploy docker host server",
  "directory folder path", "duplicate repeated twice", "earlier history past previous yesterday", "environment variable",
  "error exception failure problem traceback", "escape inert injection sanitize", "exceed full overflow", "expose publish serve",
  "extension plug plugin", "fake mock scripted stub", "free license open", "function tool", "german language locale translate translation",
  "guideline instruction rule", "hide mask redact", "html page pdf web website", "human people person user", "idempotency idempotent repetition",
  "incorrect invalid nonsense wrong", "info information", "install setup", "isolation separate tenant", "javascript node typescript zod",
  "keep preserve retain", "layout template", "length size", "line sentence text", "logging metrics monitor observability telemetry traces tracing", "many multiple several",
  "migrate migration update upgrade", "missing omit skip", "order reorder sort", "override replace", "persist remember save store", "plan step todo",
  "postgres postgresql", "repeat retry", "revert rollback undo", "version versioning",
];

// Words of any question, which say little of what it is about.
const WEAK =
  "actual add change choose correct create custom different do example find get give good have help how keep know let make many multiple " +
  "need new nothing parameter possible problem put run same see set show simple start support take tell try use using want way work write";
const WEIGHT_OF_WEAK = 0.4;

// What a title adds of which the question has every word.
const OF_TITLE = 0.3;

// Part of what the best heading of its page has for each word, that a heading gets in place of its own.
const OF_PAGE = 0.15;

// Results at the start of which at most so many are of one page.
const FIRST = 5;
const OF_ONE_PAGE = 2;

// Results at most.
const SHOWN = 20;

for (const table of [INDEX.forms, INDEX.words]) Object.setPrototypeOf(table, null); // "constructor" is a word, too

const stemmer = new Stemmer();
const stem = (word) => INDEX.forms[word.toLowerCase()] ?? stemmer.stemWord(word.toLowerCase());
const weak = new Set(WEAK.split(" ").map(stem));
const alike = new Map();
for (const row of ALIKE) {
  const stems = row.split(" ").map(stem);
  for (const each of stems) alike.set(each, [...(alike.get(each) ?? []), ...stems]);
}

const asked = (query) => {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  const useful = words.filter((word) => word.length > 1 && !stopwords.has(word.toLowerCase()));
  return [...new Set((useful.length ? useful : words).map(stem))];
};

// Whether one word becomes the other by a letter more, less or other, or two that change places.
const isNear = (a, b) => {
  let start = 0;
  while (start < a.length && a[start] === b[start]) start += 1;
  const rests = [[1, 1], [1, 0], [0, 1]].map(([i, j]) => a.slice(start + i) === b.slice(start + j));
  return rests.some(Boolean) || (a[start] === b[start + 1] && a[start + 1] === b[start] && a.slice(start + 2) === b.slice(start + 2));
};

// The words of the index that a word of a question may mean, each with how surely.
const meanings = (word) => {
  const found = new Map(INDEX.words[word] ? [[word, 1]] : []);
  const add = (other, share) => INDEX.words[other] && !found.has(other) && found.set(other, share);
  const isKnown = found.size > 0;
  for (const other of alike.get(word) ?? []) add(other, isKnown ? 0.35 : 0.7);
  if (word.length > 3) for (const other in INDEX.words) if (other.startsWith(word)) add(other, 0.6);
  if (!found.size && word.length > 5) for (const other in INDEX.words) if (other.length > 3 && word.startsWith(other)) add(other, 0.5);
  if (!found.size && word.length > 3) for (const other in INDEX.words) if (isNear(word, other)) add(other, 0.5);
  return found;
};

// How much of a title a question has: "The HUD" is all of "What is a HUD?".
const titles = INDEX.headings.map(([, , title]) => asked(title));
const shareOfTitle = (place, words) => {
  const title = titles[place];
  return title.filter((word) => words.includes(word)).length / (title.length || 1);
};

const pages = INDEX.headings.map(([page]) => page);
const isName = (place) => pages[place].startsWith("look-up/reference/");

// Adds a word's score, and how much of the question it is, to what a heading or page has.
const addTo = (sums, key, [score, part]) => {
  const sum = sums.get(key) ?? [0, 0];
  sums.set(key, [sum[0] + score, sum[1] + part]);
};

const ranked = (query) => {
  const words = asked(query);
  const ofHeadings = new Map();
  const ofPages = new Map();
  let mass = 0;
  for (const word of words) {
    const atHeadings = new Map();
    const atPages = new Map();
    const weight = weak.has(word) ? WEIGHT_OF_WEAK : 1;
    let rarity = 0;
    for (const [other, share] of meanings(word)) {
      const [rare, ...places] = INDEX.words[other];
      const part = weight * share * rare;
      rarity = Math.max(rarity, part);
      for (let i = 0; i < places.length; i += 2) {
        const score = part * places[i + 1];
        if (score > (atHeadings.get(places[i])?.[0] ?? 0)) atHeadings.set(places[i], [score, part]);
        const page = pages[places[i]];
        if (score > (atPages.get(page)?.[0] ?? 0)) atPages.set(page, [score, part]);
      }
    }
    mass += rarity;
    for (const [place, sum] of atHeadings) addTo(ofHeadings, place, sum);
    for (const [page, sum] of atPages) addTo(ofPages, page, sum);
  }
  const found = [...ofHeadings].map(([place, [own, ownPart]]) => {
    const [all, allPart] = ofPages.get(pages[place]);
    const share = isName(place) ? 0 : OF_PAGE;
    const score = own + share * (all - own);
    const part = ownPart + share * (allPart - ownPart);
    return [place, score * (part / mass) * (1 + OF_TITLE * shareOfTitle(place, words))];
  });
  found.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return found;
};

// Results of which the first ones are of several pages; further headings of the same pages come after them.
const spread = (found) => {
  const counts = new Map();
  const first = [];
  const rest = [];
  for (const each of found) {
    const page = pages[each[0]];
    const count = (counts.get(page) ?? 0) + 1;
    counts.set(page, count);
    (first.length < FIRST && count <= OF_ONE_PAGE ? first : rest).push(each);
  }
  return [...first, ...rest];
};

// Public names that end with what was asked, such as "HudStore.open".
const named = (query) => {
  const name = query.trim().toLowerCase();
  if (!name || /\s/.test(name)) return [];
  return Search.performObjectSearch(name, new Set([name])).filter((each) => `.${each[1]}`.toLowerCase().endsWith(`.${name}`));
};

// Results as Sphinx shows them, the last one first: page, title, anchor, description, score, file, kind.
Search._performSearch = (query) => {
  const { docnames, filenames } = Search._index;
  const results = named(query);
  const shown = new Set(results.map(([page, , anchor]) => page + anchor));
  const found = spread(ranked(query)).slice(0, SHOWN).map(([place, score]) => {
    const [page, anchor, title] = INDEX.headings[place];
    const at = docnames.indexOf(page);
    return [page, anchor && !isName(place) ? `${Search._index.titles[at]} > ${title}` : title, anchor && `#${anchor}`, null, Math.round(score), filenames[at], "title"];
  });
  results.push(...found.filter(([page, , anchor]) => !shown.has(page + anchor)));
  return results.slice(0, SHOWN).reverse();
};
