"""`leap sample` on a policy that knows nothing, with a verifier of its own."""

from __future__ import annotations

from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

from policy_jax.assembly import decoder_config
from policy_jax.checkpoint import CheckpointStore
from policy_jax.commands.play import find_task, play
from policy_jax.config import RunConfig
from policy_jax.config_loading import from_mapping
from policy_jax.data.tasks import load_tasks
from policy_jax.data.tokenizer import train_tokenizer
from policy_jax.errors import LeapError
from policy_jax.models import init_params
from policy_jax.run.locating import locate

KNOBS = {
    "run": {"name": "tiny"},
    "model": {"hidden_size": 16, "num_layers": 1, "num_heads": 1, "num_kv_heads": 1},
    "sampler": {"slots": 1, "max_new_tokens": 8, "max_context": 512, "context_ladder": [512]},
    "rollout": {"max_turns": 2},
    "verifier": {"target": "cpu", "jobs": 1},
}


@pytest.fixture(scope="module")
def config() -> RunConfig:
    return from_mapping(KNOBS, "test")


@pytest.fixture(scope="module")
def run(config: RunConfig, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    tokenizer = train_tokenizer((task.reference for task in load_tasks("leap-micro")), 512)
    model = decoder_config(config, tokenizer.vocab_size)
    _, params = init_params(model, jax.random.key(0))
    for step in (3, 5):
        CheckpointStore(folder / "checkpoints" / "sft").save(
            step,
            params=params,
            optimizer_state={"count": jnp.zeros(1)},
            model=model,
            tokenizer=tokenizer,
            config=config.as_dict(),
            state={},
        )
    return folder


def test_it_plays_to_the_end(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    play(run, "unary/cos", None, 0, None)
    said = capsys.readouterr().out
    assert "torch.cos" in said
    assert said.count("→ cut by length") == 2
    assert said.rstrip().endswith("failed after 2 turns")


def test_a_path_means_a_policy(run: Path, tmp_path: Path) -> None:
    store = run / "checkpoints" / "sft"
    assert [locate(path)[1] for path in (run, store, store / "3")] == [5, 5, 3]
    with pytest.raises(LeapError, match="no such run or checkpoint"):
        locate(run / "none")
    with pytest.raises(LeapError, match="holds no finished checkpoint"):
        locate(tmp_path)


def test_a_task_is_a_file_or_an_id(config: RunConfig, tmp_path: Path) -> None:
    assert find_task("unary/cos", config).id == "unary/cos"
    with pytest.raises(LeapError, match="has no task 'unary/none'"):
        find_task("unary/none", config)
    path = tmp_path / "mine.py"
    path.write_text(find_task("unary/cos", config).reference)
    assert find_task(str(path), config).id == "mine"
    path.write_text("x = 1")
    with pytest.raises(LeapError, match="defines no class Model"):
        find_task(str(path), config)
    with pytest.raises(LeapError, match="cannot be read"):
        find_task(str(tmp_path / "none.py"), config)
