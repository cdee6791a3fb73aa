"""The commands that check something, and the arguments that narrow them: a table by tool, and by the name of a task."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, TypeAlias

CheckKind: TypeAlias = Literal[
    "test", "build", "types", "lint", "format", "packages", "git", "script"
]
"""What is checked; a script is a program that is run to see what it does."""


@dataclass(frozen=True, slots=True)
class CheckTool:
    """A tool that checks something."""

    kind: CheckKind

    chain: str = ""
    """The tool chain whose words its output has; any, where nothing is said."""

    narrows: frozenset[str] = frozenset()
    """Options that leave only a part of the check: each with a value."""

    takes: frozenset[str] = frozenset()
    """Other options with a value behind them."""

    names: int = 0
    """How many operands say what is run, such as a task's name, and not on what."""

    needs: frozenset[str] = frozenset()
    """Options without which it checks nothing, such as the file that a database is to run; ``<`` is its input."""


def _of(kind: CheckKind, chain: str, names: str, *, narrows: str = "", takes: str = "", operands: int = 0, needs: str = "") -> dict[str, CheckTool]:  # fmt: skip
    """Tools of one kind, by their names: divided by commas, their options by spaces."""
    tool = CheckTool(
        kind,
        chain,
        frozenset(narrows.split()),
        frozenset(takes.split()),
        operands,
        frozenset(needs.split()),
    )
    return dict.fromkeys(names.split(", "), tool)


_JS = "-t --testNamePattern --grep -g --testPathPattern --project --shard"
_GO = "-count -timeout -parallel -p -o -ldflags -coverprofile -bench -benchtime -cpu"
_DOTNET = "-c --configuration -v --verbosity -f --framework -r --runtime -o --output -l --logger -s --settings"
_CARGO = "--features --target --profile --message-format -j --color --manifest-path -Z"
_C = "-o -I -L -l -isystem -include -x -MF -MT"
_IMAGE = "-t --tag -f --file --platform --build-arg --target --progress --label --cache-from --cache-to --output -o"
_TASK = "-C -f --prefix --filter -w -d --dir --cwd -j --jobs"

TOOLS: Mapping[str, CheckTool] = MappingProxyType(
    {
        # tests
        **_of("test", "pytest", "pytest, py.test, ptw", narrows="-k -m --deselect --ignore", takes="-n -p -c -o -W --tb --maxfail --durations --rootdir --cov --cov-report --timeout --color -r --log-cli-level --junitxml"),
        **_of("test", "", "tox, nox", narrows="-e -s"),
        **_of("test", "unittest", "unittest, manage.py test, nose2, trial", narrows="-k", takes="-s -p -t --settings -v --verbosity"),
        **_of("test", "jest", "jest, mocha, ava, cypress run, bun test, deno test, tap, jasmine", narrows=f"{_JS} --spec", takes="--config -c --reporter --timeout --maxWorkers -w --workers --require -r"),
        **_of("test", "playwright", "playwright test", narrows=f"{_JS} --last-failed", takes="--config -c --reporter --workers -j --retries"),
        **_of("test", "vitest", "vitest", narrows=_JS, takes="--reporter --config -c --environment --pool --root"),
        **_of("test", "", "react-scripts test, ng test, nyc, c8, pnpm test, yarn test, npm test, npm t, npm tst, composer test"),
        **_of("test", "node", "node --test", narrows="--test-name-pattern", takes="--import --require -r"),
        **_of("test", "go", "go test, gotestsum, ginkgo", narrows="-run -tags --focus", takes=_GO),
        **_of("test", "cargo", "cargo test, cargo nextest run", narrows="-p --package --test --bin --bench --example", takes=_CARGO),
        **_of("test", "ruby", "rspec, rails test, ruby -Itest", narrows="-e -n", takes="-f --format"),
        **_of("test", "php", "phpunit, pest, artisan test", narrows="--filter --testsuite --group", takes="-c --configuration"),
        **_of("test", "java", "mvn, mvnw, gradle, gradlew, sbt, ant, bb", narrows="-Dtest -pl --tests --projects", takes="-f -P -x -T --console", operands=9),
        **_of("test", "dotnet", "dotnet test", narrows="--filter", takes=_DOTNET),
        **_of("test", "swift", "swift test", narrows="--filter", takes="-c"),
        **_of("test", "elixir", "mix test", narrows="--only", takes="--seed"),
        **_of("test", "", "ctest", narrows="-R -L", takes="--test-dir -C -j -E --timeout --preset"),
        **_of("test", "dart", "flutter test, dart test", narrows="--name --plain-name"),
        **_of("test", "", "lein test, stack test, cabal test, dune test, zig build test, meson test, buck2 test, julia test, hatch test, rails spec, prove, bats"),
        **_of("test", "bazel", "bazel test, bazel coverage", narrows="--test_filter", takes="-c --config"),
        # builds
        **_of("build", "dotnet", "dotnet build, dotnet publish, dotnet restore, msbuild", takes=_DOTNET),
        **_of("build", "swift", "swift build, xcodebuild", narrows="-scheme", takes="-c -configuration -destination -project -workspace -sdk"),
        **_of("build", "go", "go build, go install, go generate", takes=f"{_GO} -tags"),
        **_of("build", "cargo", "cargo build, cargo check, cargo run, cargo doc, rustc, wasm-pack", narrows="-p --package --bin --example", takes=f"{_CARGO} -o"),
        **_of("build", "", "make, gmake, ninja, cmake, meson, scons, buck2, pants, zig build, stack build, cabal build, dune build, nmake, colcon, west", narrows="--build", takes="-C -f -j -B -S -G -D -t --target --config --preset --parallel --directory", operands=9),
        **_of("build", "bazel", "bazel", takes="-c --config", operands=9),
        **_of("build", "gcc", "gcc, g++, cc, c++, clang, clang++", takes=_C),
        **_of("build", "java", "javac, kotlinc, scalac", takes="-d -cp -classpath"),
        **_of("build", "tsc", "next build, webpack, esbuild, rollup, tsup, parcel, ng build, nuxt build, swc", takes="-c --config -o --outfile --outdir"),
        **_of("build", "vite", "vite build, astro build, gatsby build, svelte-kit build, remix build, react-scripts build, npm build, pnpm build, yarn build, expo export"),
        **_of("build", "docker", "docker build, docker compose build, podman build, buildah bud", takes=_IMAGE),
        **_of("build", "terraform", "terraform, tofu, terragrunt, pulumi", takes="-chdir", operands=1),
        **_of("build", "", "helm, ansible-playbook, sam build, cdk, serverless, mkdocs build, sphinx-build, hugo, quarto render, mix compile, flutter build, poetry build, uv build, hatch build, twine check, protoc, buf, lake build, forge build", takes="-f -i -n"),
        **_of("test", "", "forge test, hardhat test, anchor test, dbt, great_expectations", operands=1),
        # types, lint, formatting
        **_of("types", "tsc", "tsc, vue-tsc, svelte-check, astro check, tsd", narrows="-p --project", takes="--target --module --tsconfig"),
        **_of("types", "mypy", "mypy, dmypy", narrows="-p -m", takes="--config-file --python-version --exclude"),
        **_of("types", "pyright", "pyright, basedpyright", takes="-p --project"),
        **_of("types", "ruff", "ty check, pyre"),
        **_of("types", "php", "phpstan, psalm", takes="-c -l --level --memory-limit", operands=1),
        **_of("lint", "eslint", "eslint, oxlint, stylelint, xo, standard, next lint, ng lint", takes="--ext -c --config --max-warnings --format -f"),
        **_of("lint", "eslint", "biome", operands=1),
        **_of("lint", "", "deno check, deno lint, knip, markdownlint, markdownlint-cli2, yamllint, actionlint, commitlint, cspell, codespell, hadolint, ansible-lint, tflint, checkov, trivy, semgrep, vale, bandit, lint-imports, swiftlint, ktlint, detekt, credo, sqlfluff, proselint, reuse"),
        **_of("lint", "ruff", "ruff check, flake8, pylint, pyflakes, pycodestyle, vulture", takes="--select --ignore --config --output-format --extend-select --rcfile --disable"),
        **_of("lint", "go", "go vet, staticcheck, revive"),
        **_of("lint", "golangci-lint", "golangci-lint", takes="--timeout -c --config", operands=1),
        **_of("lint", "cargo", "cargo clippy, cargo deny, cargo audit", narrows="-p --package", takes=_CARGO),
        **_of("lint", "shellcheck", "shellcheck", takes="-s -e -x -S"),
        **_of("lint", "ruby", "rubocop, standardrb"),
        **_of("lint", "dart", "flutter analyze, dart analyze"),
        **_of("lint", "", "pre-commit, prek, lefthook", operands=2),
        **_of("format", "cargo", "cargo fmt, rustfmt"),
        **_of("format", "black", "black, isort, ruff format, autopep8, yapf", takes="-l --line-length --config --profile"),
        **_of("format", "prettier", "prettier", takes="--config --parser"),
        **_of("format", "", "mix format, dart format, dotnet format, clang-format, terraform fmt, dprint, shfmt, buildifier"),
        # whatever a project calls its tasks
        **_of("script", "", "mise run, mise, just, task, npm run, npm run-script, pnpm run, yarn run, bun run, deno task, composer run, composer run-script, rake, turbo run, turbo, nx run, nx, lerna run, poe, invoke, inv, doit, grunt, gulp, moon run, pdm run, hatch run, rails, bin/rails", takes=_TASK, operands=1),
        **_of("lint", "", "pnpm lint, yarn lint"),
        **_of("types", "", "pnpm typecheck, yarn typecheck, pnpm tsc, yarn tsc"),
        # data
        **_of("script", "sql", "psql, mysql, mariadb", takes="-h -U -u -d -p -P -v -D -f", needs="-f <"),
        **_of("script", "sql", "sqlite3", needs="<"),
        **_of("packages", "", "alembic, flyway, liquibase, manage.py migrate, manage.py check, prisma migrate, prisma generate, prisma db, knex, sequelize, typeorm, drizzle-kit, goose, dbmate", operands=1),
        # packages, and what else is set up: of note when it fails
        **_of("packages", "docker", "docker compose up", takes="-f --file -p --profile --scale"),
        **_of("packages", "", "kubectl apply", takes="-f -n"),
        **_of("packages", "npm", "npm install, npm ci, npm i, npm add, npm uninstall, npm update, pnpm install, pnpm add, pnpm i, pnpm update, yarn install, yarn add, bun install, bun add, bun i"),
        **_of("packages", "pip", "pip install, pip3 install, uv sync, uv add, uv lock, uv remove, poetry install, poetry add, poetry lock, poetry update, pdm install, pdm add, pdm sync, pipenv install, conda install, mamba install, pixi add, pixi install, pipx install"),
        **_of("packages", "pip", "uv pip", operands=1),
        **_of("packages", "ruby", "bundle install, bundle update, gem install"),
        **_of("packages", "php", "composer install, composer require, composer update"),
        **_of("packages", "apt", "apt-get install, apt-get update, apt install, apt update, brew install, apk add, dnf install, yum install, pacman -S"),
        **_of("packages", "cargo", "cargo add, cargo update, cargo install"),
        **_of("packages", "go", "go mod", operands=1),
        **_of("packages", "go", "go get, go work"),
        **_of("packages", "dotnet", "dotnet add, dotnet tool"),
        **_of("packages", "dart", "flutter pub, dart pub", operands=1),
    }
)  # fmt: skip
"""The tools that check, by name; of a program with commands of its own, by both words."""

KINDS: Mapping[str, frozenset[CheckKind]] = MappingProxyType(
    {
        chain: frozenset(tool.kind for tool in TOOLS.values() if tool.chain == chain)
        for chain in {tool.chain for tool in TOOLS.values() if tool.chain}
    }
)
"""What the tools of a chain check: its words are theirs."""

GIT = frozenset([
    "merge", "rebase", "cherry-pick", "revert", "pull", "push", "commit", "stash", "checkout", "switch", "am", "apply",
    "fetch", "clone",
])  # fmt: skip
"""What of git may fail in a way that matters later."""

TASK_KINDS: tuple[tuple[str, CheckKind], ...] = (
    (r"test|spec|e2e|ci\b|check\b|verify", "test"),
    (r"lint|clippy|vet", "lint"),
    (r"type|tsc|mypy|pyright", "types"),
    (r"fmt|format|prettier", "format"),
    (r"build|compile|bundle|dist", "build"),
)
"""What a project's own task checks, by words in its name; the first that fits."""

JAVA_KINDS: tuple[tuple[str, CheckKind], ...] = (
    (r"lint|spotless|checkstyle|detekt|pmd", "lint"),
    (r"compile|assemble|classes\b|jar\b|clean\b", "build"),
)
"""The same of the tasks of tools that test with what is not among these."""

INSTALLS = frozenset({"install", "ci", "i", "sync", "tidy", "restore"})
"""What sets up all packages, so that the same manager's other failures are over."""

QUIET_TASKS = re.compile(
    r"(?:dev|start|serve|watch|preview|clean|help|ls|list|run|storybook|logs?)\b"
)
"""Tasks that check nothing."""
