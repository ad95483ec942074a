# Two commands do everything: `make demo` and `make test`. Each makes .venv and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

# What the plug-in for the server is made of, and where the package carries it.
PLUGIN := qcg_neo4j/procedures/qcg.jar
SOURCES := $(shell find procedures -name target -prune -o -type f -print) $(wildcard cypher/retrieve/*.cypher)
MAVEN := mvn --quiet --batch-mode --no-transfer-progress --file procedures/pom.xml

.DEFAULT_GOAL := help
.PHONY: help demo test check plugin format readme bench clean

help: ## Show these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# uv installs from the same package index as pip, several times faster.
$(READY): pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --editable '.[dev]'
	touch $(READY)

plugin: $(PLUGIN) ## Build the plug-in for the server

$(PLUGIN): $(SOURCES)
	@command -v mvn > /dev/null && command -v "$${JAVA_HOME:+$$JAVA_HOME/bin/}javac" > /dev/null || { echo \
	  "The plug-in for the server needs Maven and a JDK, 17 or newer: install maven and openjdk-17-jdk-headless" \
	  "(Debian, Ubuntu), maven and java-21-openjdk-devel (Fedora), or maven and openjdk (Homebrew)." >&2; exit 1; }
	$(MAVEN) -DskipTests package
	cp procedures/qcg/target/qcg.jar $@

demo: $(READY) $(PLUGIN) ## Start Neo4j, load the sample, build the graph, ask a question, show the evidence
	$(BIN)/qcg demo

test: check $(PLUGIN) ## All checks and all tests, on real servers
	$(MAVEN) verify
	$(BIN)/pytest

check: $(READY) ## Formatting, linter, types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

format: $(READY) ## Format the code and mend what the linter can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

readme: $(READY) ## Write what README.md takes from the code
	$(BIN)/python tests/readme.py

bench: $(READY) $(PLUGIN) ## Latency and throughput, as in the README
	$(BIN)/qcg bench retrieve
	$(BIN)/qcg bench load

clean: ## Remove what was made here (not the downloads, not the databases)
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache procedures/target procedures/*/target qcg_neo4j/procedures/*.jar
