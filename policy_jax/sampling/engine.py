"""The sampler: slots refilled from a queue, one chunk of decode a step.

What is sampled is a function of the weights, the seed and the request alone:
never of the slot, of when the request came or of what runs beside it. (Two
programs of the ladder may round the last bit of a logit differently; a sample
changes with it only where two tokens tie to that bit.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx

from policy_jax.models import DecoderConfig, Params, abstract_params
from policy_jax.sampling.programs import Cache, Live, copy_slot, decode, empty_cache, prefill
from policy_jax.sampling.types import Finish, SampledTurn, SamplerConfig, SampleRequest


@dataclass
class _Rollout:
    """A request in a slot, and what has been sampled for it."""

    request: SampleRequest
    limit: int  # tokens that may be sampled, at least 1
    weight_version: int
    tokens: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)

    @property
    def context(self) -> tuple[int, ...]:
        return (*self.request.tokens, *self.tokens)

    def finish(self, end_id: int) -> Finish | None:
        if self.tokens and self.tokens[-1] == end_id:
            return "stop"
        return "length" if len(self.tokens) >= self.limit else None

    def turn(self, finish: Finish) -> SampledTurn:
        return SampledTurn(
            self.request.request_id,
            tuple(self.tokens),
            tuple(self.logprobs),
            finish,
            self.weight_version,
        )


class Engine:
    """Continuous batching over a fixed number of slots.

    Call `set_weights` first, `submit` requests, then `step` until nothing is
    `pending`.
    """

    def __init__(
        self, model: DecoderConfig, sampler: SamplerConfig, *, end_id: int, seed: int
    ) -> None:
        self.config = sampler
        self.compilations = 0
        self._model = model
        self._end_id = end_id
        self._root = jax.random.key(seed)
        self._temperature = sampler.temperature
        self._graph, _ = abstract_params(model)
        self._params: Params | None = None
        self._version = -1
        self._queue: deque[SampleRequest] = deque()
        self._slots: list[_Rollout | None] = [None] * sampler.slots
        # What each slot's cache holds: the context last prefilled into it.
        self._held: list[tuple[int, ...] | None] = [None] * sampler.slots
        self._cache = empty_cache(model, sampler.slots, sampler.max_context + sampler.chunk)
        self._prefill = self._program(prefill)
        self._decode = self._program(decode, "steps", "context", "every_slot")
        self._copy = jax.jit(self._counted(copy_slot), donate_argnums=0)

    def set_weights(self, params: Params, version: int) -> None:
        """Samples from these weights from now on.

        Rollouts under way keep their tokens; what is cached for them under
        the old weights is computed again. Nothing cached is shared across
        versions.
        """
        self._params = params
        self._version = version
        self._held = [None] * self.config.slots
        under_way = [slot for slot, rollout in enumerate(self._slots) if rollout is not None]
        self._fill(under_way)

    @contextmanager
    def sampling(self, *, seed: int, temperature: float) -> Iterator[None]:
        """Samples with another seed and temperature in this block; compiles nothing anew.

        Evaluations use it, so that two of them differ by their weights alone.
        """
        before = self._root, self._temperature
        self._root, self._temperature = jax.random.key(seed), temperature
        try:
            yield
        finally:
            self._root, self._temperature = before

    def submit(self, request: SampleRequest) -> None:
        """Queues a request; slots are filled in the order of submission.

        Raises:
            ValueError: no context, or no token may be sampled.
        """
        if not request.tokens or request.max_new_tokens < 1:
            raise ValueError("a sample request needs a context and max_new_tokens of at least 1")
        self._queue.append(request)

    def pending(self) -> int:
        """Requests submitted whose turn has not been returned."""
        return len(self._queue) + sum(rollout is not None for rollout in self._slots)

    def step(self) -> list[SampledTurn]:
        """Refills free slots, decodes one chunk, and returns the turns that ended.

        Raises:
            RuntimeError: no weights were set.
        """
        if self._params is None:
            raise RuntimeError("Engine.set_weights must be called before Engine.step")
        ended = self._admit()
        live = [slot for slot, rollout in enumerate(self._slots) if rollout is not None]
        if not live:
            return ended
        tokens, logprobs = self._decode_chunk(live)
        for slot, new_tokens, new_logprobs in zip(live, tokens, logprobs, strict=True):
            rollout = self._slots[slot]
            assert rollout is not None
            for token, logprob in zip(new_tokens, new_logprobs, strict=True):
                rollout.tokens.append(int(token))
                rollout.logprobs.append(float(logprob))
                if (finish := rollout.finish(self._end_id)) is not None:
                    ended.append(rollout.turn(finish))
                    self._slots[slot] = None
                    break
        return ended

    def _admit(self) -> list[SampledTurn]:
        """Moves requests from the queue to free slots; returns those that find no room."""
        refused: list[SampledTurn] = []
        filled: list[int] = []
        free = deque(slot for slot, rollout in enumerate(self._slots) if rollout is None)
        while self._queue and free:
            request = self._queue.popleft()
            limit = min(request.max_new_tokens, self.config.max_context - len(request.tokens))
            rollout = _Rollout(request, limit, self._version)
            if limit < 1:
                refused.append(rollout.turn("length"))
                continue
            slot = self._best_slot(request.tokens, free)
            self._slots[slot] = rollout
            filled.append(slot)
        self._fill(filled)
        return refused

    def _best_slot(self, context: tuple[int, ...], free: deque[int]) -> int:
        """A free slot, taken from `free`: one that already holds the context if there is one."""
        for slot in free:
            if self._held[slot] == context[:-1]:
                free.remove(slot)
                return slot
        return free.popleft()

    def _fill(self, slots: Sequence[int]) -> None:
        """Brings the cache of these slots to their rollouts' contexts, each context once."""
        wanted: dict[tuple[int, ...], list[int]] = {}
        for slot in slots:
            rollout = self._slots[slot]
            assert rollout is not None
            # The last token of a context is fed by decode.
            wanted.setdefault(rollout.context[:-1], []).append(slot)
        missing: list[tuple[tuple[int, ...], int]] = []
        copies: list[tuple[int, int]] = []
        for context, targets in wanted.items():
            holder = self._holder(context, targets, slots)
            if holder is None:
                holder = targets[0]
                missing.append((context, holder))
            copies += [(holder, target) for target in targets if target != holder]
        self._prefill_all(missing)
        for holder, target in copies:
            self._cache = self._copy(self._cache, np.int32(holder), np.int32(target))
        for context, targets in wanted.items():
            for target in targets:
                self._held[target] = context

    def _holder(
        self, context: tuple[int, ...], targets: Sequence[int], filling: Sequence[int]
    ) -> int | None:
        """A slot that holds `context` and will not be overwritten by another one."""
        for slot, held in enumerate(self._held):
            if held == context and (slot in targets or slot not in filling):
                return slot
        return None

    def _prefill_all(self, missing: list[tuple[tuple[int, ...], int]]) -> None:
        """Prefills (context, slot) pairs, those of like length together."""
        missing = sorted((m for m in missing if m[0]), key=lambda m: len(m[0]))
        largest = self.config.prefill_ladder[-1]
        for start in range(0, len(missing), largest):
            batch = missing[start : start + largest]
            rows = _rung(self.config.prefill_ladder, len(batch))
            length = _rung(self.config.context_ladder, len(batch[-1][0]))
            tokens = np.zeros((rows, length), np.int32)
            slots = np.full(rows, self.config.slots, np.int32)  # padding goes to the last slot
            for row, (context, slot) in enumerate(batch):
                tokens[row, : len(context)] = context
                slots[row] = slot
            self._cache = self._prefill(self._params, self._cache, tokens, slots)

    def _decode_chunk(self, live: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """Samples one chunk for the live slots; tokens and logprobs, both [live, chunk]."""
        rows = _rung(self.config.batch_ladder, len(live))
        every_slot = rows == self.config.slots
        slot = np.full(rows, self.config.slots, np.int32)
        row_of = live if every_slot else range(len(live))
        token, position = np.zeros(rows, np.int32), np.zeros(rows, np.int32)
        key = np.zeros((rows, 4), np.int32)
        for row, number in zip(row_of, live, strict=True):
            rollout = self._slots[number]
            assert rollout is not None
            slot[row] = number
            token[row] = rollout.tokens[-1] if rollout.tokens else rollout.request.tokens[-1]
            position[row] = len(rollout.request.tokens) + len(rollout.tokens) - 1
            key[row] = rollout.request.key
        self._cache, tokens, logprobs = self._decode(
            self._params,
            self._cache,
            Live(*map(jnp.asarray, (slot, token, position, key))),
            self._root,
            np.float32(self._temperature),
            steps=self.config.chunk,
            context=_rung(self.config.context_ladder, int(position.max())),
            every_slot=every_slot,
        )
        tokens, logprobs = jax.device_get((tokens, logprobs))
        return tokens[list(row_of)], logprobs[list(row_of)]

    def _program(self, body: Callable[..., Any], *static: str) -> Callable[..., Any]:
        """`body(model, cache, ...)` compiled as a function of (params, cache, ...)."""

        def program(params: Params, cache: Cache, *args: Any, **options: Any) -> Any:
            return body(nnx.merge(self._graph, params), cache, *args, **options)

        return jax.jit(self._counted(program), static_argnames=static, donate_argnums=1)

    def _counted(self, body: Callable[..., Any]) -> Callable[..., Any]:
        """`body`, counting in `compilations` each time jax traces it."""

        def traced(*args: Any, **options: Any) -> Any:
            self.compilations += 1
            return body(*args, **options)

        return traced


def _rung(ladder: Sequence[int], needed: int) -> int:
    """The smallest rung that is at least `needed`."""
    return next(rung for rung in ladder if rung >= needed)
