// Runs a file in CPython 3.14, which npm's pyodide compiles to WebAssembly: node run.mjs FILE, in the folder of packages.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { loadPyodide } = createRequire(`${process.cwd()}/`)("pyodide");
const python = await loadPyodide();
for (const [name, root] of [["site", `${process.cwd()}/site`], ["project", new URL("../..", import.meta.url).pathname]]) {
  python.FS.mkdir(`/${name}`);
  python.FS.mount(python.FS.filesystems.NODEFS, { root }, `/${name}`);
}
python.runPython('import sys; sys.path[:0] = ["/site", "/project"]');
python.runPython(readFileSync(process.argv[2], "utf8"));
