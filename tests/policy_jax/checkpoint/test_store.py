"""Saving and restoring a step: exact, only when finished, one sentence when not."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import jax
import numpy as np
import optax
import pytest
from flax import nnx

from policy_jax.checkpoint import CheckpointError, CheckpointStore, abstract_optimizer
from policy_jax.data.tokenizer import Tokenizer, train_tokenizer
from policy_jax.models import (
    DecoderConfig,
    abstract_params,
    init_params,
    make_mesh,
    token_logprobs,
)

MODEL = DecoderConfig(
    vocab_size=300,
    hidden_size=16,
    intermediate_size=32,
    num_layers=2,
    num_heads=2,
    num_kv_heads=1,
    head_dim=8,
)
OPTIMIZER = optax.adamw(1e-2)


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return train_tokenizer(["float x = a[i];\n"] * 9, vocab_size=280)


def save(store: CheckpointStore, step: int, tokenizer: Tokenizer, params: Any, opt: Any) -> None:
    store.save(
        step,
        params=params,
        optimizer_state=opt,
        model=MODEL,
        tokenizer=tokenizer,
        config={"run": {"name": "test"}},
        state={"position": step, "in_flight": [{"group": 1, "turns": [[1, 2], [3]]}]},
    )


def fresh() -> tuple[nnx.GraphDef, Any, Any]:
    graph, params = init_params(MODEL, jax.random.key(0))
    return graph, params, OPTIMIZER.init(params)


@partial(jax.jit, static_argnums=0)
def update(graph: nnx.GraphDef, params: Any, opt: Any, tokens: jax.Array) -> tuple[Any, Any]:
    def loss(params: Any) -> jax.Array:
        return -token_logprobs(nnx.merge(graph, params), tokens)[0].mean()

    updates, opt = OPTIMIZER.update(jax.grad(loss)(params), opt, params)
    return optax.apply_updates(params, updates), opt


def train(graph: nnx.GraphDef, params: Any, opt: Any, steps: range) -> tuple[Any, Any]:
    for step in steps:
        tokens = jax.random.randint(jax.random.key(step), (2, 12), 0, MODEL.vocab_size)
        params, opt = update(graph, params, opt, tokens)
    return params, opt


def assert_same(left: Any, right: Any) -> None:
    assert jax.tree.structure(left) == jax.tree.structure(right)
    for a, b in zip(jax.tree.leaves(left), jax.tree.leaves(right), strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def test_resumed_run_equals_uninterrupted_run_to_the_bit(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    graph, params, opt = fresh()
    straight = train(graph, params, opt, range(6))
    store = CheckpointStore(tmp_path)
    save(store, 3, tokenizer, *train(graph, params, opt, range(3)))
    _, abstract = abstract_params(MODEL)
    restored = store.restore(abstract, abstract_optimizer(OPTIMIZER, abstract), MODEL)
    assert_same(train(graph, *restored, range(3, 6)), straight)


def test_step_says_everything_of_itself(tmp_path: Path, tokenizer: Tokenizer) -> None:
    _, params, opt = fresh()
    store = CheckpointStore(tmp_path)
    save(store, 7, tokenizer, params, opt)
    manifest = store.manifest()
    assert manifest.step == 7
    assert manifest.model == MODEL
    assert manifest.config == {"run": {"name": "test"}}
    assert manifest.state["in_flight"] == [{"group": 1, "turns": [[1, 2], [3]]}]
    text = "float x = b;\n"
    assert manifest.tokenizer().encode(text) == tokenizer.encode(text)


def test_newest_steps_are_kept_and_unfinished_ones_never_read(
    tmp_path: Path, tokenizer: Tokenizer
) -> None:
    _, params, opt = fresh()
    store = CheckpointStore(tmp_path, keep=2)
    for step in (1, 2, 10):
        save(store, step, tokenizer, params, opt)
    (tmp_path / "11").mkdir()  # a copy that was cut short
    (tmp_path / "12.orbax-checkpoint-tmp-0").mkdir()
    assert store.steps() == [2, 10]
    assert store.manifest().step == 10


def test_weights_alone(tmp_path: Path, tokenizer: Tokenizer) -> None:
    _, params, opt = fresh()
    store = CheckpointStore(tmp_path)
    save(store, 1, tokenizer, params, opt)
    assert_same(store.restore_params(abstract_params(MODEL)[1], MODEL), params)


def test_restore_onto_shardings(tmp_path: Path, tokenizer: Tokenizer) -> None:
    _, params, opt = fresh()
    store = CheckpointStore(tmp_path)
    save(store, 1, tokenizer, params, opt)
    _, abstract = abstract_params(MODEL, make_mesh(1, 1))
    restored, restored_opt = store.restore(abstract, abstract_optimizer(OPTIMIZER, abstract), MODEL)
    assert_same(restored, params)
    for leaf, wanted in zip(jax.tree.leaves(restored), jax.tree.leaves(abstract), strict=True):
        assert leaf.sharding == wanted.sharding
    assert restored_opt[0].mu["norm"].get_value().sharding.mesh.shape == {"data": 1, "tensor": 1}


EIGHT_DEVICES = """
import sys
import jax
from policy_jax.checkpoint import CheckpointStore, abstract_optimizer
from policy_jax.models import abstract_params, make_mesh
from tests.policy_jax.checkpoint.test_store import MODEL, OPTIMIZER, assert_same, fresh

_, abstract = abstract_params(MODEL, make_mesh(4, 2))
wanted = abstract_optimizer(OPTIMIZER, abstract)
params, opt = CheckpointStore(sys.argv[1]).restore(abstract, wanted, MODEL)
assert_same((params, opt), fresh()[1:])
pairs = zip(jax.tree.leaves((params, opt)), jax.tree.leaves((abstract, wanted)), strict=True)
assert all(leaf.sharding == target.sharding for leaf, target in pairs)
assert len({shard.device for shard in params["embedding"].addressable_shards}) == 8
print("same")
"""


def test_restore_on_another_topology(tmp_path: Path, tokenizer: Tokenizer) -> None:
    _, params, opt = fresh()
    save(CheckpointStore(tmp_path), 1, tokenizer, params, opt)
    done = subprocess.run(
        [sys.executable, "-c", EIGHT_DEVICES, str(tmp_path)],
        env={
            "PATH": "",
            "JAX_PLATFORMS": "cpu",
            "XLA_FLAGS": "--xla_force_host_platform_device_count=8",
        },
        capture_output=True,
        text=True,
    )
    assert done.stdout.strip() == "same", done.stderr


def test_another_architecture_is_named(tmp_path: Path, tokenizer: Tokenizer) -> None:
    _, params, opt = fresh()
    store = CheckpointStore(tmp_path)
    save(store, 1, tokenizer, params, opt)
    other = replace(MODEL, num_layers=3, head_dim=16)
    with pytest.raises(CheckpointError) as error:
        store.restore_params(abstract_params(other)[1], other)
    assert "model.num_layers is 2 there and 3 here" in str(error.value)
    assert "model.head_dim is 8 there and 16 here" in str(error.value)
    assert "vocab_size" not in str(error.value)
    assert "\n" not in str(error.value)


def test_another_optimizer_is_one_sentence(tmp_path: Path, tokenizer: Tokenizer) -> None:
    _, params, opt = fresh()
    store = CheckpointStore(tmp_path)
    save(store, 1, tokenizer, params, opt)
    with pytest.raises(CheckpointError, match="cannot be read"):
        store.restore(params, optax.sgd(1.0, momentum=0.9).init(params), MODEL)


def test_missing_checkpoint(tmp_path: Path, tokenizer: Tokenizer) -> None:
    store = CheckpointStore(tmp_path / "nothing")
    assert store.latest() is None
    with pytest.raises(CheckpointError, match="no finished checkpoint in"):
        store.manifest()
    _, params, opt = fresh()
    save(store, 4, tokenizer, params, opt)
    with pytest.raises(CheckpointError, match=r"of step 5 in .*; there are: 4"):
        store.manifest(5)


FULL_DISK = """
import resource, signal, sys
from pathlib import Path
import jax
from policy_jax.checkpoint import CheckpointError, CheckpointStore
from tests.policy_jax.checkpoint.test_store import fresh, save
from policy_jax.data.tokenizer import train_tokenizer

tokenizer = train_tokenizer(["float x = a[i];\\n"] * 9, vocab_size=280)
_, params, opt = fresh()
store = CheckpointStore(sys.argv[1], keep=1)
save(store, 1, tokenizer, params, opt)
# No file may grow beyond 4 KiB: what a full disk does, without filling one.
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
try:
    save(store, 2, tokenizer, params, opt)
except CheckpointError as error:
    print(error)
    print(store.steps(), sorted(p.name for p in Path(sys.argv[1]).iterdir()))
"""


def test_failed_save_keeps_what_was_saved(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(tmp_path / "run")],
        capture_output=True,
        text=True,
        check=True,
    )
    message, kept = done.stdout.strip().splitlines()
    assert message.startswith("step 2 could not be saved in ")
    assert message.endswith("; step 1 is kept")
    assert kept == "[1] ['1']"
