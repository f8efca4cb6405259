# Two commands do everything: `make run` and `make test`. The environment is made from requirements.lock, and the
# forest's kernel is built in it, beside its sources.
PYTHON ?= python3
CORES ?= all
STUDY ?= $(shell sed -n 's/^study: *\([^ ]*\).*/\1/p' config/config.yaml)
VENV := .venv
BIN := $(VENV)/bin
# The stamp is named by the content of the files that decide on packages: a touched file installs nothing again.
PINS := requirements.lock requirements-compiler.lock pyproject.toml
STAMP := $(VENV)/.installed-$(shell cat $(PINS) | cksum | cut -d' ' -f1)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# Where there is no C compiler, PyPI has one, which wants no root.
ifeq ($(origin CC),default)
ifeq ($(shell command -v cc || command -v gcc || command -v clang),)
ZIG := $(CURDIR)/$(BIN)/python -m ziglang
export CC := $(ZIG) cc -mcpu=baseline
export AR := $(ZIG) ar
endif
endif

LOCKS := -r requirements.lock $(if $(ZIG),-r requirements-compiler.lock)

.PHONY: run test test-rest test-all test-cluster test-sanitized docs ui report lint format lock audit clean env

run: env            ## run the study: make run, make run STUDY=tiny CORES=4
	@$(BIN)/rotastack run $(STUDY) --cores $(CORES)

# Workers take tests from each other, so that no long file is left to one of them.
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal

test: env           ## the tests of a few minutes
	$(PYTEST) -m "not slow"

test-rest: env      ## what `make test` leaves out
	$(PYTEST) -m "slow and not nightly"

test-all: env       ## all tests, with ten times the examples of properties
	HYPOTHESIS_PROFILE=thorough $(PYTEST)

test-cluster: env   ## studies on a real Slurm of two nodes, which it starts here: needs root, and installs slurm-wlm and munge
	$(BIN)/python -m pytest -m cluster -rs tests/cluster

test-sanitized: env ## the kernel's tests while its memory, undefined behaviour, threads and leaks are watched
	$(BIN)/python tools/sanitize.py address
	$(BIN)/python tools/sanitize.py thread
	$(BIN)/python tools/sanitize.py valgrind

docs: env           ## the site, docs/_build/html/index.html: no network, warnings are errors
	rm -rf docs/_build docs/reference/api
	OMP_NUM_THREADS=1 $(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	$(BIN)/python docs/_extensions/check_html.py docs/_build/html
	@echo "site: docs/_build/html/index.html"

ui: env             ## open the MLflow UI
	$(BIN)/rotastack ui

report: env         ## bring the HTML report up to date and say where it is
	@$(BIN)/rotastack report $(STUDY)

lint: env           ## formatting, style, types, what may import what, workflow
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/snakefmt --check -l 120 Snakefile workflow
	PATH="$(CURDIR)/$(BIN):$$PATH" .ci/lint-workflow

format: env         ## put code into shape
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	$(BIN)/snakefmt -l 120 Snakefile workflow

lock: env           ## pin all dependencies anew
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 \
	    --generate-hashes --no-header --upgrade -o requirements.lock
	echo ziglang | $(BIN)/uv pip compile - --universal --python-version 3.11 \
	    --generate-hashes --no-header --no-annotate --upgrade -o requirements-compiler.lock

audit: env          ## known vulnerabilities of the pinned packages: needs a network
	$(BIN)/uv tool run "pip-audit>=2.9" --requirement requirements.lock --require-hashes --disable-pip

env: $(STAMP)       ## the environment, and the kernel as its sources are now
	@$(BIN)/python tools/build_kernel.py

$(STAMP):
	$(PYTHON) tools/check_python.py
	rm -f build/*/build.ninja
	$(PYTHON) -m venv $(VENV)
	awk '/^uv==/ {on = 1} on {print} on && !/\\$$/ {exit}' requirements.lock > $(VENV)/uv.lock
	$(PIP) --require-hashes -r $(VENV)/uv.lock
# uv takes seconds, pip takes minutes; uv ignores pip's settings of indexes, so pip is the fallback.
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes $(LOCKS) || $(PIP) --require-hashes $(LOCKS)
# Bytecode saves seconds in each process where Python may write none. What cannot be compiled is no error: templates, Python 2.
	$(BIN)/python -m compileall -qq -j 0 -x '/tests?/' src $(VENV)/lib || true
	rm -f $(VENV)/.installed*
	touch $(STAMP)

clean:              ## remove results and raw data; the environment stays
	find results -mindepth 1 ! -path results/README.md -delete
	rm -rf data/raw docs/_build docs/gallery docs/reference/api .snakemake .pytest_cache .mypy_cache .ruff_cache .hypothesis
