# Every target that needs Python makes .venv first. Results of a run are never removed.
AGENT = jev
MODEL =
TASKS =
SEEDS =
MAX_STEPS =
OUT =
ARGS =
EXTRA =
PYTHON =

PACKAGES = -p agent -p benchmark -p browser -p llm
RUN = .venv/bin/python
SETUP = PYTHON='$(PYTHON)' sh setup.sh
# Finds or installs a browser, and names it to whatever runs after it on the same line.
BROWSER = BROWSER_EXECUTABLE="$$($(RUN) -m browser.install)" && export BROWSER_EXECUTABLE &&
# Only what is set is passed on: the defaults are the runner's.
SAME = $${TASKS:+--tasks "$$TASKS"} $${SEEDS:+--seeds "$$SEEDS"} $${MAX_STEPS:+--max-steps "$$MAX_STEPS"} \
	$${OUT:+--out "$$OUT"}
MINIWOB = TASKS='$(TASKS)' SEEDS='$(SEEDS)' MAX_STEPS='$(MAX_STEPS)' OUT='$(OUT)' MODEL='$(MODEL)' && \
	$(RUN) benchmark/run_miniwob.py

.PHONY: help setup miniwob baselines debug test lint doctor bench parity clean

help:
	@echo 'make miniwob AGENT=jev   run an agent on MiniWoB; does its own set-up'
	@echo '     MODEL= TASKS=quick SEEDS=5 MAX_STEPS= OUT= ARGS="more options"'
	@echo '     EXTRA=sparrow       install an optional model first'
	@echo 'make baselines           the agents random and submit-once, same TASKS and SEEDS'
	@echo 'make debug               two tasks, one seed, in process'
	@echo 'make test                lint and all tests'
	@echo 'make lint                ruff and mypy'
	@echo 'make doctor              what is found, what is missing, what to do'
	@echo 'make bench               speed against stock BrowserGym'
	@echo 'make parity              same actions, same verdicts as stock BrowserGym'
	@echo 'make setup               only .venv and a browser'
	@echo 'make clean               remove .venv and caches, never results'
	@echo 'PYTHON=/path/to/python3.12 chooses the interpreter.'

setup:
	@$(SETUP) $(EXTRA)
	@$(BROWSER) :

miniwob:
	@$(SETUP) $(EXTRA)
	@$(BROWSER) $(MINIWOB) --agent '$(AGENT)' $${MODEL:+--model "$$MODEL"} $(SAME) $(ARGS)

baselines:
	@$(SETUP)
	@$(BROWSER) for agent in random submit-once; do $(MINIWOB) --agent $$agent $(SAME) $(ARGS) || exit; done

debug:
	@$(SETUP)
	@$(BROWSER) $(MINIWOB) --agent '$(AGENT)' --tasks click-test,enter-text --seeds 1 $(ARGS)

test:
	@$(SETUP) dev
	@$(MAKE) -s lint
	@$(BROWSER) $(RUN) -m pytest $(ARGS)

lint:
	@$(SETUP) dev
	@echo 'Linting ...'
	@$(RUN) -m ruff check .
	@$(RUN) -m ruff format --check .
	@$(RUN) -m mypy $(PACKAGES)

doctor:
	@$(SETUP)
	@$(RUN) -m benchmark.doctor

bench:
	@$(SETUP)
	@$(BROWSER) $(RUN) -m benchmark.bench_speed $(ARGS)

parity:
	@$(SETUP)
	@$(BROWSER) $(RUN) -m benchmark.parity $(ARGS)

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info
	find . -name __pycache__ -prune -exec rm -rf {} +
