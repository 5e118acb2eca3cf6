"""What must be set before jax is imported; the command line does it first."""

from __future__ import annotations

import os
from pathlib import Path

_DEFAULTS = {
    # Quiet: XLA's notices are of no use to the person at the terminal.
    "TF_CPP_MIN_LOG_LEVEL": "2",
    # A verifier on the same GPU needs memory too, so take what is used only.
    "XLA_PYTHON_CLIENT_PREALLOCATE": "false",
    # A resumed run does not compile again what it compiled before.
    "JAX_COMPILATION_CACHE_DIR": str(
        Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "leap" / "jax"
    ),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "1",
}
_XLA_FLAGS = (
    "--xla_gpu_deterministic_ops=true",  # a resumed run is the same to the bit
)


def prepare() -> None:
    """Set the environment that jax reads when it is imported; what is set already stays."""
    for name, value in _DEFAULTS.items():
        os.environ.setdefault(name, value)
    given = os.environ.get("XLA_FLAGS", "")
    missing = [flag for flag in _XLA_FLAGS if flag.partition("=")[0] not in given]
    os.environ["XLA_FLAGS"] = " ".join(filter(None, (given, *missing)))


def quiet_orbax() -> None:
    """Orbax logs what fails in its threads with a traceback; the error itself is enough."""
    from absl import logging

    logging.set_verbosity(logging.FATAL)
