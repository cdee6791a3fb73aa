// The playground's page, and the worker in which Python runs: the same file, told apart by whether there is a document.

const SLOWEST = 10_000; // milliseconds that what was written may take, before it is stopped
const PAUSE = 120; // milliseconds without a key, before what was written is run
const MISSING = "This site was built without Python for the browser: run `make docs` with npm, and open it through a file server.";

if (globalThis.document === undefined) {
  await work();
} else {
  page();
}

/** Load Python and the library, then answer each question with what playground.py returns. */
async function work() {
  const from = (name) => new URL(name, import.meta.url).href;
  const read = async (name) => {
    const answer = await fetch(from(name));
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return answer;
  };
  const packages = read("runtime/packages.zip").then((answer) => answer.arrayBuffer());
  const texts = Promise.all(["playground.py", "examples.md"].map((name) => read(name).then((answer) => answer.text())));
  const { loadPyodide } = await import(from("runtime/pyodide.mjs"));
  const python = await loadPyodide({ indexURL: from("runtime/") });
  python.unpackArchive(await packages, "zip", { extractDir: "/packages" });
  const [code, examples] = await texts;
  python.FS.writeFile("/packages/playground.py", code);
  python.runPython('import sys; sys.path.insert(0, "/packages")');
  const playground = python.pyimport("playground");
  postMessage({ examples: JSON.parse(playground.examples(examples)) });
  onmessage = ({ data }) => postMessage({ ...JSON.parse(playground.show(data.source, data.view, data.attack)), number: data.number });
}

/** Run what is written, show it, and keep it in the address. */
function page() {
  const at = (id) => document.getElementById(id);
  const tabs = [...document.querySelectorAll("[role=tab]")];
  const written = read();
  let worker, isReady, isStopped, number = 0, timer, guard;

  function start() {
    isReady = false;
    const script = `import(${JSON.stringify(import.meta.url)}).catch((error) => postMessage({ missing: String(error) }));`;
    worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })), { type: "module" });
    worker.onmessage = ({ data }) => (data.missing ? miss(data.missing) : data.examples ? ready(data.examples) : answer(data));
  }

  function miss(error) {
    at("status").textContent = MISSING;
    show({ fault: error });
  }

  function ready(examples) {
    isReady = true;
    if (at("examples").length === 0) {
      examples.forEach(({ title }, index) => at("examples").add(new Option(title, index)));
      at("examples").onchange = () => { at("source").value = examples[at("examples").value].source; run(); };
      if (written.source === undefined) at("source").value = examples[0].source;
      else at("examples").selectedIndex = -1;
    }
    if (isStopped) at("status").textContent = "Change the text to run it again.";
    else run();
  }

  function run() {
    isStopped = false;
    keep();
    if (!isReady) return;
    number += 1;
    at("status").textContent = "Running …";
    worker.postMessage({ source: at("source").value, view: written.view, attack: at("attack").value.replaceAll("\\n", "\n"), number });
    clearTimeout(guard);
    guard = setTimeout(stop, SLOWEST);
  }

  function stop() {
    isStopped = true;
    worker.terminate();
    show({ fault: `This did not end within ${SLOWEST / 1_000} seconds, and was stopped.` });
    at("status").textContent = "Loading Python …";
    start();
  }

  function answer(data) {
    if (data.number !== number || !isReady) return;
    clearTimeout(guard);
    at("status").textContent = "";
    show(data);
  }

  function show({ fault, excerpt, blocks }) {
    at("blocks").dataset.number = number;
    at("fault").hidden = fault === undefined;
    at("fault").textContent = [fault, excerpt].filter(Boolean).join("\n");
    if (blocks === undefined) return; // the last good view stays beside the fault
    at("blocks").replaceChildren(...blocks.map(({ title, text }) => {
      const section = document.createElement("section");
      const heading = section.appendChild(document.createElement("h2"));
      heading.textContent = title;
      section.appendChild(document.createElement("pre")).textContent = text;
      return section;
    }));
  }

  function choose(view) {
    written.view = view;
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", tab.dataset.view === view);
      tab.tabIndex = tab.dataset.view === view ? 0 : -1;
    }
    at("attacking").hidden = view !== "hostile";
  }

  /** What the address holds: the text in base64url, and the view. */
  function read() {
    const given = new URLSearchParams(location.hash.slice(1));
    const view = tabs.some((tab) => tab.dataset.view === given.get("view")) ? given.get("view") : "tiers";
    try {
      const bytes = atob(given.get("text").replaceAll("-", "+").replaceAll("_", "/"));
      const source = new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(bytes, (each) => each.charCodeAt(0)));
      return { view, source: source || undefined };
    } catch { // no text, or a broken one: the first example is shown
      return { view };
    }
  }

  function keep() {
    const bytes = Array.from(new TextEncoder().encode(at("source").value), (each) => String.fromCharCode(each)).join("");
    const text = btoa(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
    history.replaceState(null, "", `#view=${written.view}&text=${text}`);
  }

  for (const [index, tab] of tabs.entries()) {
    tab.onclick = () => { choose(tab.dataset.view); run(); };
    tab.onkeydown = ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (step) { const next = tabs.at((index + step) % tabs.length); next.focus(); next.click(); }
    };
  }
  for (const id of ["source", "attack"]) {
    at(id).oninput = () => { clearTimeout(timer); timer = setTimeout(run, PAUSE); };
  }
  onhashchange = () => location.reload();
  choose(written.view);
  if (written.source !== undefined) at("source").value = written.source;
  start();
}
