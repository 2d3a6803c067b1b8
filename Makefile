# Two commands do everything on a new machine: `make demo` and `make test`.
# Threads that wait for one another by spinning take 3 times as long on a busy machine.
export OMP_WAIT_POLICY ?= PASSIVE

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test test-full test-lowest lint format docs check-wheel sbom bench eem-local pictures cookbooks clean

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

# Everything: lint, all tests (the slow ones, the browser's, and a clean environment for each extra
# among them), the documentation, a build of wheel and sdist, and the benchmarks.
test-full: lint
	@test -x /usr/bin/chromium || echo "No /usr/bin/chromium: the browser's tests are skipped (apt-get install chromium)"
	$(PIP) --group browser --group cluster --group docs
	$(BIN)/pytest
	$(MAKE) docs
	$(BIN)/python -m build --outdir dist
	$(MAKE) bench

# The guides and the reference as a site in out/site; a warning fails it.
docs: .venv/.built
	$(PIP) --group docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet

# The wheel: what it holds, and a clean environment for each extra. Takes some ten minutes.
check-wheel: .venv/.built
	$(BIN)/pytest tests/integration/test_release.py

# The unit tests on the lowest versions that pyproject.toml allows, in an environment of their own
# (6 GB: the oldest torch comes with CUDA).
test-lowest: out/lowest/.built
	out/lowest/bin/python -m pytest tests/unit -m 'not slow'

out/lowest/.built: pyproject.toml constraints-lowest.txt
	$(PYTHON) -m venv --clear out/lowest
	out/lowest/bin/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	out/lowest/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-lowest.txt \
		--group lowest --editable '.[all]'
	touch $@

# What `emomem[all]` brings, name by name and with licences, as CycloneDX: out/sbom.json.
sbom: .venv/.built
	$(PIP) --group release
	$(PYTHON) -m venv --clear out/sbom
	out/sbom/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt '.[all]'
	$(BIN)/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible -o out/sbom.json out/sbom
	rm -r out/sbom

bench: .venv/.built
	@status=0; for script in rank retrieve appraise appraise_batch imports llamaindex fused_recall memory scale rival paper; do \
		echo "== $$script"; \
		$(BIN)/python benchmarks/$$script.py --json out/benchmarks/$$script.json || status=1; \
	done; exit $$status

# The whole experiment of deep encoding with a tiny chat model of this machine: it shows that the
# machinery works and says nothing of the claim. A run that was stopped goes on where it was.
eem-local: .venv/.built
	@$(BIN)/python examples/local_chat_server.py $(BIN)/emomem eval eem --generator {url} --judge {url} \
		--force --dialogues 10 --threshold 0.6 --out out/eem-local

# The pictures of the README and of docs/pictures.md.
pictures: .venv/.built
	$(BIN)/python docs/make_pictures.py

# Runs the notebooks and stores what they show; with NAMES only those.
cookbooks: .venv/.built
	$(BIN)/python cookbooks/refresh.py $(NAMES)

format: .venv/.built
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

clean:
	rm -rf .venv dist out .pytest_cache .mypy_cache .ruff_cache .hypothesis
