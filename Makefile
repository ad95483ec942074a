# Two commands do everything: `make demo` and `make test`. Each makes .venv and installs what it needs.
# `make reproduce-…` makes the tables of the manual again.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
ALL := $(VENV)/ready-for-all
SMALL := $(VENV)/ready-for-demo

# What the settings of the methods declare, for Java.
DECLARED := procedures/qcg/src/main/java/qcg/config/Configs.java
SETTINGS := procedures/options.py procedures/configurations.py qcg_neo4j/core/settings.py qcg_neo4j/core/days.py qcg_neo4j/models/embedding/known_models.py $(wildcard qcg_neo4j/retrieval/*.py)
MAVEN := mvn --quiet --batch-mode --no-transfer-progress --file procedures/pom.xml
HAS_MAVEN := $(shell command -v mvn && command -v "$${JAVA_HOME:+$$JAVA_HOME/bin/}javac")

# Tests start Python hundreds of times: without the compiled modules of before each takes three times as long.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help demo dist test test-all test-java test-python test-rest compiled quick fuzz audit check lint types plugins format pages bench soak clean \
	reproduce reproduce-answers reproduce-lihuaworld reproduce-musique reproduce-2wiki reproduce-medical reproduce-sample expected given

# Each has a server that plans all that it runs, so a third costs more than it brings; conftest.py says what stays
# together and what begins. The rest waits for processes of its own: there four have work.
WORKERS ?= 2
test-rest: WORKERS = 4
TESTS := tests/unit tests/server tests/pages
SIDE_BY_SIDE = --numprocesses $(WORKERS) --dist loadgroup --no-loadscope-reorder --quiet

# Where the tables of `make reproduce…` go, with the server that they are measured on; and which of them are made.
OUTPUT ?=
TABLES ?=
CHOSEN = $(addprefix --table ,$(TABLES))

help: ## Show these targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-22s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# uv installs from the same package index as pip, several times faster.
define INSTALL
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --editable '.[$(EXTRA)]'
	touch $@
endef

$(READY): EXTRA := test
$(READY): pyproject.toml
	$(INSTALL)

# What trains models, runs on several machines, or measures others needs more; it stays in the same environment.
$(ALL): EXTRA := dev
$(ALL): $(READY)
	$(INSTALL)

# The database embeds, so neither the demonstration nor most tests need torch.
$(SMALL): EXTRA := embedded
$(SMALL): pyproject.toml
	$(INSTALL)

plugins: $(DECLARED) ## Build the plug-ins for the server, where a source has changed
	@$(BIN)/python procedures/build.py

# It stays as it is where nothing else is declared. The demonstration does without what the others need.
$(DECLARED): $(SETTINGS) | $(if $(or $(wildcard $(READY)),$(filter-out demo plugins,$(MAKECMDGOALS))),$(READY),$(SMALL))
	$(BIN)/python procedures/options.py

dist: $(SMALL) ## Build wheel and sdist, with the plug-ins, into dist/
	$(BIN)/uv build --quiet --clear --out-dir dist --python $(BIN)/python
	@ls dist/*

demo: $(SMALL) plugins ## Start Neo4j, load the sample, build the graph, ask a question, show the evidence
	$(BIN)/qcg demo

test: plugins lint ## What to run before a commit: formatting, types, and the tests on servers of the default line
	$(MAKE) --jobs=2 --no-print-directory types test-python

test-all: test ## The rest as well: the second line, training, workers, installs, benches, Browser, fuzzing, Java
	$(MAKE) --no-print-directory $(ALL)
	$(MAKE) --jobs=2 --no-print-directory test-java test-rest

# Else each of the workers would compile all that the tests import, at the same time; what fails here fails there.
compiled: $(READY)
	-@$(BIN)/pytest --collect-only -qq $(TESTS) > $(VENV)/collected

test-java:
	$(if $(HAS_MAVEN),$(MAVEN) verify,@echo "No Maven and JDK here: the Java tests are left out.")

test-python: compiled
	$(BIN)/pytest $(SIDE_BY_SIDE) $(TESTS)

test-rest:
	$(BIN)/pytest $(SIDE_BY_SIDE) --rest

quick: check plugins ## The same checks, and the tests that need no server and little time
	$(BIN)/pytest $(SIDE_BY_SIDE) -m "not server and not slow" $(TESTS)

EXAMPLES ?= 1000
fuzz: $(ALL) plugins ## Hostile input of every kind, so many of each: EXAMPLES=1000
	QCG_FUZZ_EXAMPLES=$(EXAMPLES) $(BIN)/pytest $(SIDE_BY_SIDE) --timeout 0 tests/more/test_fuzz*.py

audit: $(READY) ## Known vulnerabilities of the locked jars, by the public database OSV
	$(BIN)/python procedures/audit.py

check: lint types ## Formatting, linter, types

lint: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(READY)
	$(BIN)/mypy

format: $(READY) ## Format the code and fix what the linter can
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

pages: $(READY) ## Write what the pages of the manual take from the code
	$(BIN)/python tests/pages/pages.py

BENCHES ?= retrieve load paths communities
OPTIONS ?=
bench: $(ALL) plugins ## Latency and throughput: BENCHES="retrieve links" OPTIONS="--line 5.26"
	set -e; for name in $(BENCHES); do $(BIN)/python tests/bench $$name $(OPTIONS); done

MINUTES ?= 10
soak: $(ALL) plugins ## Readers by every method, a writer, an agent, kills, on one graph: MINUTES=60
	$(BIN)/python tests/soak --minutes $(MINUTES)

# A script, its data, and the folder of its tables; --home is beside them, so that a run begins with an empty graph.
define REPRODUCE
	$(BIN)/python tests/reproduction/$(1).py $(2) $(call PLACES,$(or $(OUTPUT),reproduced)/$(1)) $(CHOSEN)
endef
PLACES = --output "$(1)" --home "$(1)/home"

given:
	$(if $(DATA),,$(error DATA is not given. Name the folder of the data: make $(firstword $(MAKECMDGOALS)) DATA=FOLDER. \
		Without data there is make reproduce-sample))
	@test -d "$(DATA)" || { echo "Error: There is no folder $(DATA). Name the one that holds the data: DATA=FOLDER." >&2; exit 2; }

reproduce: given $(ALL) plugins ## LiHua-World's tables from any FOLDER in its format: DATA=FOLDER
	$(BIN)/python tests/reproduction/folder.py "$(DATA)" $(if $(OUTPUT),$(call PLACES,$(OUTPUT))) $(CHOSEN)

reproduce-lihuaworld: given $(ALL) plugins ## The tables of LiHua-World anew, held to the expected: DATA=FOLDER
	$(call REPRODUCE,lihuaworld,"$(DATA)")

reproduce-musique: given $(ALL) plugins ## The tables of MuSiQue anew, held to the expected: DATA=FOLDER
	$(call REPRODUCE,musique,"$(DATA)")

reproduce-2wiki: given $(ALL) plugins ## The table of 2WikiMultiHopQA anew, held to the expected: DATA=FOLDER
	$(call REPRODUCE,twowiki,"$(DATA)")

reproduce-answers: given $(READY) ## Judged answers of a data set, as recorded: DATA=FOLDER NAME=lihuaworld or musique
	$(BIN)/python tests/reproduction/answers.py $(NAME) "$(DATA)" $(if $(OUTPUT),--output "$(OUTPUT)")

reproduce-medical: given $(ALL) plugins ## The table of GraphRAG-Bench Medical: DATA=FOLDER
	$(call REPRODUCE,medical,"$(DATA)")

reproduce-sample: $(ALL) plugins ## The table of the package's own sample, which needs no data
	$(call REPRODUCE,sample,)

expected: $(READY) ## Write expected.toml, reference.md and the pictures from the tables (DATA=FOLDER: that folder's)
	$(BIN)/python tests/reproduction/expect.py $(if $(DATA),"$(DATA)")

clean: ## Remove what was made here (not the downloads, not the databases)
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache procedures/target procedures/*/target qcg_neo4j/server/plugins/*.jar
