# Every target that needs Python makes .venv first. Results of a run are never removed.
AGENT = jev
MODEL =
DECISION_MODEL =
TASKS =
SEEDS =
MAX_STEPS =
ACTIONS =
WORKERS =
THRESHOLDS =
OUT =
ARGS =
EXTRA =
RUN = results/runs/miniwob
RUNS = results/runs/miniwob
AGAINST =
URL =
GOAL =
HEADED =
SHOW_TABLE =
MODELS = embedded
PYTHON =

PACKAGES = -p agent -p benchmark -p browser -p llm
PY = .venv/bin/python
SETUP = PYTHON='$(PYTHON)' sh setup.sh
# Finds or installs a browser, and names it to whatever runs after it on the same line.
BROWSER = BROWSER_EXECUTABLE="$$($(PY) -m browser.install)" && export BROWSER_EXECUTABLE &&
# Set to 0 is not set.
WINDOW = $(filter-out 0,$(HEADED))
TABLE = $(filter-out 0,$(SHOW_TABLE))
# The same, or one that can open a window.
SHOWN_BROWSER = $(if $(WINDOW),BROWSER_EXECUTABLE="$$($(PY) -m browser.install --window)" && export BROWSER_EXECUTABLE \
	&&,$(BROWSER))
# Only what is set is passed on: the defaults are the runner's.
SAME = $${TASKS:+--tasks "$$TASKS"} $${SEEDS:+--seeds "$$SEEDS"} $${MAX_STEPS:+--max-steps "$$MAX_STEPS"} \
	$${OUT:+--out "$$OUT"} $${WORKERS:+--workers "$$WORKERS"} $${ACTIONS:+--actions "$$ACTIONS"}
CHOSEN = TASKS='$(TASKS)' SEEDS='$(SEEDS)' MAX_STEPS='$(MAX_STEPS)' OUT='$(OUT)' MODEL='$(MODEL)' \
	DECISION_MODEL='$(DECISION_MODEL)' WORKERS='$(WORKERS)' ACTIONS='$(ACTIONS)' &&
MINIWOB = $(CHOSEN) $(PY) benchmark/run_miniwob.py
ASKS = $${MODEL:+--model "$$MODEL"} $${DECISION_MODEL:+--decision-model "$$DECISION_MODEL"}
COMMA = ,
NOTHING =
SPACE = $(NOTHING) $(NOTHING)
# What redecide asks, each perhaps followed by a colon and a model of its service.
ASKED = $(foreach model,$(MODELS),$(firstword $(subst :, ,$(model))))
LOCAL = $(filter local,$(MODEL) $(patsubst logprobs:%,%,$(MODELS)))
PARALLEL = $(if $(filter-out 1,$(WORKERS)),parallel)
# Decision models that are packages of their own.
PACKAGED = $(filter sparrow laya,$(DECISION_MODEL) $(ASKED))
EXTRAS = $(subst $(SPACE),$(COMMA),$(strip $(EXTRA) $(PACKAGED) $(if $(LOCAL),local-llm) $(PARALLEL)))
# The small model is fetched where no other file is named.
WEIGHTS = $(if $(LOCAL),$(if $(LOCAL_MODEL),,$(PY) -m llm.weights >/dev/null &&))

.PHONY: help setup miniwob webarena run cascade local-llm baselines debug report compare replay redecide train test lint doctor
.PHONY: bench bench-tokens bench-webarena bench-perception bench-steps decide-bench scaling drill parity clean

help:
	@echo 'make miniwob AGENT=jev   run an agent on MiniWoB; does its own set-up'
	@echo '     MODEL= TASKS=quick SEEDS=5 MAX_STEPS= OUT= ARGS="more options"'
	@echo '     ACTIONS=extended    offer drag, hover, double click, key chords and more as well'
	@echo '     WORKERS=2           browsers at once; installs Ray first'
	@echo '     DECISION_MODEL=sparrow    what decides for jev: typesafe, openrouter, logprobs and more'
	@echo '     EXTRA=name          install an optional package first'
	@echo '     AGENT=react MODEL=local   a small language model on this machine; LOCAL_MODEL=FILE.gguf for another'
	@echo 'make webarena            WebArena on sites of your own; says what is missing (docs/webarena.md)'
	@echo '     TASKS=standin       twenty tasks on stand-in sites, which it installs and starts itself; AGENT=oracle does them'
	@echo 'make run URL=http://... GOAL="what to do"   an agent on any page, step by step; AGENT= MODEL= MAX_STEPS=30'
	@echo '     HEADED=1 SHOW_TABLE=1   show the browser; print the page as the agent sees it'
	@echo 'make cascade MODEL=local THRESHOLDS=0,0.5,1.01   success of the cascade against what it chats'
	@echo 'make local-llm           install and fetch that small model'
	@echo 'make baselines           the agents random and submit-once, same TASKS and SEEDS'
	@echo 'make debug               two tasks, one seed, in process'
	@echo 'make compare             agents on the same episodes, pair by pair; RUNS="DIR DIR:AGENT"'
	@echo 'make report              a run as pages to read; RUN=results/runs/miniwob OUT=RUN/report'
	@echo 'make replay              the decisions of a run with --keep-ticks made up again, no browser; RUN= AGAINST=RUN2'
	@echo 'make redecide            other decision models on the ticks of such a run; RUN= MODELS="embedded sparrow"'
	@echo 'make train               fit the embedded model anew: explore, keep what was solved, fit; OUT= ARGS="--workers 2"'
	@echo 'make test                lint and all tests'
	@echo 'make lint                ruff and mypy'
	@echo 'make doctor              what is found, what is missing, what to do'
	@echo 'make bench               speed against stock BrowserGym'
	@echo 'make bench-tokens        prompt tokens of the element table against the accessibility tree'
	@echo 'make bench-steps         time of one step beside its decision, on MiniWoB and on 120 controls'
	@echo 'make bench-webarena      time of one step beside the WebArena task class of BrowserGym, on stand-in sites'
	@echo 'make bench-perception    time and size of a look beside BrowserGym, from 28 to 20,000 controls'
	@echo 'make decide-bench        decision models on the same frozen ticks: speed, options, valid answers'
	@echo 'make scaling             episodes per second of 2 workers against 1'
	@echo 'make drill               kill a worker, a browser and the runner; the same command makes up for it'
	@echo 'make parity              same actions, same verdicts as stock BrowserGym'
	@echo 'make setup               only .venv and a browser'
	@echo 'make clean               remove all environments and caches, never results'
	@echo 'PYTHON=/path/to/python3.12 chooses the interpreter.'

setup:
	@$(SETUP) $(EXTRA)
	@$(BROWSER) :

miniwob:
	@$(SETUP) $(EXTRAS)
	@$(WEIGHTS) $(BROWSER) $(MINIWOB) --agent '$(AGENT)' $(ASKS) $(SAME) $(ARGS)

webarena:
	@$(SETUP) $(EXTRAS)
	@$(PY) -m benchmark.webarena.install
	@$(if $(findstring standin,$(TASKS)),$(PY) -m benchmark.standins build)
	@$(WEIGHTS) $(BROWSER) $(CHOSEN) $(PY) benchmark/run_webarena.py --agent '$(AGENT)' $(ASKS) \
		$${TASKS:+--tasks "$$TASKS"} $${MAX_STEPS:+--max-steps "$$MAX_STEPS"} $${OUT:+--out "$$OUT"} \
		$${WORKERS:+--workers "$$WORKERS"} $(ARGS)

# Handed over by the environment: a goal may hold any quotes.
run: export URL := $(URL)
run: export GOAL := $(GOAL)
run:
	@$(SETUP) $(EXTRAS)
	@$(WEIGHTS) $(SHOWN_BROWSER) MAX_STEPS='$(MAX_STEPS)' OUT='$(OUT)' MODEL='$(MODEL)' ACTIONS='$(ACTIONS)' \
	DECISION_MODEL='$(DECISION_MODEL)' && $(PY) benchmark/run_page.py "$$URL" --goal "$$GOAL" --agent '$(AGENT)' \
	$(ASKS) $(if $(WINDOW),--headed) $(if $(TABLE),--show-table) $${MAX_STEPS:+--max-steps "$$MAX_STEPS"} \
	$${ACTIONS:+--actions "$$ACTIONS"} $${OUT:+--out "$$OUT"} $(ARGS)

cascade:
	@$(SETUP) $(subst $(SPACE),$(COMMA),$(strip notebook $(subst $(COMMA),$(SPACE),$(EXTRAS))))
	@$(WEIGHTS) $(BROWSER) THRESHOLDS='$(THRESHOLDS)' && $(CHOSEN) $(PY) -m benchmark.measure.cascade_curve $(ASKS) \
		$${THRESHOLDS:+--thresholds "$$THRESHOLDS"} $(SAME) $(ARGS)

local-llm:
	@$(SETUP) local-llm
	@$(PY) -m llm.weights

baselines:
	@$(SETUP) $(EXTRAS)
	@$(BROWSER) for agent in random submit-once; do $(MINIWOB) --agent $$agent $(SAME) $(ARGS) || exit; done

debug:
	@$(SETUP)
	@$(BROWSER) $(MINIWOB) --agent '$(AGENT)' --tasks click-test,enter-text --seeds 1 $(ARGS)

compare:
	@$(SETUP)
	@RUNS='$(RUNS)' OUT='$(OUT)' && $(PY) -m benchmark.compare $$RUNS $${OUT:+--out "$$OUT"} $(ARGS)

report:
	@$(SETUP)
	@OUT='$(OUT)' && $(PY) -m benchmark.report '$(RUN)' $${OUT:+--out "$$OUT"} $(ARGS)

replay:
	@$(SETUP)
	@AGAINST='$(AGAINST)' && $(PY) -m benchmark.decisions.replay '$(RUN)' $${AGAINST:+--against "$$AGAINST"} $(ARGS)

redecide:
	@$(SETUP) $(EXTRAS)
	@$(WEIGHTS) OUT='$(OUT)' && $(PY) -m benchmark.decisions.redecide '$(RUN)' $(MODELS:%=--model %) $${OUT:+--out "$$OUT"} $(ARGS)

train:
	@$(SETUP) train
	@$(BROWSER) OUT='$(OUT)' && $(PY) -m benchmark.training.train --out "$${OUT:-results/runs/train}" $(ARGS)

test:
	@$(SETUP) dev
	@$(MAKE) -s lint
	@$(PY) -m llm.weights >/dev/null
	@$(PY) -m benchmark.webarena.install
	@$(PY) -m benchmark.standins build
	@$(BROWSER) $(PY) -m pytest -n 2 --dist loadfile $(ARGS)

lint:
	@$(SETUP) dev
	@echo 'Linting ...'
	@$(PY) -m ruff check .
	@$(PY) -m ruff format --check .
	@$(PY) -m mypy $(PACKAGES)

doctor:
	@$(SETUP)
	@$(PY) -m benchmark.doctor

bench:
	@$(SETUP)
	@$(BROWSER) $(PY) -m benchmark.measure.speed $(ARGS)

bench-tokens:
	@$(SETUP) local-llm
	@$(if $(LOCAL_MODEL),,$(PY) -m llm.weights >/dev/null &&) $(BROWSER) $(PY) -m benchmark.measure.tokens $(ARGS)

bench-webarena:
	@$(SETUP) webarena
	@$(PY) -m benchmark.standins build
	@$(BROWSER) $(PY) -m benchmark.measure.webarena $(ARGS)

bench-perception:
	@$(SETUP)
	@$(BROWSER) $(PY) -m benchmark.measure.perception $(ARGS)

bench-steps:
	@$(SETUP)
	@$(BROWSER) $(PY) -m benchmark.measure.steps $(ARGS)

decide-bench:
	@$(SETUP) $(EXTRAS)
	@$(WEIGHTS) $(BROWSER) MODEL='$(MODEL)' && $(PY) -m benchmark.measure.decide $${MODEL:+--model "$$MODEL"} $(ARGS)

scaling:
	@$(SETUP) parallel
	@$(BROWSER) $(PY) -m benchmark.measure.workers $(ARGS)

drill:
	@$(SETUP) parallel
	@$(BROWSER) OUT='$(OUT)' && $(PY) -m benchmark.measure.kill_drill --out "$${OUT:-results/runs/drill}" $(ARGS)

parity:
	@$(SETUP)
	@$(BROWSER) $(PY) -m benchmark.measure.parity $(ARGS)

clean:
	rm -rf .venv .venv-webarena .venv-standins .cache/standins .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
