# Two commands do everything on a new machine: `make demo` and `make test`.
# Threads that wait for one another by spinning take 3 times as long on a busy machine.
export OMP_WAIT_POLICY ?= PASSIVE

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test test-full lint format bench clean

# Built once and reused, until what it is built from changes.
.venv/.built: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "emomem needs Python 3.11 or newer: make PYTHON=python3.11 …")'
	$(PYTHON) -m venv .venv
	$(PIP) pip
	$(PIP) torch
	$(PIP) --group dev --editable '.[all]'
	touch $@

demo: .venv/.built
	@$(BIN)/emomem demo

lint: .venv/.built
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

test: lint
	$(BIN)/pytest -m 'not slow'

# All of the tests, a build of wheel and sdist, and the benchmarks.
test-full: lint
	$(PIP) --group cluster
	$(BIN)/pytest
	$(BIN)/python -m build --outdir dist
	$(MAKE) bench

bench: .venv/.built
	@status=0; for script in rank retrieve appraise appraise_batch imports llamaindex fused_recall scale rival; do \
		echo "== $$script"; \
		$(BIN)/python benchmarks/$$script.py --json out/benchmarks/$$script.json || status=1; \
	done; exit $$status

format: .venv/.built
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

clean:
	rm -rf .venv dist out .pytest_cache .mypy_cache .ruff_cache .hypothesis
