"""Configs: what is refused, in which words, and that what is accepted survives."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from policy_jax.config import (
    LearnerSection,
    ModelSection,
    RunConfig,
    RunSection,
    SamplerSection,
    VerifierSection,
)
from policy_jax.config_loading import ConfigError, from_mapping, load_config, save_config

CONFIGS = sorted(Path("configs").glob("*.yaml"))


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "run.yaml"
    path.write_text(text)
    return path


def complaint(tmp_path: Path, text: str, *overrides: str) -> str:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config(path, overrides)
    sentence = str(caught.value)
    assert "\n" not in sentence
    return sentence.replace(str(path), "FILE")


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_every_committed_config_loads_and_says_its_command(path: Path) -> None:
    load_config(path)
    head = path.read_text().partition("\nrun:")[0]
    assert f"leap train {path}" in head


def test_defaults_are_valid_and_the_quickstart_is_there() -> None:
    assert Path("configs/quickstart.yaml") in CONFIGS
    config = RunConfig(run=RunSection(name="a"))
    assert config.directory == Path("runs/a")
    assert config.thresholds.t_min == Fraction(1, 2)
    assert config.thresholds.t_max == Fraction(7, 8)


@pytest.mark.parametrize(
    ("text", "overrides", "sentence"),
    [
        (
            "run: {name: a}\nrollout: {groupsize: 4}",
            (),
            "FILE: unknown key rollout.groupsize; did you mean rollout.group_size?",
        ),
        (
            "run: {name: a}\nlerner: {}",
            (),
            "FILE: unknown key lerner; did you mean learner?",
        ),
        (
            "run: {name: a}\nlearner: {group_size: 4}",
            (),
            "FILE: unknown key learner.group_size; did you mean rollout.group_size?",
        ),
        (
            "run: {name: a}",
            ("sft.learing_rate=1",),
            "command line: unknown key sft.learing_rate; did you mean sft.learning_rate?",
        ),
        ("run: {name: a}\nqqqq: 1", (), "FILE: unknown key qqqq"),
        ("model: {}", (), "FILE: run is missing and has no default"),
        (
            "run: {name: a}\nrollout: {group_size: 1}",
            (),
            "FILE: rollout.group_size = 1 should be greater than or equal to 2",
        ),
        (
            "run: {name: a}",
            ("sampler.max_context=many",),
            "command line: sampler.max_context = 'many' should be a valid integer, "
            "unable to parse string as an integer",
        ),
        (
            "run: {name: a}",
            ("dcp.t_max=some",),
            "command line: dcp.t_max = 'some' should be a count (4) or a share of the group (0.5)",
        ),
        (
            "run: {name: ../a}",
            (),
            "FILE: run.name = '../a' should be letters, digits, dots, dashes or underscores",
        ),
        ("run: {name: a}\nmodel: 3", (), "FILE: model must hold keys, not a number"),
        ("- a", (), "FILE must hold sections (run:, model:, …), not a list"),
        ("run: {name: a", (), "FILE:1 is not YAML: expected ',' or '}', but got '<stream end>'"),
        (
            "run: {name: a}",
            ("seed",),
            "command line: 'seed' is not an override; write section.key=value, "
            "for example rollout.group_size=4",
        ),
        (
            "run: {name: a}\nmodel: {num_heads: 4, num_kv_heads: 3}",
            (),
            "FILE: model.num_heads (4) must be a multiple of model.num_kv_heads (3)",
        ),
        (
            "run: {name: a}\nsampler: {context_ladder: [64, 128]}",
            (),
            "FILE: sampler.context_ladder must end at 512, not at 128",
        ),
        (
            "run: {name: a}\nsampler: {max_new_tokens: 512}",
            (),
            "FILE: sampler.max_new_tokens (512) leaves no room for a prompt in "
            "sampler.max_context (512)",
        ),
        (
            "run: {name: a}\nlearner: {minibatches: 9}",
            (),
            "FILE: learner.minibatches (9) is above rollout.prompts_per_step (8): "
            "a minibatch holds at least one group",
        ),
    ],
)
def test_mistakes_are_one_sentence(
    tmp_path: Path, text: str, overrides: tuple[str, ...], sentence: str
) -> None:
    assert complaint(tmp_path, text, *overrides) == sentence


def test_thresholds_out_of_order_are_refused(tmp_path: Path) -> None:
    sentence = complaint(tmp_path, "run: {name: a}", "dcp.t_min=5", "dcp.t_max=3")
    assert "dcp.t_min (5/8 of the group) is above dcp.t_max (3/8 of it)" in sentence


def test_turns_that_cannot_fit_are_refused(tmp_path: Path) -> None:
    sentence = complaint(tmp_path, "run: {name: a}\nsampler: {max_context: 224}")
    assert "2 feedbacks of 48 tokens and one turn of 128 take 224" in sentence


def test_a_missing_file_is_named() -> None:
    with pytest.raises(ConfigError, match=r"configs/no\.yaml: no such config file; there is"):
        load_config("configs/no.yaml")


def test_a_threshold_is_a_count_or_a_share() -> None:
    def thresholds(t_min: object, t_max: object) -> tuple[Fraction, Fraction]:
        data = {"run": {"name": "a"}, "dcp": {"t_min": t_min, "t_max": t_max}}
        found = from_mapping(data, "test").thresholds
        return found.t_min, found.t_max

    assert thresholds(1, 8) == (Fraction(1, 8), 1)
    assert thresholds(0.1, 1.0) == (Fraction(1, 10), 1)
    assert thresholds(1, None) == (Fraction(1, 8), Fraction(7, 8))


def test_overrides_are_yaml_and_win(tmp_path: Path) -> None:
    path = write(tmp_path, "run: {name: a}\nlearner: {steps: 3}")
    config = load_config(
        path,
        [
            "learner.steps=7",
            "learner.learning_rate=1e-3",
            "learner.mismatch_cap=null",
            "dcp.enabled=false",
            "verifier.address=host:50051",
        ],
    )
    assert config.learner.steps == 7
    assert config.learner.learning_rate == 1e-3
    assert config.learner.mismatch_cap is None
    assert config.dcp.enabled is False
    assert config.verifier.address == "host:50051"


@given(
    context=st.integers(300, 5000),
    slots=st.integers(1, 512),
    group=st.integers(2, 64),
    t_min=st.integers(0, 8) | st.floats(0, 1),
    rate=st.floats(1e-6, 1),
)
def test_a_saved_config_is_the_same_config(
    tmp_path_factory: pytest.TempPathFactory,
    context: int,
    slots: int,
    group: int,
    t_min: int | float,
    rate: float,
) -> None:
    data = {
        "run": {"name": "a"},
        "sampler": {"max_context": context, "slots": slots},
        "rollout": {"group_size": group},
        "dcp": {"t_min": t_min, "t_max": 1.0},
        "learner": {"learning_rate": rate},
    }
    try:
        config = from_mapping(data, "test")
    except ConfigError as error:
        assert "t_min" in str(error)  # a count above the group
        return
    path = tmp_path_factory.getbasetemp() / "saved.yaml"
    save_config(config, path)
    again = load_config(path)
    assert again == config
    assert again.differences(config) == {}
    assert type(again.dcp.t_min) is type(config.dcp.t_min)
    for ladder, end in (
        (config.sampler.context_ladder, context),
        (config.sampler.batch_ladder, slots),
    ):
        assert list(ladder) == sorted(set(ladder)) and ladder[-1] == end


def test_differences_name_the_keys() -> None:
    one = RunConfig(run=RunSection(name="a"))
    other = RunConfig(run=RunSection(name="a", seed=3))
    assert one.differences(other) == {"run.seed": (0, 3)}


def test_configs_cannot_be_changed() -> None:
    config = RunConfig(run=RunSection(name="a"))
    with pytest.raises(ValidationError):
        config.run.seed = 1  # type: ignore[misc]


def test_sections_have_the_fields_of_what_they_configure() -> None:
    from policy_jax.learner.losses import LossConfig
    from policy_jax.learner.rows import CreditConfig
    from policy_jax.models import DecoderConfig
    from policy_jax.rollout.verifying import VerifierConfig
    from policy_jax.sampling import SamplerConfig

    def names(record: type) -> set[str]:
        return {field.name for field in fields(record)}

    assert set(ModelSection.model_fields) == names(DecoderConfig) - {"vocab_size"}
    assert names(SamplerConfig) <= set(SamplerSection.model_fields)
    assert names(LossConfig) | names(CreditConfig) <= set(LearnerSection.model_fields)
    assert set(VerifierSection.model_fields) == names(VerifierConfig)


def test_the_quickstart_is_plain_yaml() -> None:
    assert isinstance(yaml.safe_load(Path("configs/quickstart.yaml").read_text()), dict)
