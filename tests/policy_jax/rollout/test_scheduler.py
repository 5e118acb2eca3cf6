"""The scheduler against a scripted sampler and verdicts that come in any order."""

from collections import Counter, deque
from collections.abc import Hashable, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from policy_jax.data.tasks import Task
from policy_jax.rollout.dcp import Decision, Thresholds
from policy_jax.rollout.groups import Phase
from policy_jax.rollout.scheduler import Interrupted, RolloutConfig, Scheduler, Snapshot
from policy_jax.rollout.trajectories import Group, Outcome, TurnVerdict
from policy_jax.sampling import SampledTurn, SampleRequest

END = 3


class CharTokenizer:
    """One character, one token."""

    user_id, assistant_id, end_id = 1, 2, END

    def encode(self, text: str) -> list[int]:
        return [ord(c) + 10 for c in text]

    def decode(self, tokens: Sequence[int]) -> str:
        return "".join(chr(t - 10) for t in tokens if t >= 10)


class ScriptedSampler:
    """Says what `script[group][member][turn]` says; `#` cuts it by length."""

    def __init__(self, script: list[list[list[str]]]) -> None:
        self.script = script
        self.queue: deque[SampleRequest] = deque()
        self.seen: dict[tuple, tuple[int, ...]] = {}

    def submit(self, request: SampleRequest) -> None:
        assert request.key not in self.seen
        self.seen[request.key] = request.tokens
        self.queue.append(request)

    def step(self) -> list[SampledTurn]:
        request = self.queue.popleft()
        _, g, m, turn = request.key
        said = self.script[g][m][turn]
        cut = said == "#"
        text = "``" if cut else f"```cuda\n{said}\n```"
        tokens = (*CharTokenizer().encode(text), *(() if cut else (END,)))
        logprobs = tuple(-0.1 * (i + 1) for i in range(len(tokens)))
        return [SampledTurn(request.request_id, tokens, logprobs, "length" if cut else "stop", 7)]

    def pending(self) -> int:
        return len(self.queue)


class SlowVerdicts:
    """Source "p…" passes, "f…" fails, "x…" is lost; verdicts come in an order drawn by `rng`."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.open: list[tuple[Hashable, str]] = []
        self.asked: Counter[str] = Counter()

    def submit(self, ticket: Hashable, task: Task, source: str) -> None:
        self.asked[source.strip()] += 1
        self.open.append((ticket, source))

    def poll(self, timeout: float) -> list[tuple[Hashable, TurnVerdict]]:
        if not self.open or (timeout == 0 and self.rng.random() < 0.5):
            return []
        ticket, source = self.open.pop(int(self.rng.integers(len(self.open))))
        outcome = {"p": Outcome.PASSED, "x": Outcome.LOST}.get(source[:1], Outcome.FAILED)
        return [(ticket, TurnVerdict(outcome, outcome.name, feedback=f"wrong: {source.strip()}"))]


def _config(**changes) -> RolloutConfig:
    fields = {
        "group_size": 4,
        "max_turns": 3,
        "max_new_tokens": 30,
        "max_feedback_tokens": 20,
        "max_context": 400,
        "thresholds": Thresholds.of(2, 3, 4),
    }
    return RolloutConfig(**{**fields, **changes})


def _run(
    script: list[list[list[str]]], seed: int = 0, **changes
) -> tuple[list[Group], ScriptedSampler, SlowVerdicts]:
    sampler, verdicts = ScriptedSampler(script), SlowVerdicts(np.random.default_rng(seed))
    tasks = [Task(id=f"t{g}", reference=f"reference {g}") for g in range(len(script))]
    scheduler = Scheduler(sampler, verdicts, CharTokenizer(), _config(**changes))
    return scheduler.run(tasks, step=5), sampler, verdicts


def _solved(group: Group) -> list[int | None]:
    return list(group.solved_at)


def test_debugging_goes_on_until_passed_or_out_of_turns() -> None:
    (group,), _, _ = _run([[["p"], ["f", "p"], ["f", "f", "p"], ["f", "f", "f"]]])
    assert group.decision is Decision.DEBUG
    assert _solved(group) == [1, 2, 3, None]
    assert [len(t.turns) for t in group.trajectories] == [1, 2, 3, 3]


def test_easy_and_hopeless_groups_are_pruned() -> None:
    easy, hopeless = _run([[["p"], ["p"], ["p"], ["f"]], [["f"], ["f"], ["f"], ["f"]]])[0]
    assert easy.decision is Decision.EASY
    assert hopeless.decision is Decision.HOPELESS
    assert all(len(t.turns) == 1 for g in (easy, hopeless) for t in g.trajectories)


def test_evaluation_never_prunes_and_says_what_dcp_would() -> None:
    (group,), _, _ = _run([[["p"], ["p"], ["p"], ["f", "f", "p"]]], prune=False)
    assert group.decision is Decision.EASY
    assert _solved(group) == [1, 1, 1, 3]


def test_lost_members_leave_the_group() -> None:
    """One of two valid failed: at half, debugged. Losing a later turn keeps the decision."""
    (group,), _, _ = _run([[["p"], ["x"], ["x"], ["f", "x"]]])
    assert group.decision is Decision.DEBUG
    assert group.valid == (True, False, False, False)
    assert [len(t.turns) for t in group.trajectories] == [1, 1, 1, 2]


def test_turn_cut_by_length_fails_without_the_verifier() -> None:
    (group,), _, verdicts = _run([[["p"], ["p"], ["#", "p2"], ["f", "p3"]]])
    first, second = group.trajectories[2].turns
    assert first.truncated
    assert first.verdict.code == "TRUNCATED"
    assert first.verdict.outcome is Outcome.FAILED
    assert verdicts.asked == Counter({"p": 2, "f": 1, "p2": 1, "p3": 1})
    # The end that the model did not write is appended to the next prompt.
    assert second.prompt_tokens[:2] == (END, CharTokenizer.user_id)
    assert group.trajectories[3].turns[1].prompt_tokens[0] == CharTokenizer.user_id


def test_what_does_not_fit_ends_the_rollout_as_failed() -> None:
    (group,), _, _ = _run([[["p"], ["f"], ["p"], ["f"]]], max_context=120, max_new_tokens=40)
    assert group.decision is Decision.DEBUG
    assert _solved(group) == [1, None, 1, None]
    assert [t.out_of_room for t in group.trajectories] == [False, True, False, True]


def test_prompt_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match=r"task t0.*no room"):
        _run([[["p"]] * 4], max_context=50)


def test_tokens_in_tokens_out() -> None:
    """The context of turn n + 1 is turn n's with what was sampled and told appended."""
    (group,), sampler, _ = _run([[["p"], ["f", "f2", "p"], ["p"], ["f", "f2", "f3"]]])
    for trajectory in group.trajectories:
        context: tuple[int, ...] = ()
        for n, turn in enumerate(trajectory.turns):
            context += turn.prompt_tokens
            assert sampler.seen[5, 0, trajectory.member, n] == context
            context += turn.tokens
        assert trajectory.tokens == context


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.data())
def test_verdict_timing_changes_nothing(seed: int, data) -> None:
    turns = st.lists(st.sampled_from(["p", "f", "f", "x", "#"]), min_size=3, max_size=3)
    script = data.draw(st.lists(st.lists(turns, min_size=4, max_size=4), min_size=1, max_size=3))
    in_order, sampler, _ = _run(script, seed=0)
    shuffled, other_sampler, _ = _run(script, seed=seed)
    assert in_order == shuffled
    assert sampler.seen == other_sampler.seen


def test_next_turn_starts_before_the_last_verdict() -> None:
    """With two failures and a pass of four the decision is certain: nobody waits for the fourth."""

    class Withheld(SlowVerdicts):
        def poll(self, timeout: float) -> list[tuple[Hashable, TurnVerdict]]:
            late = [entry for entry in self.open if entry[1].startswith("plate")]
            if late and self.asked["f2"] < 2:
                self.open.remove(late[0])
                answer = super().poll(timeout)
                self.open += late
                return answer
            return super().poll(timeout)

    sampler = ScriptedSampler([[["p"], ["f", "f2", "p"], ["f", "f2", "p"], ["plate"]]])
    verdicts = Withheld(np.random.default_rng(0))
    polls = iter(range(1000))
    (group,) = Scheduler(sampler, verdicts, CharTokenizer(), _config()).run(
        [Task("t", "r")], step=0, should_stop=lambda: next(polls) == 999
    )
    assert _solved(group) == [1, 3, 3, 1]


def test_progress_and_interruption() -> None:
    seen: list[Snapshot] = []
    sampler = ScriptedSampler([[["p"], ["f", "p"], ["f", "p"], ["p"]]])
    scheduler = Scheduler(
        sampler, SlowVerdicts(np.random.default_rng(0)), CharTokenizer(), _config()
    )
    scheduler.run([Task("t", "r")], 0, on_progress=seen.append)
    assert seen[0].phases[Phase.SAMPLING] == 1
    assert seen[-1].phases[Phase.DONE] == 1
    assert seen[-1].passed == seen[-1].finished == seen[-1].rollouts == 4
    assert seen[-1].codes == {"PASSED": 4, "FAILED": 2}
    assert all(s.decoding + s.verifying + s.finished <= s.rollouts for s in seen)
    with pytest.raises(Interrupted):
        scheduler.run([Task("t", "r")], 1, should_stop=lambda: True)
