# Two commands matter: `make run` and `make test`. Everything is installed into .venv.
SHELL := /bin/bash
PYTHON ?= python3
PORT ?= 8787
WORKSPACE ?= .
# uv trusts a list of its own otherwise, and fails behind a company's proxy where pip does not.
ifneq ($(wildcard /etc/ssl/certs/ca-certificates.crt),)
export UV_SYSTEM_CERTS ?= 1
endif
BIN := .venv/bin
UV := $(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python
INSTALLED := .venv/.installed
MODEL := .venv/.model
NATIVE := .venv/.native
DEVELOPED := .venv/.developed
PEERS := .venv/.peers

.PHONY: help run test lint bench conformance docs model clean

help:
	@echo "make run          install, index and serve MCP on http://127.0.0.1:$(PORT)/mcp"
	@echo "make test         install what tests need and run them"
	@echo "make lint         ruff and mypy"
	@echo "make bench        measure; writes benchmarks/RESULTS.md"
	@echo "make conformance  the official MCP suites and clients against this server"
	@echo "make docs         regenerate the reference pages"

run: $(INSTALLED) $(MODEL) $(NATIVE)
	@test -d "$(WORKSPACE)/.cuedeck" || $(BIN)/cue init --workspace "$(WORKSPACE)"
	$(BIN)/cue index --workspace "$(WORKSPACE)"
	$(BIN)/cue serve --workspace "$(WORKSPACE)" --port $(PORT)

test: lint $(NATIVE)
	$(BIN)/python -m pytest -n 2 --dist loadfile $(TESTS) || { \
		echo "What failed beside the others is run once more alone:"; \
		$(BIN)/python -m pytest --last-failed --last-failed-no-failures none $(TESTS); }

lint: $(DEVELOPED)
	$(BIN)/ruff check src tests benchmarks
	$(BIN)/ruff format --check src tests benchmarks
	$(BIN)/mypy

bench: $(DEVELOPED) $(NATIVE) $(PEERS)
	$(BIN)/python -m benchmarks

conformance: $(DEVELOPED) $(NATIVE)
	conformance/run

docs: $(DEVELOPED)
	$(BIN)/python scripts/reference.py

model: $(MODEL)

.venv/bin/uv:
	@echo "Creating the environment in .venv"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet uv

$(INSTALLED): pyproject.toml | .venv/bin/uv
	@echo "Installing CueDeck"
	$(UV) --editable .
	@$(BIN)/python -m compileall -q src/cuedeck
	@touch $@

$(MODEL): $(INSTALLED) $(shell find packages/cuedeck-minilm -name '*.py' -o -name pyproject.toml 2>/dev/null)
	@echo "Building the embedding model package (once)"
	$(UV) ./packages/cuedeck-minilm
	@touch $@

# CueDeck runs without it, with the same results.
$(NATIVE): $(INSTALLED) $(shell find packages/cuedeck-native src/cuedeck/code -type f -not -name '*.pyc' 2>/dev/null)
	@echo "Compiling the accelerator"
	@$(UV) ./packages/cuedeck-native || \
		echo "CueDeck runs without it: the same answers, but code is read more slowly"
	@touch $@

$(DEVELOPED): $(INSTALLED) $(MODEL) | $(NATIVE)
	@echo "Installing what tests need"
	$(UV) --group dev
	@touch $@

$(PEERS): scripts/peers.py | $(DEVELOPED)
	@echo "Installing what the benchmarks compare with"
	@$(BIN)/python scripts/peers.py && touch $@ || echo "Comparisons with those are left out"

clean:
	rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache
