# Each target sets up what it needs in .venv, from Python 3.11+, make and a package index alone.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
ORACLES := .cache/conformance/.installed
SITE := .cache/site
AXE := .cache/browser/.installed
PYTHON314 := .cache/python314

FRAMEWORKS := google_adk agent_framework strands crewai

PYTHONS := 3.11 3.12 3.13 3.14
LOWEST := .venv-lowest
# One more worker than there are cores, as many tests wait; memory and disk make more than four slower.
WORKERS ?= -n $(shell $(PYTHON) -c 'import os; print(min(4, 1 + os.cpu_count()))') --dist worksteal
# The marks of what takes too long for "make test": "make laws" runs it. tests/long.toml lists it.
ELSEWHERE ?= laws or golden

PICTURES ?= docs/pictures

SEED ?= 1
DIALECT ?= gfm

# Whatever the shell says, bytecode is kept: many tests start Python anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo test golden laws browser browser-ready lowest pythons crash postgres postgres-crash mutations mutants lint types mypy pyright docs pictures pages release bench conformance corpus edits plugins formatters sdks frameworks engines python314 hosts faults history fuzz strangers budgets huds foresight pruning masking rules weights clean

help: ## Show this list
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

demo: $(VENV)/.base ## Replay a bundled session and show its HUD as its context fills up
	@$(BIN)/ujsx demo

test: $(VENV)/.test ## Run the tests (under four minutes on two cores)
	$(BIN)/python -m pytest $(WORKERS) -m "not ($(ELSEWHERE))" $(IGNORED)

golden: $(VENV)/.postgres ## Compare all that is stored, rendered, sent and exported with its hashes (DIFF=1 or a revision, UPDATE=1)
	@$(BIN)/python -m tests.golden $(if $(DIFF),--diff $(DIFF)) $(if $(OWN),--own) $(if $(UPDATE),--update)

laws: $(VENV)/.test ## Run the properties on more examples than "make test" does (N=20), and the tests that it leaves out as too long
	HYPOTHESIS_PROFILE=further UJSX_EXAMPLES=$(or $(N),20) $(BIN)/python -m pytest $(WORKERS) -m "hypothesis or $(ELSEWHERE)"

browser: browser-ready ## Drive `ujsx preview` and the playground in a real Chromium, and take the docs' pictures of it (PICTURES= for none)
	UJSX_PICTURES=$(PICTURES) $(BIN)/python -m pytest -q -rP -n 2 --dist loadfile tests/browser

browser-ready: $(VENV)/.browser $(AXE) $(PYTHON314)/.installed
	@$(BIN)/python -m tests.browser

lowest: ## Run the tests of what uses a dependency with the oldest versions of all, in .venv-lowest (ALL=1 for every test)
	@$(MAKE) --no-print-directory $(LOWEST)/.python VENV=$(LOWEST)
	@$(LOWEST)/bin/python -m tests.lowest > $(LOWEST)/constraints.txt
	@PIP_CONSTRAINT=$(LOWEST)/constraints.txt $(MAKE) --no-print-directory test VENV=$(LOWEST) ELSEWHERE=laws \
		IGNORED="$(if $(ALL),,$$($(LOWEST)/bin/python -m tests.lowest --ignored))"

pythons: ## Run the tests on each other Python that is there, 3.11 to 3.14, in .venv-3.11 and so on
	@own=$$($(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])'); \
	for version in $(PYTHONS); do \
		if [ $$version = $$own ]; then continue; fi; \
		if python$$version -c 'import ensurepip, sqlite3, ssl' 2>/dev/null; then \
			echo "python$$version:"; \
			$(MAKE) --no-print-directory test PYTHON=python$$version VENV=.venv-$$version ELSEWHERE=laws || exit; \
		else \
			echo "python$$version is not there, or cannot make environments"; \
		fi; \
	done

crash: $(VENV)/.test ## Kill all that use a store, N=200 times, fill disks, move files, interrupt everywhere, look for what is lost (25 minutes)
	UJSX_KILLS=$(or $(N),200) $(BIN)/python -m pytest -q -s tests/hud_runtime/store/test_crash.py \
		tests/hud_runtime/store/test_full_disk.py tests/hud_runtime/store/test_half_a_purge.py \
		tests/hud_runtime/session/test_interrupts.py tests/hud_runtime/integrations/test_told_again.py
	UJSX_KILLS=$(or $(N),200) $(BIN)/python -m pytest -q $(WORKERS) tests/hud_runtime/store/test_moved_files.py

postgres: $(VENV)/.postgres ## Run the tests of a store in PostgreSQL, on a server of its own (POSTGRES=folder of its binaries)
	UJSX_POSTGRES=1 $(BIN)/python -m pytest -q -n 2 --dist loadfile tests/hud_runtime/postgres hud_runtime/log/postgres

postgres-crash: $(VENV)/.postgres ## Kill writers and the PostgreSQL server itself N=100 times under load, look for what is lost
	UJSX_POSTGRES=1 UJSX_KILLS=$(or $(N),100) $(BIN)/python -m pytest -q -s tests/hud_runtime/postgres/test_crash.py

mutations: $(VENV)/.test ## Break the code in known ways, each of which a test must notice (ONLY=words)
	$(BIN)/python -m tests.mutations $(ONLY)

mutants: $(VENV)/.test ## Try 200 drawn changes of the code that guards tokens, hosts, the bridge and masks (10 minutes; ONLY=words, ALL=1 for every one)
	$(BIN)/python -m tests.mutants $(if $(ALL),--all) $(ONLY)

lint: $(VENV)/.lint ## Check style, formatting, words, spelling and the arrows between packages and rooms
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python docs/words.py
	$(BIN)/codespell README.md CHANGELOG.md docs ujsx hud_components hud_runtime

types: mypy pyright ## Check types with mypy and pyright, both strict (-j2 -O: beside each other)

mypy: $(VENV)/.types $(VENV)/.bench
	$(BIN)/mypy

pyright: $(VENV)/.types $(VENV)/.bench
	$(BIN)/pyright --project pyproject.toml
	$(BIN)/python -m pytest --quiet tests/typing

docs: $(VENV)/.docs ## Build the site into .cache/site/html, and check all that is in it (a few minutes; npm adds the playground)
	@mkdir -p $(SITE)/source
	@$(MAKE) --no-print-directory $(PYTHON314)/.installed || echo "the playground will have no Python"
	$(BIN)/python -m sphinx --builder html --write-all --conf-dir docs --jobs auto --fail-on-warning --keep-going --quiet \
		$(SITE)/source $(SITE)/html
	UJSX_SITE=$(SITE)/html $(BIN)/python -m pytest --quiet tests/docs/test_site.py tests/docs/test_search.py \
		tests/docs/test_pictures.py tests/docs/test_examples.py -k "site or Site or pictures or minute or why"
	@echo "$(SITE)/html/index.html"

pictures: $(VENV)/.docs ## Run what the pictures of the docs show, and make them anew
	$(BIN)/python docs/pictures.py

pages: $(VENV)/.test ## Write the generated parts of the docs anew
	$(BIN)/python docs/generated.py

release: $(VENV)/.release ## Build the sources and the wheel, check them, and try the wheel in an empty environment
	@$(BIN)/python -m tests.release

bench: $(VENV)/.bench ## Measure side by side with named peers, as ratios
	$(BIN)/python -m tests.benchmarks

conformance: $(VENV)/.test $(ORACLES) ## Measure against the specifications and beside remark (N=4000 trees a dialect)
	$(BIN)/python -m tests.conformance $(or $(N),4000) --seed $(SEED)

corpus: $(VENV)/.test $(ORACLES) ## Format the Markdown files of installed packages, and compare what GFM's readers show (DEFAULT=1: not canonical)
	$(BIN)/python -m tests.conformance.corpus $(if $(DEFAULT),--default)

edits: $(VENV)/.test $(ORACLES) ## Edit the same files through Document, and compare what GFM's readers show (FOLDER=path)
	$(BIN)/python -m tests.conformance.edits $(FOLDER)

plugins: $(VENV)/.test ## Read and write back the fixtures of markdown-it's plugins (FIXTURES=folder of a checkout's)
	$(BIN)/python -m tests.conformance.plugins $(FIXTURES)

formatters: $(VENV)/.bench $(VENV)/.test $(ORACLES) ## Format the same files beside prettier and mdformat
	$(BIN)/python -m tests.conformance.formatters

sdks: $(VENV)/.test $(VENV)/.sdks ## Run agents of nine SDKs with a HUD, and hold tool schemas against theirs, offline
	$(BIN)/python -m pytest $(WORKERS) tests/ujsx/schema tests/hud_runtime/mcp tests/docs \
		tests/hud_runtime/integrations hud_runtime/integrations
	@$(MAKE) --no-print-directory .venv-litellm/.litellm VENV=.venv-litellm
	LITELLM_LOCAL_MODEL_COST_MAP=True .venv-litellm/bin/python -m pytest \
		tests/hud_runtime/integrations/test_litellm.py hud_runtime/integrations/litellm.py \
		tests/ujsx/schema/test_sdks.py

frameworks: ## Run agents of Google's ADK, Microsoft's Agent Framework, Strands, CrewAI, DSPy and LlamaIndex with a HUD, offline
	@$(MAKE) --no-print-directory .venv-frameworks/.frameworks VENV=.venv-frameworks
	.venv-frameworks/bin/python -m pytest -W ignore::ImportWarning $(WORKERS) $(FRAMEWORKS:%=tests/hud_runtime/integrations/test_%.py) \
		$(FRAMEWORKS:%=hud_runtime/integrations/%.py)
	@$(MAKE) --no-print-directory .venv-proxied/.proxied VENV=.venv-proxied
	LITELLM_LOCAL_MODEL_COST_MAP=True .venv-proxied/bin/python -m pytest -q -W ignore::ResourceWarning \
		-W ignore::pytest.PytestUnraisableExceptionWarning tests/hud_runtime/integrations/test_proxied.py

python314: $(PYTHON314)/.installed ## Run the t-strings of Python 3.14, compiled to WebAssembly (fetches npm's pyodide)
	@cd $(PYTHON314) && node $(CURDIR)/tests/python314/run.mjs $(CURDIR)/tests/python314/t_strings.py

engines: ## Compile schemas with the engines of open models, in .venv-engines
	@$(MAKE) --no-print-directory .venv-engines/.engines VENV=.venv-engines
	.venv-engines/bin/python -m pip install --quiet --no-deps "xgrammar>=0.2.8"  # it asks for torch, for masks that are not made
	.venv-engines/bin/python -m pytest $(WORKERS) tests/ujsx/schema/test_engines.py

hosts: $(VENV)/.test $(VENV)/.hosts ## Run real coding agents with a HUD, offline, and print what they send (ROUNDS=5; fetches them with npm)
	@$(BIN)/python -m tests.hosts $(or $(ROUNDS),5)

faults: $(VENV)/.test $(VENV)/.sdks ## Let all go wrong for real agents and SDKs: killed, SECONDS=60 locked, a full disk, a broken component
	UJSX_LOCKED=$(or $(SECONDS),60) $(BIN)/python -m pytest -q tests/hud_runtime/integrations/test_faults.py
	@$(MAKE) --no-print-directory .venv-litellm/.litellm VENV=.venv-litellm
	UJSX_LOCKED=$(or $(SECONDS),60) LITELLM_LOCAL_MODEL_COST_MAP=True .venv-litellm/bin/python -m pytest -q \
		tests/hud_runtime/integrations/test_litellm.py
	@$(BIN)/python -m tests.hosts.faults $(or $(SECONDS),60)

history: $(VENV)/.test ## Make a database by running OpenCode offline, and drive every command of the history browser on it
	@$(BIN)/python -m tests.hosts 1 history

fuzz: $(VENV)/.test ## Write and read back N=60000 hostile trees (SEED=1, DIALECT=gfm or commonmark)
	$(BIN)/python -m tests.conformance.fuzz $(or $(N),60000) --seed $(SEED) --dialect $(DIALECT)

strangers: $(VENV)/.test ## Send N=10000 broken lines of MCP, and let 2,000 clients of HTTP leave their heads half-sent (two minutes)
	UJSX_LINES=$(or $(N),10000) UJSX_HALF_OPEN=2000 $(BIN)/python -m pytest -q -s tests/hud_runtime/mcp/test_any_line.py \
		tests/hud_runtime/serving/test_http.py

budgets: $(VENV)/.test ## Check the laws of budgets on N=10000 generated HUDs, and what they leave unspent
	$(BIN)/python -m tests.benchmarks.budget_laws $(or $(N),10000) --seed $(SEED)

huds: $(VENV)/.test ## Print ten HUDs of recorded sessions at 300, 150 and 60 tokens (FOLDER=transcripts)
	@$(BIN)/python -m tests.benchmarks.huds $(FOLDER)

foresight: $(VENV)/.bench ## Count how much of what comes next a HUD names, in recorded sessions (FOLDER=path)
	$(BIN)/python -m tests.benchmarks.foresight $(FOLDER)

pruning: $(VENV)/.test ## Count what pruning of tool outputs wins and loses, in recorded sessions (FOLDER=path)
	@$(BIN)/python -m tests.benchmarks.pruning $(FOLDER)

masking: $(VENV)/.test ## Count the secrets that are found in all dresses, and what is taken for one in a folder (FOLDER=path)
	@$(BIN)/python -m tests.benchmarks.masking $(FOLDER)

rules: $(VENV)/.bench ## Learn anew which words make a rule of the user
	$(BIN)/python -m tests.benchmarks.rule_words

weights: $(VENV)/.bench ## Fit the token estimate's letters beyond ASCII anew, to wheels from the package index (ALL=1: all its weights)
	$(BIN)/python -m tests.benchmarks.weights $(if $(ALL),--all)

clean: ## Remove the environment and caches
	rm -rf $(VENV) .venv-* .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .cache

$(VENV)/.python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "ujsx needs Python 3.11 or newer; set PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	@touch $@

$(VENV)/.base: $(VENV)/.python pyproject.toml
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.%: $(VENV)/.base
	$(BIN)/python -m pip install --quiet --group $*
	@touch $@

$(AXE): tests/browser/package.json
	@command -v npm >/dev/null || { echo "browser needs Node.js with npm, for axe-core"; exit 1; }
	@mkdir -p $(@D)
	@cp $< $(@D)
	npm install --prefix $(@D) --silent --no-audit --no-fund --no-package-lock
	@touch $@

$(PYTHON314)/.installed: tests/python314/package.json pyproject.toml $(VENV)/.python
	@command -v npm >/dev/null || { echo "Python 3.14 in WebAssembly needs Node.js 20 or newer with npm"; exit 1; }
	@mkdir -p $(@D)
	@cp $< $(@D)
	npm install --prefix $(@D) --silent --no-audit --no-fund --no-package-lock
	$(BIN)/python -m pip install --quiet --upgrade --target $(@D)/site --only-binary=:all: --python-version 3.14 \
		--implementation cp --abi cp314 --abi none --platform pyemscripten_2026_0_wasm32 --platform any \
		$$($(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"])')
	@touch $@

$(ORACLES): tests/conformance/package.json
	@command -v npm >/dev/null || \
		{ echo "conformance needs Node.js 18 or newer with npm, for the JavaScript readers"; exit 1; }
	@mkdir -p $(@D)
	@cp $< $(@D)
	npm install --prefix $(@D) --silent --no-audit --no-fund --no-package-lock
	@touch $@
