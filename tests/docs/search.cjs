// Asks the search of a built site: node search.cjs SITE < questions as JSON. Prints the places that it finds for each.
//
// The scripts of the page of results run as in a browser, deferred ones last, on a page without content.
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { createContext, runInContext } = require("node:vm");

const site = process.argv[2];
const element = () => ({ querySelectorAll: () => [], appendChild: (child) => child });
const document = { readyState: "loading", addEventListener() {}, getElementById: element, documentElement: element() };
const page = createContext({ document, SPHINX_HIGHLIGHT_ENABLED: false });
page.window = page;

const tags = [...readFileSync(join(site, "search.html"), "utf8").matchAll(/<script([^>]*)src="([^"?]+)/g)];
const own = tags.filter(([, , name]) => !/furo|sphinx_highlight|documentation_options|doctools/.test(name));
const isDeferred = ([, attributes]) => attributes.includes("defer");
runInContext("const _ready = () => {}, _ = (text) => text;", page);
for (const [, , name] of [...own.filter((tag) => !isDeferred(tag)), ...own.filter(isDeferred)]) {
  runInContext(readFileSync(join(site, name), "utf8"), page, { filename: name });
}
const ask = runInContext("(query) => Search._performSearch(...Search._parseQuery(query)).reverse()", page);
const questions = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(questions.map((question) => [...ask(question)].map(([name, , anchor]) => name + anchor))));
