# Needs Python 3.11 or newer, git and make. `make verify` also needs Node with npm, and aapt2 (it installs
# what it can). Everything else comes from the locked files in requirements/ and checks/.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
INTERPRETER := $(BIN)/python$(if $(filter Windows_NT,$(OS)),.exe)
RUNTIME := $(VENV)/.runtime
DEVELOPMENT := $(VENV)/.development
CHECKERS := .checkers/.installed
PYTEST := $(INTERPRETER) -m pytest -n auto --dist loadgroup
INSTALL := $(INTERPRETER) -m pip install --quiet --disable-pip-version-check
EMULATOR_TESTS := tests/emulator tests/testing $(wildcard tests/cli/test_emulator*.py)
MIGRATE_TESTS := tests/migrate $(wildcard tests/commands/test_migrat*.py) tests/examples/test_migration.py
ACTION_TESTS := tests/action
LOWEST := .venv-lowest
AUDIT := .venv-audit
BUILD := .venv-build
SITE := .venv-docs
INSTALLERS := .venv-installers
DIST ?= dist
# The tests start hundreds of commands: where Python keeps nothing compiled, each would compile the whole package again.
unexport PYTHONDONTWRITEBYTECODE
COMPILE := $(INSTALLERS)/$(notdir $(BIN))/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

.DEFAULT_GOAL := help
.PHONY: help demo test test-core test-emulator test-migrate test-action campaigns strict lowest check swift verify counts names docs docs-site screenshots compare bench budgets faults kills mutants coverage libraries secrets security load year fuzz damages wrong-green lock wheels audit release clean
.PHONY: check-lint check-layout check-types check-imports check-docs check-workflows check-house check-shape check-prose check-wheels

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' Makefile

demo: $(RUNTIME) ## run the main workflow on the embedded emulator, without an account or a network
	@$(INTERPRETER) -m tokensync demo

test: $(DEVELOPMENT) ## the tests of the product; ARGS="-k naming" narrows them down
	$(PYTEST) -m "not campaign" $(ARGS)

test-core: $(DEVELOPMENT) ## of these, those of the core: without the emulator, migrations and the action
	$(PYTEST) -m "not campaign" $(addprefix --ignore=,$(EMULATOR_TESTS) $(MIGRATE_TESTS) $(ACTION_TESTS)) $(ARGS)

test-emulator: $(DEVELOPMENT) ## the tests of the emulator, its commands and the fixture
	$(PYTEST) $(EMULATOR_TESTS) $(ARGS)

test-migrate: $(DEVELOPMENT) ## the tests of migrations and their commands
	$(PYTEST) $(MIGRATE_TESTS) $(ARGS)

test-action: $(DEVELOPMENT) ## the tests of the GitHub Action
	$(PYTEST) $(ACTION_TESTS) $(ARGS)

campaigns: $(DEVELOPMENT) ## what `make test` leaves out: the repository's own rules, long campaigns, more examples of properties
	$(PYTEST) -m "campaign or hypothesis" --hypothesis-profile campaign $(ARGS)

strict: $(DEVELOPMENT) ## the tests with every warning as an error, in all processes, and without the UTF-8 mode of Python 3.15
	PYTHONUTF8=0 PYTHONDEVMODE=1 PYTHONWARNDEFAULTENCODING=1 PYTHONWARNINGS=error $(PYTEST) $(ARGS)

lowest: ## the tests with the lowest versions that pyproject.toml allows, in an environment of their own
	$(MAKE) --no-print-directory test VENV=$(LOWEST)

check: check-lint check-layout check-types check-imports check-docs check-workflows check-house check-shape check-prose check-wheels ## lint, layout, types, import direction, docs, workflows, house rules, shape, prose, wheels

check-lint: $(DEVELOPMENT)
	$(BIN)/ruff check --quiet
check-layout: $(DEVELOPMENT)
	$(BIN)/ruff format --check --quiet
check-types: $(DEVELOPMENT)
	$(BIN)/mypy --no-error-summary
	$(BIN)/mypy --no-error-summary checks
check-imports: $(DEVELOPMENT)
	$(BIN)/lint-imports --no-logo
check-docs: $(DEVELOPMENT)
	$(INTERPRETER) checks/problem_pages.py --check
	$(INTERPRETER) checks/template_pages.py --check
	$(INTERPRETER) checks/reference_pages.py --check
	$(INTERPRETER) checks/option_schemas.py --check
	$(INTERPRETER) checks/openapi_document.py --check
	$(INTERPRETER) checks/generator_counts.py --check
check-workflows: $(DEVELOPMENT)
	$(BIN)/zizmor --quiet --offline --no-progress --strict-collection --persona auditor .github action.yml examples/github-action/*.yml examples/testing/*.yml
	$(BIN)/jactionlint --shellcheck=
	$(BIN)/jactionlint --shellcheck= --ignore='is not found in the repository' examples/github-action/*.yml examples/testing/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml examples/github-action/*.yml examples/testing/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-issue-forms .github/ISSUE_TEMPLATE/bug.yml .github/ISSUE_TEMPLATE/idea.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.compose-spec packaging/docker/compose.yaml
	$(BIN)/check-jsonschema --builtin-schema vendor.gitlab-ci --data-transform gitlab-ci examples/gitlab-ci/*.yml
check-house: $(DEVELOPMENT)
	$(INTERPRETER) checks/house_rules.py
check-shape: $(DEVELOPMENT)
	$(INTERPRETER) checks/shape.py
check-prose: $(DEVELOPMENT)
	git ls-files -z -- . ':!requirements' ':!*package-lock.json' ':!*/goldens/*' ':!config/openapi.json' | xargs -0 $(BIN)/codespell

check-wheels: $(DEVELOPMENT)
	$(INTERPRETER) checks/wheels.py

wheels: $(DEVELOPMENT) $(INSTALLERS)/.installed ## wheels of the newest allowed versions, which pip installs, on each system
	$(INTERPRETER) checks/wheels.py --newest

swift: $(DEVELOPMENT) ## a Swift compiler for `make verify`, where there is none: Debian's, as root, 3 GB
	$(INTERPRETER) checks/install_swift.py

verify: $(DEVELOPMENT) $(CHECKERS) $(SITE)/.installed $(INSTALLERS)/.installed ## run external checkers on the generated code; fail if one is missing
	TOKENSYNC_REQUIRE_CHECKERS=1 $(PYTEST) -m outside $(ARGS)

counts: $(DEVELOPMENT) $(CHECKERS) $(INSTALLERS)/.installed ## the same, and docs/generators.md then shows the table of what was compared
	$(INTERPRETER) checks/generator_counts.py

names: $(DEVELOPMENT) $(CHECKERS) ## how many of the names that teams publish a line of configuration reproduces
	$(INTERPRETER) checks/published_names.py

screenshots: $(DEVELOPMENT) $(CHECKERS) ## the pictures in docs/images: the demo, the report, and the pages and screens of examples in every theme
	$(INTERPRETER) checks/terminal_picture.py
	$(INTERPRETER) checks/screenshot.py
	TOKENSYNC_PICTURES=1 $(INTERPRETER) -m pytest -q -n 0 -m outside tests/outside/test_examples_android.py -k picture

compare: $(DEVELOPMENT) $(CHECKERS) ## docs/compare-web.md and docs/compare-native.md: tokens as teams and other tools write them; needs saved responses
	$(INTERPRETER) checks/compare.py

docs: $(DEVELOPMENT) ## write the pages that are made from the code
	$(INTERPRETER) checks/problem_pages.py
	$(INTERPRETER) checks/template_pages.py
	$(INTERPRETER) checks/option_schemas.py
	$(INTERPRETER) checks/openapi_document.py
	$(INTERPRETER) checks/reference_pages.py

docs-site: $(SITE)/.installed $(DEVELOPMENT) ## the documentation as a site in build/site, built strictly by MkDocs and by its successor
	NO_MKDOCS_2_WARNING=1 $(SITE)/$(notdir $(BIN))/zensical build --strict --clean
	NO_MKDOCS_2_WARNING=1 $(SITE)/$(notdir $(BIN))/mkdocs --quiet build --strict --clean
	cp -R config/schemas build/site/schemas
	$(INTERPRETER) -m tokensync report --viewer -q -o build/site/viewer.html

bench: $(DEVELOPMENT) ## time and memory against a floor and Style Dictionary (needs npm); ARGS="--only build --sizes 20000x4"
	$(INTERPRETER) benchmarks/run.py $(ARGS)
	$(if $(ARGS),,$(INTERPRETER) benchmarks/code.py)
	$(if $(ARGS),,$(INTERPRETER) benchmarks/waits.py)
	$(if $(ARGS),,$(INTERPRETER) benchmarks/emulator.py)

budgets: $(DEVELOPMENT) ## what people wait for, in instructions, against budgets (needs perf or valgrind, and Python 3.11)
	$(INTERPRETER) benchmarks/waits.py --budgets

faults: $(DEVELOPMENT) ## 10,000 plans applied while everything fails (needs Node); ARGS="--schedules 20000 --seed 7" for more
	$(INTERPRETER) benchmarks/faults.py $(ARGS)

mutants: $(DEVELOPMENT) ## changes in normalize, plan, apply, escaping and boundary that no test notices; ARGS="plan --most 1000 --seed 7"
	$(INTERPRETER) benchmarks/mutants.py $(ARGS)

coverage: $(DEVELOPMENT) ## the branches of the same that no test takes (a quarter of an hour, needs Node); ARGS="-n 0 tests/plan" for some tests
	$(INTERPRETER) benchmarks/branches.py $(ARGS)

secrets: $(DEVELOPMENT) ## every command with credentials that are then searched for in files, streams, processes and requests; ARGS=--short
	$(INTERPRETER) benchmarks/canaries.py $(ARGS)

security: $(DEVELOPMENT) ## each sentence of SECURITY.md with its tests, which run
	$(INTERPRETER) checks/security_sentences.py --run

libraries: $(DEVELOPMENT) ## 200 design files under the rate limits, with a simulated clock; ARGS="--files 50" for fewer
	$(INTERPRETER) benchmarks/libraries.py $(ARGS)

kills: $(DEVELOPMENT) ## each command is killed, and finds the disk full or broken, at each system call that writes (Linux on x86-64)
	$(INTERPRETER) benchmarks/kills.py $(ARGS)

load: $(DEVELOPMENT) ## 10,000 mixed requests from 8 threads against one emulator that is killed repeatedly; ARGS="--kills 20"
	$(INTERPRETER) benchmarks/load.py $(ARGS)

year: $(DEVELOPMENT) ## 365 nights of the GitHub Action on the emulator, with what goes wrong in a year; ARGS="--seed 7" for another
	$(INTERPRETER) benchmarks/year.py $(ARGS)

fuzz: $(DEVELOPMENT) ## a million contents of everything that is read, then damaged files through whole commands; ARGS="--cases 20000 --body lock"
	$(INTERPRETER) benchmarks/fuzz.py $(ARGS)
	$(if $(ARGS),,$(MAKE) --no-print-directory damages)

damages: $(DEVELOPMENT) ## each state file damaged in 130 ways for each of three seeds, plans edited in 1,300; DAMAGES=1000 SEED="8 9" for more
	TOKENSYNC_DAMAGES=$(or $(DAMAGES),130) TOKENSYNC_SEED="$(or $(SEED),7 8 9)" $(INTERPRETER) -m pytest -q -n auto tests/commands/test_damaged_files.py tests/apply/test_edited_plans.py

wrong-green: $(DEVELOPMENT) ## every check in 40 states of a project in which something is wrong; ARGS="--state lock"
	$(INTERPRETER) benchmarks/wrong_green.py $(ARGS)

lock: $(DEVELOPMENT) $(INSTALLERS)/.installed ## resolve the dependencies anew (needs npm)
	mkdir -p build
	$(COMPILE) --group dev --all-extras -o requirements/development.txt pyproject.toml
	$(COMPILE) -c requirements/development.txt -o requirements/runtime.txt pyproject.toml
	$(COMPILE) -c requirements/development.txt --group pyproject.toml:build -o requirements/build.txt
	$(COMPILE) --group pyproject.toml:audit -o requirements/audit.txt
	$(COMPILE) --group pyproject.toml:clients -o requirements/clients.txt
	$(COMPILE) --group pyproject.toml:hooks -o requirements/hooks.txt
	$(COMPILE) --group pyproject.toml:installers -o requirements/installers.txt
	$(COMPILE) --group pyproject.toml:docs -o requirements/docs.txt
	$(COMPILE) --resolution lowest-direct --all-extras -o build/lowest.txt pyproject.toml
	$(COMPILE) -c build/lowest.txt --group dev --all-extras -o requirements/lowest.txt pyproject.toml
	$(INTERPRETER) checks/wheels.py --write
	cd checks && npm install --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund

audit: $(AUDIT)/.installed ## known advisories of all locked packages (needs npm and the advisory databases)
	$(AUDIT)/$(notdir $(BIN))/pip-audit --progress-spinner off --require-hashes --disable-pip $(patsubst %,-r %,$(wildcard requirements/*.txt))
	cd checks && npm audit --package-lock-only
	cd benchmarks && npm audit --package-lock-only

release: $(BUILD)/.installed ## sdist and wheel in DIST, from a clean checkout and the locked build backend alone
	@test -z "$$(git status --porcelain --ignored -- . ':!/$(BUILD)' ':!/$(DIST)')" || { git status --short --ignored; echo 'a release is built from a clean checkout: use a new clone'; exit 1; }
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(BUILD)/$(notdir $(BIN))/python -I -m build --no-isolation --outdir $(DIST)

clean: ## remove all generated files
	rm -rf $(VENV) $(LOWEST) $(AUDIT) $(BUILD) $(SITE) $(INSTALLERS) .checkers benchmarks/node_modules build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .cache

$(INTERPRETER):
	@$(PYTHON) -c 'import sys; sys.exit(None if sys.version_info >= (3, 11) else "tokensync needs Python 3.11 or newer; say which with make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

$(RUNTIME): requirements/runtime.txt | $(INTERPRETER)
	$(INSTALL) --require-hashes --requirement requirements/runtime.txt
	@touch $@

$(DEVELOPMENT): requirements/development.txt pyproject.toml | $(INTERPRETER)
	$(INSTALL) --require-hashes --requirement requirements/$(if $(filter $(LOWEST),$(VENV)),lowest,development).txt
	$(INSTALL) --no-deps --no-build-isolation --no-index --editable .
	@touch $@ $(RUNTIME)

$(LOWEST)/.development: requirements/lowest.txt

$(AUDIT)/.installed $(BUILD)/.installed $(SITE)/.installed $(INSTALLERS)/.installed: .venv-%/.installed: requirements/%.txt
	$(PYTHON) -I -m venv $(@D)
	$(@D)/$(notdir $(BIN))/python -I -m pip install --quiet --disable-pip-version-check --require-hashes --requirement $<
	@touch $@

$(CHECKERS): checks/package-lock.json checks/package.json requirements/clients.txt requirements/hooks.txt checks/install_checkers.py | $(DEVELOPMENT)
	$(INTERPRETER) checks/install_checkers.py
	@touch $@
