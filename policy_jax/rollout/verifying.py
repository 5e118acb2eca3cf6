"""From sampled sources to verdicts: the policy side's use of the verifier.

The client is asynchronous and lives on an event loop in a thread of its own,
so that the thread that drives the accelerator only ever submits and polls.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Hashable
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self, TypeVar

from policy_jax.data.tasks import Task
from policy_jax.errors import LeapError
from policy_jax.rollout.local_verifier import LocalVerifier
from policy_jax.rollout.trajectories import Outcome, TurnVerdict
from protos.leap.verifier.v1 import verifier_pb2 as pb
from protos.leap.verifier.v1.client import VerifierClient, VerifierRefused, VerifierUnavailable

T = TypeVar("T")

_REMEMBERED = 8192  # verdicts kept for identical sources
_RESTARTS = 3  # of a verifier of our own that died, in one session


@dataclass(frozen=True)
class VerifierConfig:
    """Where the verifier is and what it is asked.

    `address`: host:port of one that runs; None starts one here, with `jobs`
    workers. `target`: "auto", "cpu" or "cuda". `timeout_seconds`: of one
    submission once it leaves the queue. `feedback_bytes`: of the feedback.
    """

    address: str | None = None
    target: str = "auto"
    jobs: int | None = None
    timeout_seconds: float = 10.0
    feedback_template: str = "default"
    feedback_bytes: int = 400


class VerifierSession:
    """A connection to a verifier, as a context manager.

    Identical sources for one task share one verdict. Raises LeapError (one
    sentence) on entry if there is no verifier, and from `poll` if it is gone
    for good: what is not judged then is nobody's failure.
    """

    def __init__(self, config: VerifierConfig, log_path: Path) -> None:
        self._config = config
        self._local = (
            LocalVerifier(config.target, config.jobs, log_path) if config.address is None else None
        )
        self._results: SimpleQueue[tuple[Hashable, TurnVerdict | BaseException]] = SimpleQueue()
        self._verdicts: OrderedDict[tuple[str, str], asyncio.Task[TurnVerdict]] = OrderedDict()
        self._deliveries: set[asyncio.Task[None]] = set()
        self._session_id = uuid.uuid4().hex
        self._requests = 0
        self._restarts = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, daemon=True, name="verifier-client"
        )
        self._client: VerifierClient | None = None
        self.capabilities = pb.GetCapabilitiesResponse()

    def __enter__(self) -> Self:
        if self._local is not None:
            self._local.start()
        self._thread.start()
        try:
            self._call(self._connect())
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._call(self._disconnect())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        if self._local is not None:
            self._local.stop()

    @property
    def address(self) -> str:
        """host:port that this session talks to."""
        return self._local.address if self._local is not None else self._config.address or ""

    def run(self, work: Callable[[VerifierClient], Coroutine[Any, Any, T]]) -> T:
        """Run `work` with the client on the session's loop, and wait for what it returns."""
        assert self._client is not None
        try:
            return self._call(work(self._client))
        except (VerifierRefused, VerifierUnavailable) as error:
            raise _readable(error, self.address) from None

    def submit(self, ticket: Hashable, task: Task, source: str) -> None:
        """Ask for the verdict on `source`; `poll` returns it with `ticket`."""
        self._loop.call_soon_threadsafe(self._start, ticket, task, source)

    def poll(self, timeout: float) -> list[tuple[Hashable, TurnVerdict]]:
        """The verdicts that came, waiting up to `timeout` seconds for the first."""
        arrived: list[tuple[Hashable, TurnVerdict]] = []
        try:
            while True:
                ticket, result = self._results.get(timeout > 0 and not arrived, timeout or None)
                if isinstance(result, BaseException):
                    raise _readable(result, self.address)
                arrived.append((ticket, result))
        except Empty:
            return arrived

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run `work` on the loop and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _connect(self) -> None:
        self._reviving = asyncio.Lock()
        self._client = VerifierClient(
            self.address,
            token=os.environ.get("LEAP_VERIFIER_TOKEN"),
            client_id=f"leap-{self._session_id}",
        )
        try:
            self.capabilities = await self._client.capabilities()
        except (VerifierRefused, VerifierUnavailable) as error:
            raise _readable(error, self.address) from None
        self._slots = asyncio.Semaphore(self.capabilities.limits.max_queued or 64)

    async def _disconnect(self) -> None:
        pending = [*self._deliveries, *self._verdicts.values()]
        for task in pending:
            task.cancel()
        await asyncio.gather(*pending, return_exceptions=True)
        if self._client is not None:
            await self._client.close()

    def _start(self, ticket: Hashable, task: Task, source: str) -> None:
        """On the loop: join the verdict on the same source, or ask for it."""
        key = (task.digest, source)
        shared = self._verdicts.pop(key, None)
        if shared is None or _failed(shared):
            shared = self._loop.create_task(self._verify(task, source))
        self._verdicts[key] = shared  # the newest last
        while len(self._verdicts) > _REMEMBERED:
            self._verdicts.popitem(last=False)
        delivery = self._loop.create_task(self._deliver(ticket, shared))
        self._deliveries.add(delivery)
        delivery.add_done_callback(self._deliveries.discard)

    async def _deliver(self, ticket: Hashable, shared: asyncio.Task[TurnVerdict]) -> None:
        try:
            self._results.put((ticket, await asyncio.shield(shared)))
        except Exception as error:
            self._results.put((ticket, error))

    async def _verify(self, task: Task, source: str) -> TurnVerdict:
        assert self._client is not None
        started = time.monotonic()
        self._requests += 1
        request = verify_request(task, source, self._config)
        request.request_id = f"{self._session_id}-{self._requests}"
        async with self._slots:
            while True:
                try:
                    response = await self._client.verify(request)
                    break
                except VerifierUnavailable:
                    if not await self._revived():
                        raise
        return turn_verdict(response.verdicts[0], time.monotonic() - started)

    async def _revived(self) -> bool:
        """Start a verifier of our own again where it died; whether asking again makes sense."""
        if self._local is None:
            return False
        async with self._reviving:
            if not self._local.alive:
                if self._restarts == _RESTARTS:
                    return False
                self._restarts += 1
                await asyncio.to_thread(self._local.start)
                return True
            return self._restarts > 0  # another request has just revived it


def verify_request(task: Task, source: str, config: VerifierConfig) -> pb.VerifyRequest:
    """What the verifier is asked about one CUDA source; no `request_id` yet."""
    request = pb.VerifyRequest(
        task=pb.Task(
            id=task.id,
            reference=task.reference,
            digest=task.digest,
            input_sets=[
                pb.InputSet(
                    name=each.name,
                    inputs_function=each.inputs_function,
                    init_inputs_function=each.init_inputs_function,
                )
                for each in task.input_sets
            ],
        ),
        submissions=[pb.Submission(format=pb.SUBMISSION_FORMAT_CUDA, source=source)],
        checks=pb.CHECKS_CORRECTNESS,
        target=pb.Target.Value(f"TARGET_{config.target.upper()}"),
        feedback=pb.FeedbackOptions(
            template=config.feedback_template, max_bytes=config.feedback_bytes
        ),
    )
    request.timeout.FromMicroseconds(round(config.timeout_seconds * 1e6))
    if task.extra_tolerance is not None:
        absolute, relative = task.extra_tolerance
        request.task.extra_tolerance.CopyFrom(pb.Tolerance(absolute=absolute, relative=relative))
    return request


def turn_verdict(verdict: pb.Verdict, seconds: float) -> TurnVerdict:
    """A verdict as the rollouts see it; an outcome that we do not know is an INFRA_ERROR."""
    outcomes = {pb.OUTCOME_PASSED: Outcome.PASSED, pb.OUTCOME_FAILED: Outcome.FAILED}
    return TurnVerdict(
        outcome=outcomes.get(verdict.outcome, Outcome.LOST),
        code="PASSED" if verdict.outcome == pb.OUTCOME_PASSED else _code_name(verdict.code),
        message=verdict.message,
        feedback=verdict.feedback,
        seconds=seconds,
        digest=verdict.content_digest,
    )


def _code_name(code: int) -> str:
    known = code in pb.Code.values()
    return pb.Code.Name(code).removeprefix("CODE_") if known else f"UNKNOWN_{code}"  # type: ignore[arg-type]


def _failed(shared: asyncio.Task[TurnVerdict]) -> bool:
    """Whether a verdict asked for earlier is worth nothing to those who ask now."""
    if not shared.done():
        return False
    if shared.cancelled() or shared.exception() is not None:
        return True
    return shared.result().outcome is Outcome.LOST


def _readable(error: BaseException, address: str) -> BaseException:
    """The error as one sentence for a person, where it is the verifier that is gone."""
    if isinstance(error, VerifierUnavailable):
        return LeapError(
            f"no verifier answers at {address} ({error}): start one with `leap-verifier serve`, "
            "or leave verifier.address out and one is started here"
        )
    if isinstance(error, VerifierRefused):
        return LeapError(f"the verifier at {address} refuses: {error}")
    return error
