"""Seeds of one verdict, all derived from one number.

Weights and inputs get seeds of their own, so that knowing the one (a candidate
constructs its weights under it) does not give the other.
"""

from __future__ import annotations

import hashlib


def derive(seed: int, purpose: str) -> int:
    """A seed in [0, 2**56) for one purpose, for example "model" or "inputs:1"."""
    digest = hashlib.sha256(f"{seed}:{purpose}".encode()).digest()
    return int.from_bytes(digest[:7], "big")
