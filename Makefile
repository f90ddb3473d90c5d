# Every target sets up what it needs: a virtual environment in .venv, its packages, and the compiled core.
#
#   make run    tune, train, certify, evaluate and report on a table that is built in
#   make test   every check: lint, types, C++ tests under sanitizers, Python tests, examples
#   make bench  Mercer beside its peers, in benchmarks/RESULTS.md  (BENCH="--data DIR --problems a9a" for more)
#   make bench-linear  linear machines beside LIBLINEAR, in benchmarks/LINEAR.md  (BENCH="--data DIR")
#   make bench-probability  what probabilities cost, in benchmarks/PROBABILITY.md  (BENCH="--data DIR")
#   make bench-tune  parameter search beside scikit-learn's, in benchmarks/TUNE.md  (BENCH="--data DIR --only A C")
#   make bench-smooth  ridge regression, Gaussian processes and relevance beside peers, in benchmarks/SMOOTH.md  (BENCH="--data DIR --only A")
#   make bench-memory  neighbours, densities and local regression beside peers, in benchmarks/MEMORY.md  (BENCH="--data DIR --only A B")
#   make bench-files  commands, tables and model files beside peers, in benchmarks/FILES.md  (BENCH="--data DIR --only A B")
#   make fuzz   random problems, ordinary and hard, against scikit-learn and Clarabel for FUZZ_SECONDS (60)
#   make docs   the documentation as HTML in build/docs
#   make clean  removes all of it

SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST := .venv-oldest
FUZZ_SECONDS ?= 60
BENCH ?=

CPP := $(shell find cpp -name '*.cpp' -o -name '*.hpp')
CORE_SOURCES := $(filter-out cpp/tests/%,$(CPP)) CMakeLists.txt pyproject.toml

.PHONY: run test lint types test-cpp test-python test-oldest bench bench-linear bench-probability bench-smooth bench-tune \
	bench-memory bench-files fuzz docs format clean FORCE

run:
	@test -e $(VENV)/.built || echo "Setting up Mercer in $(VENV): packages and the compiled core. This takes some two minutes, once."
	@mkdir -p build && $(MAKE) --silent $(VENV)/.built > build/setup.log 2>&1 || { cat build/setup.log; exit 1; }
	@$(BIN)/mercer train census --target income --output out

test: lint types test-cpp test-python test-oldest

# What running takes, and what checking takes beside it.
$(VENV)/.packages: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb")); e = p["project"]["optional-dependencies"]; \
	print("\n".join(p["build-system"]["requires"] + p["project"]["dependencies"] + e["app"] + ["cmake", "ninja"]))' \
	> $(VENV)/requirements.txt
	$(BIN)/python -m pip install --quiet --requirement $(VENV)/requirements.txt
	touch $@

$(VENV)/.checks: $(VENV)/.packages
	$(BIN)/python -c 'import tomllib; p = tomllib.load(open("pyproject.toml", "rb")); e = p["project"]["optional-dependencies"]; \
	print("\n".join(e["test"] + e["lint"]))' > $(VENV)/checks.txt
	$(BIN)/python -m pip install --quiet --requirement $(VENV)/checks.txt
	touch $@

# Editable: Python files take effect as they are, and new or moved ones are made known; the core is rebuilt where its
# sources changed.
$(VENV)/.built: $(VENV)/.packages $(VENV)/.names $(CORE_SOURCES)
	PATH=$(CURDIR)/$(BIN):$$PATH $(BIN)/python -m pip install --quiet --no-build-isolation --no-deps --editable .
	touch $@

$(VENV)/.names: FORCE | $(VENV)/.packages
	@find src -name '*.py' | sort | cmp -s - $@ || find src -name '*.py' | sort > $@

lint: $(VENV)/.checks
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(CPP)

types: $(VENV)/.built $(VENV)/.checks
	$(BIN)/mypy

# Sanitized, and with the core as it is built for Python.
test-cpp: $(VENV)/.built
	PATH=$(CURDIR)/$(BIN):$$PATH cmake -S . -B build/sanitized -G Ninja -DCMAKE_BUILD_TYPE=Debug \
	-DMERCER_TESTS=ON -DMERCER_SANITIZE=ON -DMERCER_WERROR=ON > /dev/null
	$(BIN)/cmake --build build/sanitized
	PATH=$(CURDIR)/$(BIN):$$PATH cmake -S . -B build/optimised -G Ninja -DCMAKE_BUILD_TYPE=Release \
	-DMERCER_TESTS=ON -DMERCER_CORE=$$(ls -t $(CURDIR)/build/cp*/libmercer_core.a | head -1) > /dev/null
	$(BIN)/cmake --build build/optimised
	for build in sanitized optimised; do build/$$build/mercer_tests || exit 1; done

test-python: $(VENV)/.built $(VENV)/.checks
	$(BIN)/python -m pytest -n auto

# The oldest scikit-learn that is promised, for what depends on it; the compiled core does not, so it is taken as it is.
test-oldest: $(VENV)/.built
	test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST)
	PATH=$(CURDIR)/$(BIN):$$PATH $(OLDEST)/bin/python -m pip install --quiet "scikit-learn==1.6.*" hypothesis "pytest==8.*"
	rm -rf $(OLDEST)/library && mkdir -p $(OLDEST)/library && cp -r src/mercer $(OLDEST)/library/
	cp $(VENV)/lib/python3*/site-packages/mercer/_core*.so $(OLDEST)/library/mercer/
	PYTHONPATH=$(OLDEST)/library $(OLDEST)/bin/python -m pytest -q tests/estimators/test_check_estimator.py

bench: $(VENV)/.built
	-$(BIN)/python -m pip install --quiet libsvm-official scikit-learn-intelex
	$(BIN)/python -m benchmarks $(BENCH)

bench-linear: $(VENV)/.built
	-$(BIN)/python -m pip install --quiet liblinear-official
	$(BIN)/python -m benchmarks.linear $(BENCH)

bench-probability: $(VENV)/.built
	$(BIN)/python -m benchmarks.probability $(BENCH)

# GPyTorch takes part where it is installed: it comes with gigabytes that others do not need.
bench-smooth: $(VENV)/.built
	-$(BIN)/python -m pip install --quiet himalaya tinygp
	$(BIN)/python -m benchmarks.smooth $(BENCH)

bench-tune: $(VENV)/.built
	$(BIN)/python -m benchmarks.tune $(BENCH)

bench-memory: $(VENV)/.built
	-$(BIN)/python -m pip install --quiet faiss-cpu pykdtree statsmodels fastlowess scikit-misc
	$(BIN)/python -m benchmarks.remember $(BENCH)

bench-files: $(VENV)/.built
	-$(BIN)/python -m pip install --quiet joblib libsvm-official pandas skops skrub
	$(BIN)/python -m benchmarks.files $(BENCH)

fuzz: $(VENV)/.built $(VENV)/.checks
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS)

docs: $(VENV)/.built
	$(BIN)/python -m pip install --quiet mkdocs-material "mkdocstrings[python]"
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet --site-dir build/docs
	@echo "The documentation is in build/docs/index.html"

format: $(VENV)/.checks
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CPP)

clean:
	rm -rf $(VENV) $(OLDEST) build out .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
