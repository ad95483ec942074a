# Two commands do everything: `make demo` and `make test`. Each makes .venv and installs what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
SMALL := $(VENV)/ready-for-demo

# The plug-ins for the server: what they are made of, and where the package carries them.
FOLDER := qcg_neo4j/procedures
PLUGINS := $(FOLDER)/qcg.jar $(FOLDER)/qcg-embedding.jar
SOURCES := $(shell find procedures -name target -prune -o -type f -print) $(wildcard cypher/retrieve/*.cypher)
MAVEN := mvn --quiet --batch-mode --no-transfer-progress --file procedures/pom.xml
HAS_MAVEN := $(shell command -v mvn && command -v "$${JAVA_HOME:+$$JAVA_HOME/bin/}javac")

.DEFAULT_GOAL := help
.PHONY: help demo test check plugins format readme bench clean

help: ## Show these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# uv installs from the same package index as pip, several times faster.
define INSTALL
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --editable '.[$(EXTRA)]'
	touch $@
endef

$(READY): EXTRA := dev
$(READY): pyproject.toml
	$(INSTALL)

# The database embeds, so the demonstration needs no torch.
$(SMALL): EXTRA := embedded
$(SMALL): pyproject.toml
	$(INSTALL)

plugins: $(PLUGINS) ## Build the plug-ins for the server

# By Maven where there is one, with a JDK of 17 or newer; else by the packaged Java alone.
$(FOLDER)/qcg-embedding.jar: $(FOLDER)/qcg.jar
$(FOLDER)/qcg.jar: $(SOURCES) $(if $(HAS_MAVEN),,| $(SMALL))
ifneq ($(HAS_MAVEN),)
	$(MAVEN) -DskipTests package
	cp procedures/*/target/qcg*.jar $(FOLDER)
else
	$(BIN)/python procedures/build.py $(FOLDER)
endif

demo: $(SMALL) $(PLUGINS) ## Start Neo4j, load the sample, build the graph, ask a question, show the evidence
	$(BIN)/qcg demo

test: check $(PLUGINS) ## All checks and all tests, on real servers
	$(if $(HAS_MAVEN),$(MAVEN) verify,@echo "No Maven and JDK here: the Java tests are left out.")
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

bench: $(READY) $(PLUGINS) ## Latency and throughput, as in the README
	$(BIN)/qcg bench retrieve
	$(BIN)/qcg bench load
	$(BIN)/qcg bench paths
	$(BIN)/qcg bench communities

clean: ## Remove what was made here (not the downloads, not the databases)
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache procedures/target procedures/*/target $(FOLDER)/*.jar
