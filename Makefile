PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test lint types contracts unit nojit docs bench clean

demo: $(STAMP)  ## build the demo graph, let it learn, show what it found
	@$(BIN)/hebbgraph demo

test: lint types contracts unit nojit  ## everything CI runs

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "expected Python 3.11 or newer, $(PYTHON) is older; run: make PYTHON=python3.12" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade "pip>=25.1"
	$(BIN)/python -m pip install -q -e . --group dev
	@touch $@

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

contracts: $(STAMP)
	$(BIN)/lint-imports

unit: $(STAMP)  ## tests, doctests, the README's commands
	$(BIN)/pytest -q -n 2

nojit: $(STAMP)  ## a slice of the kernel tests with the compiler off
	NUMBA_DISABLE_JIT=1 $(BIN)/pytest -q tests/test_kernels.py tests/test_join.py

bench: $(STAMP)  ## long measurements; see bench/README.md
	$(BIN)/python -m pip install -q --group bench
	$(BIN)/python -m bench

clean:
	rm -rf $(VENV) demo.lance
