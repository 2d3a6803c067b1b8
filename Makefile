# Two commands do everything on a new machine: `make demo` and `make test`.
# Threads that wait for one another by spinning take 3 times as long on a busy machine.
export OMP_WAIT_POLICY ?= PASSIVE

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test test-full lint format bench eem-local clean

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
	@status=0; for script in rank retrieve appraise appraise_batch imports llamaindex fused_recall scale rival paper; do \
		echo "== $$script"; \
		$(BIN)/python benchmarks/$$script.py --json out/benchmarks/$$script.json || status=1; \
	done; exit $$status

# The whole experiment of deep encoding with a tiny chat model of this machine: it shows that the
# machinery works and says nothing of the claim. A run that was stopped goes on where it was.
eem-local: .venv/.built
	@$(BIN)/python examples/local_chat_server.py $(BIN)/emomem eval eem --generator {url} --judge {url} \
		--force --dialogues 10 --threshold 0.6 --out out/eem-local

format: .venv/.built
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

clean:
	rm -rf .venv dist out .pytest_cache .mypy_cache .ruff_cache .hypothesis
