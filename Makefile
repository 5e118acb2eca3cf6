# make train   cold start, LEAP reinforcement learning, evaluation (configs/quickstart.yaml)
# make test    lint, types, import contracts, tests
# make venv    only the set-up of the two above
#
# PYTHON=/path/to/python  uses a prepared environment and installs nothing.
# CONFIG=configs/x.yaml   trains another run.

CONFIG ?= configs/quickstart.yaml
BASE_PYTHON ?= python3

ifdef PYTHON
READY :=
else
PYTHON := .venv/bin/python
READY := .venv/ready
endif

.PHONY: train test lint venv protos
train: $(READY)
	$(PYTHON) -m policy_jax.cli train $(CONFIG)

test: lint
	$(PYTHON) -m pytest -n 2 --dist worksteal

lint: $(READY)
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(PYTHON) -c "from importlinter.cli import lint_imports_command as c; c()"

venv: .venv/ready

.venv/ready: pyproject.toml constraints.txt
	$(BASE_PYTHON) -m venv .venv
	.venv/bin/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[policy,verifier,dev]'
	touch $@

# The stubs are committed; this writes them again after a change of the contract.
protos: $(READY)
	PATH="$(dir $(PYTHON)):$$PATH" $(PYTHON) -m grpc_tools.protoc -I. \
		--python_out=. --grpc_python_out=. --mypy_out=. --mypy_grpc_out=. \
		protos/leap/verifier/v1/verifier.proto
