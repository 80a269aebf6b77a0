# Everything a developer or operator starts by one word. Needs Python 3.11+ (with pip and venv) and GNU make.
#
#   make serve        install what serving needs, then serve on 127.0.0.1:8000
#   make test         install what the tests need, then run the everyday ones
#   make help         list the rest

PYTHON ?= python3
VENV ?= .venv
UV ?= uv
PYTEST_ARGS ?=

BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --no-input
# The locks hold every package with its hashes; nothing else is installed, and nothing is built unlocked.
# Without --no-deps, pip 23.2 asks for the newest release of a package that another one names with an extra.
INSTALL := $(PIP) install --quiet --quiet --no-compile --require-hashes --no-deps
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
           --no-emit-index-url --no-annotate

SBOM = $(UV) tool run --quiet --from cyclonedx-bom==7.5.0 cyclonedx-py environment --pyproject pyproject.toml

# A stamp says that the lock beside its name is installed; it is older than a lock that changed.
VENV_STAMP := $(VENV)/.stamp-venv
SERVE_STAMP := $(VENV)/.stamp-serve
TEST_STAMP := $(VENV)/.stamp-test
DEV_STAMP := $(VENV)/.stamp-dev
BENCH_STAMP := $(VENV)/.stamp-bench
LINKER_STAMP := $(VENV)/.stamp-linker
# Sphinx lies beside what serving needs, not among it.
SPHINX := $(VENV)/guide
SPHINX_STAMP := $(SPHINX)/.stamp
GUIDE := service/guide/README.html
# npm writes this file once what the lock of the JavaScript client says is installed, TypeScript among it.
NODE_STAMP := clients/javascript/node_modules/.package-lock.json

.DEFAULT_GOAL := help
.PHONY: help serve install dev test test-long test-alone test-release test-full coverage lint format openapi guide site lock kernels loadtest loadtest-hostile bench bench-http proofs sbom wasm browser wheels release docker clean

help:  ## list what can be made
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

serve: kernels  ## install and serve on 127.0.0.1:8000 (KINAROW_HOST, KINAROW_PORT, … say otherwise)
	@mkdir -p build; nice -n 19 $(MAKE) --silent guide >build/guide.log 2>&1 &
	@exec $(BIN)/kinarow serve

install: kernels  ## install what serving needs into .venv
	@echo "Installed: $(BIN)/kinarow"

BUILD_KERNELS := $(BIN)/python -m kinarow.kernels.build
EDITABLE := $(PIP) install --quiet --no-deps --no-build-isolation --editable .
# `pip install .` in the same environment leaves a copy there, which no change of the sources reaches.
IS_EDITABLE := $(BIN)/python -P -c 'import importlib.util, os, sys; \
    sys.exit(not os.path.samefile(importlib.util.find_spec("kinarow").origin, "kinarow/__init__.py"))'

kernels: $(SERVE_STAMP)  ## build the kernels for this machine, half a minute
	@$(IS_EDITABLE) || { echo "$(VENV) holds a copy of kinarow: installing this checkout in its place …"; $(EDITABLE); }
	@$(BUILD_KERNELS)

dev: $(DEV_STAMP) kernels  ## install what all tests, load tests and a release need; everyday tests skip nothing then

# Tests start hundreds of short processes; each would compile all Python again.
unexport PYTHONDONTWRITEBYTECODE

# Tests run on all cores, and in the background as in the foreground: nothing reads a standard input.
IN_PARALLEL := --numprocesses auto --dist worksteal

test: $(TEST_STAMP) kernels  ## install and run the everyday tests, a few minutes
	$(BIN)/python -m pytest $(IN_PARALLEL) -o faulthandler_timeout=300 $(PYTEST_ARGS) </dev/null

test-long: $(DEV_STAMP) kernels  ## run the long tests that can share the machine: whole samples, installations, the page in a browser
	$(BIN)/python -m pytest $(IN_PARALLEL) -m "slow and not alone" $(PYTEST_ARGS) </dev/null

test-alone: $(DEV_STAMP) kernels  ## run the tests that need the machine alone: servers under load, measured times
	$(BIN)/python -m pytest -m "slow and alone" $(PYTEST_ARGS) </dev/null

test-release: $(DEV_STAMP) $(LINKER_STAMP) kernels  ## run what takes long or a quiet machine: release, image, generators, storm, overload
	$(BIN)/python -m pytest -m release --durations 0 $(PYTEST_ARGS) </dev/null

test-full: test test-long test-alone test-release  ## run all tests

coverage: $(TEST_STAMP) kernels  ## run the tests and show what of the plain Python part they reach
	$(BIN)/python -m pytest $(IN_PARALLEL) --cov --cov-report=term --timeout 600 $(PYTEST_ARGS) </dev/null

lint: $(TEST_STAMP) clients/javascript/api.d.ts  ## check style, types (the page's too, which needs npm) and who imports whom
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	clients/javascript/node_modules/.bin/tsc --project tests/web/tsconfig.json

format: $(TEST_STAMP)  ## format the code and mend what can be mended
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

openapi: $(SERVE_STAMP)  ## write openapi.yaml anew from the models
	$(BIN)/python -m service.openapi

site: $(GUIDE) browser  ## write the page and its engine as files for any static host into build/site
	PYTHONPATH=. $(BIN)/python release/site.py build/site

guide: $(GUIDE)  ## build the pages of docs/ into service/guide, which the service shows at /guide

loadtest: $(DEV_STAMP) kernels  ## play whole games against a server of its own (loadtests/run.py has the settings)
	$(BIN)/python -m loadtests.run

loadtest-hostile: $(TEST_STAMP) kernels  ## 50,000 broken and abusive requests beside one user (needs nginx)
	$(BIN)/python -m tests.chaos.hostile

bench: $(BENCH_STAMP)  ## measure the engine, also against others: some 25 minutes; writes the tables of docs/performance.md
	@set -e; for script in benchmarks/engine_*.py; do \
	    echo "== $$script"; $(BIN)/python -m benchmarks.$$(basename $$script .py); \
	done

bench-http: $(TEST_STAMP) kernels  ## measure a cached /move against a bare Flask route, and a new one against the search alone
	$(BIN)/python -m benchmarks.http_floor
	$(BIN)/python -m benchmarks.http_search

proofs: $(SERVE_STAMP) kernels  ## prove what the atlas says by files in build/proofs, hours; a stopped run goes on
	$(BIN)/python -m checker.prove_atlas build/proofs
	$(BIN)/python -m checker.prove_atlas build/proofs --one-program --seconds 3600 --decisions 6000000
	$(BIN)/python -m checker.prove_atlas build/proofs --only 6x7-goal4-gravity-x-win.proof --seconds 3600 --decisions 6000000

lock:  ## write the locks anew (needs uv); UPGRADE=1 takes the newest versions
	$(COMPILE) $(if $(UPGRADE),--upgrade) pyproject.toml --extra serve -o requirements/serve.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) requirements/build.in -o requirements/build.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) requirements/linker.in -o requirements/linker.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) pyproject.toml --extra kernels -c requirements/serve.txt -o requirements/kernels.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) pyproject.toml --extra serve --extra kernels \
	    --extra label --extra mcp --group test \
	    -c requirements/serve.txt -c requirements/kernels.txt -o requirements/test.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) pyproject.toml --extra serve --extra kernels \
	    --extra label --extra mcp --extra gym --extra pettingzoo --extra openspiel --extra otel --group dev \
	    -c requirements/test.txt -o requirements/dev.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) pyproject.toml --extra serve --extra redis -c requirements/serve.txt \
	    -c requirements/dev.txt -o requirements/redis.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) pyproject.toml --extra serve --group bench -c requirements/serve.txt \
	    -c requirements/dev.txt -o requirements/bench.txt
	$(COMPILE) $(if $(UPGRADE),--upgrade) --group guide -c requirements/serve.txt -c requirements/dev.txt \
	    -o requirements/guide.txt

sbom: $(SERVE_STAMP)  ## print what is installed in .venv, with licences (CycloneDX JSON; needs uv)
	@$(SBOM) $(BIN)/python

wasm: $(SERVE_STAMP) $(LINKER_STAMP)  ## build the kernels for WebAssembly into kinarow/kernels/compiled/wasm32, a minute
	$(BIN)/python -m kinarow.kernels.build --target wasm32

browser: wasm  ## write the files of the engine for browsers into browser/dist
	PYTHONPATH=. $(BIN)/python browser/export.py

# A wheel for every Python. Each copies the kernels that the first step has left in the user's cache folder.
WHEELS := manylinux_2_28_x86_64 manylinux_2_28_aarch64 macosx_11_0_arm64 macosx_11_0_x86_64 win_amd64
wheels: $(DEV_STAMP) $(GUIDE) browser  ## build a wheel for each platform into dist/, three minutes
	$(BIN)/python -m kinarow.kernels.build $(WHEELS:%=--target %)
	rm -rf build/wheel && mkdir -p build/wheel
	cp -R pyproject.toml openapi.yaml LICENSE THIRD_PARTY_NOTICES.md release checker kinarow service build/wheel
	mkdir -p build/wheel/clients/javascript build/wheel/browser
	cp clients/javascript/kinarow.js build/wheel/clients/javascript && cp browser/*.js build/wheel/browser
	set -e; for platform in $(WHEELS); do \
	    $(BIN)/python -m build --no-isolation --wheel --outdir dist build/wheel --config-setting=platform=$$platform; \
	done

release: UV := $(BIN)/uv
release: wheels $(NODE_STAMP)  ## build all files of a release into dist/ and try them in empty environments (needs npm)
	find dist -type f ! -newer build/wheel/pyproject.toml -delete
	$(BIN)/python -m build --sdist --outdir dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/python release/files.py $(SBOM)

docker:  ## build the container image
	docker build --tag kinarow .

clean:  ## remove everything that was installed or made
	rm -rf $(VENV) build dist service/copies service/guide service/web/engine *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .coverage.* htmlcov
	rm -rf clients/*/node_modules clients/javascript/api.d.ts browser/dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV_STAMP):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	    || { echo "kinarow needs Python 3.11 or newer; say which: make PYTHON=python3.12" >&2; exit 1; }
	@echo "Making a virtual environment in $(VENV) …"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# Kernels are compiled while pip installs the rest. A system without a linker gets one from PyPI.
SYSTEM_LINKER = $(shell command -v cc || command -v ld || command -v ld.lld)
$(SERVE_STAMP): $(VENV_STAMP) requirements/build.txt requirements/kernels.txt requirements/serve.txt pyproject.toml
	@echo "Installing what serving needs, from requirements/kernels.txt and serve.txt …"
	@$(INSTALL) -r requirements/build.txt -r requirements/kernels.txt $(if $(SYSTEM_LINKER),,-r requirements/linker.txt)
	@$(BUILD_KERNELS) & kernels=$$!; $(INSTALL) -r requirements/serve.txt && $(EDITABLE) && wait $$kernels
	@touch $@

$(TEST_STAMP): $(SERVE_STAMP) requirements/test.txt
	@echo "Installing what the everyday tests need, from requirements/test.txt …"
	@$(INSTALL) -r requirements/test.txt
	@touch $@

$(DEV_STAMP): $(TEST_STAMP) requirements/dev.txt
	@echo "Installing what all tests, load tests and a release need, from requirements/dev.txt …"
	@$(INSTALL) -r requirements/dev.txt
	@touch $@

$(LINKER_STAMP): $(VENV_STAMP) requirements/linker.txt
	@echo "Installing the linker for other systems, from requirements/linker.txt …"
	@$(INSTALL) -r requirements/linker.txt
	@touch $@

$(SPHINX_STAMP): $(SERVE_STAMP) requirements/guide.txt
	@echo "Installing what the guide needs, from requirements/guide.txt …"
	@rm -rf $(SPHINX)
	@$(INSTALL) --target $(SPHINX) -r requirements/guide.txt
	@touch $@

# A running service sees the old pages or the new ones, never a part.
$(GUIDE): $(SPHINX_STAMP) $(shell find docs kinarow -name '*.py' -o -path 'docs/*' -type f ! -name '*.pyc')
	@echo "Building the guide …"
	@rm -rf build/guide build/guide.old && mkdir -p build
	@PYTHONPATH=$(SPHINX) $(BIN)/python -m sphinx --fail-on-warning --keep-going --quiet docs build/guide
	@if [ -d service/guide ]; then mv service/guide build/guide.old; fi
	@mv build/guide service/guide

$(BENCH_STAMP): $(DEV_STAMP) requirements/bench.txt
	@echo "Installing what the benchmarks need, from requirements/bench.txt …"
	@$(INSTALL) -r requirements/bench.txt
	@touch $@

clients/javascript/api.d.ts: $(NODE_STAMP) openapi.yaml
	@cd clients/javascript && npm run --silent prepare >/dev/null

$(NODE_STAMP): clients/javascript/package-lock.json
	@command -v npm >/dev/null || { echo "npm is missing: it installs the type checker of the page (Node 20 or newer)" >&2; exit 1; }
	@cd clients/javascript && npm ci --silent --ignore-scripts --no-audit --no-fund
	@touch $@
