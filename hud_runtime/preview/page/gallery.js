// The gallery: a search over its examples, and, where it is served, the page again when a file changes.
"use strict";
const search = document.getElementById("search");
const found = document.getElementById("found");
const examples = [...document.querySelectorAll(".example")];
const texts = examples.map((each) => each.closest("section").querySelector("h2").textContent.toLowerCase() + " " + each.textContent.toLowerCase());

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  examples.forEach((each, at) => {
    each.hidden = !words.every((word) => texts[at].includes(word));
    count += !each.hidden;
  });
  for (const section of document.querySelectorAll("main > section")) {
    const inside = [...section.querySelectorAll(".example")];
    section.hidden = inside.length > 0 && inside.every((each) => each.hidden);
  }
  found.textContent = words.length ? `${count} of ${examples.length} examples` : `${examples.length} examples`;
}

try {
  search.value = decodeURIComponent(location.hash.slice(1));
} catch {} // somebody else's fragment
search.addEventListener("input", () => {
  location.replace("#" + encodeURIComponent(search.value));
  show();
});
show();

async function follow() {
  let known = null;
  for (;;) {
    try {
      const answer = await (await fetch("/data/changes" + (known === null ? "" : "?known=" + known))).json();
      if (known !== null && answer.revision !== known) location.reload();
      known = answer.revision;
    } catch {
      await new Promise((wake) => setTimeout(wake, 2000));
    }
  }
}
if (document.documentElement.dataset.live) follow();
