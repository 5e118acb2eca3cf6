from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.verifying import Verifier, running_verifier


@pytest.fixture(scope="session")
def verifier() -> Iterator[Verifier]:
    """One verifier for all tests of a session."""
    with running_verifier("--with-parent") as running:
        yield running
