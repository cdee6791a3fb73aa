// The ranking of the site's search, in place of Sphinx's, whose box and list of results it uses. INDEX is before it.

// Words of the field and of these pages that mean the same here.
const ALIKE = [
  "ai llm model", "approve confirm permission", "arguments args parameters", "authentication auth login token", "automatic auto",
  "begin start launch", "budget limit maximum max quota", "busy lock concurrent", "chat conversation thread", "customer tenant person",
  "columns rows table", "compaction compact summarize summary", "condition conditional if", "config configuration configure settings setup",
  "corrupt damaged malformed broken", "crash kill", "database db sqlite store", "date time timestamp", "debug inspect explain",
  "delete erase purge remove wipe", "deploy docker host server", "disable off uninstall", "duplicate repeated twice",
  "environment variable", "error exception failure traceback", "escape inert injection", "example sample", "expose publish serve",
  "function tool", "hide mask redact", "history past previous", "idempotency idempotent repetition", "info information",
  "install setup", "isolation separate tenant", "language locale translate translation", "latency performance slow speed",
  "message notice warning", "monitor metrics observability telemetry traces tracing", "money cost price expensive",
  "overflow full exceed", "override replace", "persist save store", "plugin extension", "postgres postgresql", "preview display view",
  "reduce shorten shrink trim truncate", "reorder order sort", "repeat retry", "resume continue", "revert rollback undo",
  "size length", "skip omit missing", "style theme color", "subagent child delegate", "team share shared", "todo plan step",
  "template layout", "update upgrade migrate migration", "version versioning",
];

// Words of any question, which say little of what it is about.
const WEAK =
  "actual add change choose correct create custom different do example find get give good have help how keep know let make many multiple " +
  "need new nothing parameter possible problem put run same see set show simple start support take tell try use using want way work write";
const WEIGHT_OF_WEAK = 0.4;

// What a title adds of which the question has every word.
const OF_TITLE = 0.3;

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
  for (const other of alike.get(word) ?? []) add(other, 0.7);
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

const ranked = (query) => {
  const words = asked(query);
  const scores = new Map(); // of headings
  const masses = new Map(); // how much of the question each heading has
  let mass = 0;
  for (const word of words) {
    const best = new Map();
    const weight = weak.has(word) ? WEIGHT_OF_WEAK : 1;
    let rarity = 0;
    for (const [other, share] of meanings(word)) {
      const [rare, ...places] = INDEX.words[other];
      rarity = Math.max(rarity, weight * share * rare);
      for (let i = 0; i < places.length; i += 2) {
        const score = weight * share * rare * places[i + 1];
        if (score > (best.get(places[i])?.[0] ?? 0)) best.set(places[i], [score, weight * share * rare]);
      }
    }
    mass += rarity;
    for (const [place, [score, part]] of best) {
      scores.set(place, (scores.get(place) ?? 0) + score);
      masses.set(place, (masses.get(place) ?? 0) + Math.min(part, rarity));
    }
  }
  const found = [...scores].map(([place, score]) => [place, score * (masses.get(place) / mass) * (1 + OF_TITLE * shareOfTitle(place, words))]);
  found.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
  return found;
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
  const before = new Map(); // how many headings of a page came before: further ones come later
  const found = ranked(query).slice(0, SHOWN).map(([place, score]) => {
    const [page, anchor, title] = INDEX.headings[place];
    const count = before.get(page) ?? 0;
    before.set(page, count + 1);
    const at = docnames.indexOf(page);
    const isPart = anchor && !page.startsWith("look-up/reference/");
    return [page, isPart ? `${Search._index.titles[at]} > ${title}` : title, anchor && `#${anchor}`, null, Math.round(score * 0.8 ** count), filenames[at], "title"];
  });
  found.sort((a, b) => b[4] - a[4]);
  results.push(...found.filter(([page, , anchor]) => !shown.has(page + anchor)));
  return results.slice(0, SHOWN).reverse();
};
