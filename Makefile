# Everything here sets itself up: Python 3.11 or newer (with venv) and make are enough.
# uv is used where it is installed, because it is faster; pip does the same otherwise.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.DEFAULT_GOAL := help
.PHONY: help run test test-all lint type fmt bench lock clean

help: ## what there is to make
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

run: $(VENV)/.run ## start the bot; without Slack credentials, the playground in the browser
	$(BIN)/nccl-bot run

test: $(VENV)/.test ## the tests that need no service
	$(BIN)/pytest -q -n 4 -m "not services"

test-all: $(VENV)/.all ## all tests: needs PostgreSQL and Chromium, see CONTRIBUTING
	$(BIN)/pytest -q -m services
	$(BIN)/nccl-bot kb lint
	$(BIN)/nccl-bot kb test

lint: $(VENV)/.all ## ruff and the knowledge base's lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/nccl-bot kb lint

type: $(VENV)/.all ## mypy, strict
	$(BIN)/mypy

fmt: $(VENV)/.all ## format and mend what ruff can mend
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: $(VENV)/.all ## speeds and baselines, side by side
	$(BIN)/python -m tests.bench

lock: ## write requirements/ anew from pyproject.toml (needs uv)
	uv pip compile -q --universal --generate-hashes --no-header --python-version 3.11 --group build pyproject.toml -o requirements/run.txt
	uv pip compile -q --universal --generate-hashes --no-header --python-version 3.11 --group build --extra postgres -c requirements/run.txt pyproject.toml -o requirements/image.txt
	uv pip compile -q --universal --generate-hashes --no-header --python-version 3.11 --group test -c requirements/run.txt pyproject.toml -o requirements/test.txt
	uv pip compile -q --universal --generate-hashes --no-header --python-version 3.11 --group bench -c requirements/test.txt pyproject.toml -o requirements/all.txt

clean: ## remove the environment
	rm -rf $(VENV)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "nccl-bot needs Python 3.11 or newer; name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || \
	  { echo "Python's venv module is missing: install the package python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.%: requirements/%.txt pyproject.toml | $(BIN)/python
	@# Behind a proxy of one's own uv may not trust what pip trusts: then pip does it.
	@if command -v uv >/dev/null 2>&1 && \
	  uv pip install -q --python $(BIN)/python --require-hashes -r $<; then :; else \
	  $(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes -r $<; \
	fi
	@$(BIN)/python -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@
