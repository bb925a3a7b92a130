# Everything runs in a virtual environment of its own, made on first use.
# PYTHON=... names the interpreter to make it with.

VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test check openapi bench soak venv
.DEFAULT_GOAL := run

# Tied to make, so that no service is left behind when make itself is killed.
run: $(VENV)/service
	@exec $(BIN)/python menagerie/tied.py $$PPID $(BIN)/python -m menagerie.serve

test: $(VENV)/dev
	@$(BIN)/python -m pytest

soak: $(VENV)/dev
	@$(BIN)/python -m pytest -m soak

check: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python -m api.openapi --check

openapi: $(VENV)/dev
	@$(BIN)/python -m api.openapi

bench: $(VENV)/dev
	@$(BIN)/python -m bench

venv: $(VENV)/dev

PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-input

$(VENV)/service: pyproject.toml | $(VENV)/made
	@echo "Installing the service into $(VENV)" >&2
	@$(PIP) --editable '.[service]'
	@touch $@

$(VENV)/dev: pyproject.toml | $(VENV)/made
	@echo "Installing the service and its tools into $(VENV)" >&2
	@$(PIP) --editable '.[service,dev]'
	@touch $(VENV)/service $@

$(VENV)/made:
	@for python in $(PYTHON) python3 python3.13 python3.12 python3.11; do \
	  if $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    $$python -m venv --clear $(VENV) && touch $@ && exit 0; \
	    echo "$$python cannot make a virtual environment (on Debian: install python3-venv)." >&2; \
	    exit 1; \
	  fi; \
	done; \
	echo "Python 3.11 or later is needed; name one with PYTHON=..." >&2; exit 1
