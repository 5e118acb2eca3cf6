"""What goes into the sampler and what comes out of it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

Finish = Literal["stop", "length"]


@dataclass(frozen=True)
class SamplerConfig:
    """Capacity of the engine and the ladder of shapes that it compiles.

    Attributes:
        slots: rollouts decoded at once.
        max_context: tokens of context and answer together, at most.
        temperature: divides the logits; there is no top-k or top-p.
        chunk: tokens decoded between two looks at the queue.
        context_ladder: lengths that prefill is padded to and that decode
            attends over; the last must be `max_context`.
        batch_ladder: live rollouts that decode is padded to; the last must be
            `slots`.
        prefill_ladder: contexts that one prefill is padded to.

    Raises:
        ValueError: a ladder is not increasing or does not end where it must,
            or a number is not positive.
    """

    slots: int = 64
    max_context: int = 512
    temperature: float = 1.0
    chunk: int = 8
    context_ladder: tuple[int, ...] = (128, 256, 512)
    batch_ladder: tuple[int, ...] = (16, 64)
    prefill_ladder: tuple[int, ...] = (2, 8)

    def __post_init__(self) -> None:
        for name in ("slots", "max_context", "chunk"):
            if getattr(self, name) < 1:
                raise ValueError(f"sampler.{name} must be at least 1, not {getattr(self, name)}")
        if not self.temperature > 0:
            raise ValueError(f"sampler.temperature must be above 0, not {self.temperature}")
        for name, end in (
            ("context_ladder", self.max_context),
            ("batch_ladder", self.slots),
            ("prefill_ladder", None),
        ):
            ladder = getattr(self, name)
            if not ladder or ladder[0] < 1 or list(ladder) != sorted(set(ladder)):
                raise ValueError(f"sampler.{name} must increase and not be empty: {ladder}")
            if end is not None and ladder[-1] != end:
                raise ValueError(f"sampler.{name} must end at {end}, not at {ladder[-1]}")

    @property
    def programs(self) -> int:
        """How many programs the ladders allow; the engine never compiles more."""
        prefill = len(self.context_ladder) * len(self.prefill_ladder)
        return prefill + len(self.context_ladder) * len(self.batch_ladder) + 1


@dataclass(frozen=True)
class SampleRequest:
    """One turn to sample.

    Attributes:
        request_id: comes back with the turn.
        key: (step, group, member, turn); with the engine's seed and the
            position, all that decides the random numbers.
        tokens: the whole context, prompt and earlier turns; at least one.
        max_new_tokens: the turn is cut here, if the context has room for it.
    """

    request_id: Hashable
    key: tuple[int, int, int, int]
    tokens: tuple[int, ...]
    max_new_tokens: int


@dataclass(frozen=True)
class SampledTurn:
    """What was sampled for one request.

    Attributes:
        tokens: the sampled ids; with finish "stop" the last is the end token.
        logprobs: log-prob of each at the sampler's temperature.
        finish: "stop": the end token was sampled; "length": cut at
            `max_new_tokens` or at `max_context`.
        weight_version: the oldest weights that sampled a token of this turn.
    """

    request_id: Hashable
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    finish: Finish
    weight_version: int
