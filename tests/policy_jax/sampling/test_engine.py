"""The engine: what is sampled, from which distribution, in how many programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from flax import nnx

from policy_jax.models import DecoderConfig, init_params, token_logprobs
from policy_jax.sampling import Engine, SampledTurn, SamplerConfig, SampleRequest

MODEL = DecoderConfig(
    vocab_size=24,
    hidden_size=16,
    intermediate_size=24,
    num_layers=2,
    num_heads=4,
    num_kv_heads=2,
    head_dim=4,
)
SAMPLER = SamplerConfig(
    slots=4,
    max_context=48,
    temperature=0.7,
    chunk=4,
    context_ladder=(16, 48),
    batch_ladder=(2, 4),
    prefill_ladder=(2,),
)
END, NEWLINE = 3, 5
GRAPH, PARAMS = init_params(MODEL, jax.random.key(0))
OTHER_PARAMS = init_params(MODEL, jax.random.key(1))[1]


def engine(sampler: SamplerConfig = SAMPLER, seed: int = 0) -> Engine:
    made = Engine(MODEL, sampler, end_id=END, seed=seed)
    made.set_weights(PARAMS, version=0)
    return made


@pytest.fixture(scope="module")
def shared() -> Engine:
    """One engine for many tests, so that its programs are compiled once."""
    return engine()


def request(group: int, member: int, context: tuple[int, ...], most: int = 12) -> SampleRequest:
    return SampleRequest((group, member), (0, group, member, 0), context, most)


def context(group: int, length: int = 9) -> tuple[int, ...]:
    return tuple(np.random.default_rng(group).integers(4, MODEL.vocab_size, length).tolist())


def run(engine: Engine, requests: list[SampleRequest]) -> dict[Any, SampledTurn]:
    for each in requests:
        engine.submit(each)
    turns: list[SampledTurn] = []
    while engine.pending():
        turns += engine.step()
    assert len(turns) == len(requests)
    return {turn.request_id: turn for turn in turns}


@jax.jit
def _learner(params: Any, tokens: jax.Array, temperature: float) -> jax.Array:
    return token_logprobs(nnx.merge(GRAPH, params), tokens, temperature)[0]


def learner_logprobs(params: Any, prompt: tuple[int, ...], turn: SampledTurn, t: float) -> Any:
    """What the learner says of the turn's tokens."""
    tokens = np.zeros((1, SAMPLER.max_context), np.int32)
    whole = (*prompt, *turn.tokens)
    tokens[0, : len(whole)] = whole
    return np.asarray(_learner(params, jnp.asarray(tokens), t))[0, len(prompt) : len(whole)]


def group_of_requests() -> list[SampleRequest]:
    return [request(g, m, context(g, 5 + 4 * g)) for g in range(3) for m in range(3)]


def test_sampler_and_learner_agree_over_three_turns(shared: Engine) -> None:
    prompts = {m: context(7) for m in range(4)}
    gaps, gaps_without_temperature = [], []
    for turn_number in range(3):
        requests = [
            SampleRequest(m, (1, 7, m, turn_number), prompt, 8) for m, prompt in prompts.items()
        ]
        for m, turn in run(shared, requests).items():
            assert turn.tokens
            ours = np.array(turn.logprobs)
            gaps.append(np.abs(ours - learner_logprobs(PARAMS, prompts[m], turn, 0.7)).max())
            gaps_without_temperature.append(
                np.abs(ours - learner_logprobs(PARAMS, prompts[m], turn, 1.0)).max()
            )
            prompts[m] += (*turn.tokens, NEWLINE, 6 + m, NEWLINE)  # tokens only, never text
    assert max(gaps) < 1e-4
    assert min(gaps_without_temperature) > 1e-2  # the division by T is seen


def test_neither_slot_nor_order_nor_neighbours_change_a_sample(shared: Engine) -> None:
    requests = group_of_requests()
    together = run(shared, requests)
    backwards = run(shared, requests[::-1])
    alone = {each.request_id: run(shared, [each])[each.request_id] for each in requests}
    for name, turn in together.items():
        for other in (backwards[name], alone[name]):
            assert other.tokens == turn.tokens
            assert other.finish == turn.finish
            np.testing.assert_allclose(other.logprobs, turn.logprobs, atol=1e-5)


def test_key_decides_the_sample(shared: Engine) -> None:
    keys = [(0, 0, 0, 0), (1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1)]
    requests = [SampleRequest(key, key, context(1), 12) for key in keys]
    turns = run(shared, requests)
    assert len({turn.tokens for turn in turns.values()}) == len(keys)


def test_shared_prefill_is_done_once_and_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    sharing = engine()
    prefilled: list[int] = []
    prefill = sharing._prefill

    def counting(params: Any, cache: Any, tokens: Any, slots: np.ndarray) -> Any:
        prefilled.append(int((slots < SAMPLER.slots).sum()))
        return prefill(params, cache, tokens, slots)

    monkeypatch.setattr(sharing, "_prefill", counting)
    members = [request(2, m, context(2)) for m in range(8)]  # twice as many as slots
    turns = run(sharing, members)
    assert sum(prefilled) == 1
    for each in members:
        lonely = run(sharing, [request(5, 0, context(5)), each])[each.request_id]
        assert lonely.tokens == turns[each.request_id].tokens
        np.testing.assert_allclose(lonely.logprobs, turns[each.request_id].logprobs, atol=1e-5)


def test_no_more_programs_than_the_ladders_have(shared: Engine) -> None:
    for length in range(1, 40, 3):
        run(shared, [request(length, m, context(length, length)) for m in range(length % 6)])
    compiled = shared.compilations
    assert compiled <= SAMPLER.programs
    run(shared, group_of_requests())
    run(shared, [request(9, m, context(9, 33)) for m in range(5)])
    assert shared.compilations == compiled


def test_context_is_never_overrun(shared: Engine) -> None:
    room = SAMPLER.max_context
    turns = run(
        shared,
        [request(n, 0, context(n, n), most=100) for n in (room - 9, room - 1, room, room + 5)],
    )
    for (length, _), turn in turns.items():
        assert length + len(turn.tokens) <= max(room, length)
        if turn.finish == "length":
            assert len(turn.tokens) == max(room - length, 0)
        np.testing.assert_allclose(
            turn.logprobs,
            learner_logprobs(PARAMS, context(length, length), turn, 0.7) if turn.tokens else [],
            atol=1e-4,
        )


def test_turn_ends_with_the_end_token_or_at_its_limit(shared: Engine) -> None:
    turns = run(shared, [request(g, m, context(g), most=20) for g in range(6) for m in range(4)])
    finishes = {turn.finish for turn in turns.values()}
    assert finishes == {"stop", "length"}
    for turn in turns.values():
        assert len(turn.tokens) == len(turn.logprobs)
        assert END not in turn.tokens[:-1]
        assert (turn.tokens[-1] == END) == (turn.finish == "stop")
        assert turn.finish == "stop" or len(turn.tokens) == 20


def test_new_weights_reach_rollouts_under_way() -> None:
    moving = engine(replace(SAMPLER, chunk=2))
    prompt = context(3)
    request_ = next(
        r
        for r in (request(3, m, prompt, most=12) for m in range(20))
        if len(run(moving, [r])[r.request_id].tokens) > 8
    )
    moving.submit(request_)
    assert moving.step() == []  # two tokens by the old weights
    moving.set_weights(OTHER_PARAMS, version=1)
    turns: list[SampledTurn] = []
    while moving.pending():
        turns += moving.step()
    (turn,) = turns
    assert turn.weight_version == 0  # the oldest
    old, new = (learner_logprobs(p, prompt, turn, 0.7) for p in (PARAMS, OTHER_PARAMS))
    np.testing.assert_allclose(turn.logprobs[:2], old[:2], atol=1e-4)
    np.testing.assert_allclose(turn.logprobs[2:], new[2:], atol=1e-4)
    fresh = run(moving, [request(3, 50, prompt)])[3, 50]  # nothing cached is of the old weights
    assert fresh.weight_version == 1
    np.testing.assert_allclose(
        fresh.logprobs, learner_logprobs(OTHER_PARAMS, prompt, fresh, 0.7), atol=1e-4
    )


def test_first_tokens_follow_the_distribution(shared: Engine) -> None:
    prompt, draws = context(4), 2000
    requests = [SampleRequest(n, (2, 0, n, 0), prompt, 1) for n in range(draws)]
    sampled = [turn.tokens[0] for turn in run(shared, requests).values()]
    model = nnx.merge(GRAPH, PARAMS)
    logits = model.logits(model(jnp.array([prompt])))[0, -1]
    expected = draws * np.asarray(jax.nn.softmax(logits / 0.7))
    counts = np.bincount(sampled, minlength=MODEL.vocab_size)
    chi_square = ((counts - expected) ** 2 / expected).sum()
    assert chi_square < 60  # 23 degrees of freedom: beyond 60 once in 30,000 seeds


def test_misuse_is_refused(shared: Engine) -> None:
    with pytest.raises(ValueError, match="needs a context"):
        shared.submit(request(0, 0, ()))
    with pytest.raises(RuntimeError, match="set_weights must be called"):
        Engine(MODEL, SAMPLER, end_id=END, seed=0).step()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"context_ladder": (16, 32)}, "sampler.context_ladder must end at 48, not at 32"),
        ({"batch_ladder": (4, 2)}, "sampler.batch_ladder must increase"),
        ({"temperature": 0.0}, "sampler.temperature must be above 0"),
        ({"chunk": 0}, "sampler.chunk must be at least 1"),
    ],
)
def test_impossible_samplers_are_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        replace(SAMPLER, **change)
