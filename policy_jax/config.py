"""Every knob of a run: frozen models, validated before anything costly starts.

`load_config` reads one YAML file and `section.key=value` overrides. A wrong
key or value is a `ConfigError` of one sentence that names file and key.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    StrictFloat,
    StrictInt,
    model_validator,
)

from policy_jax.rollout.dcp import Thresholds

Share = Annotated[float, Field(ge=0, le=1)]


class Section(BaseModel):
    """A group of knobs: frozen, and closed to names that it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class RunSection(Section):
    """What the run is called, where it lives, and how long it may take."""

    name: str = Field(min_length=1, pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    dir: str = "runs"  # the run's own folder is dir/name
    seed: NonNegativeInt = 0
    time_budget_seconds: PositiveFloat | None = None  # of everything; LEAP ends in time


class TasksSection(Section):
    """Which tasks: "leap-micro", "leap-micro+practice", a KernelBench folder, or JSONL."""

    source: str = "leap-micro"


class ModelSection(Section):
    """The decoder; fields as in `models.DecoderConfig`, without the vocabulary's size."""

    hidden_size: PositiveInt = 128
    intermediate_size: PositiveInt = 512
    num_layers: PositiveInt = 4
    num_heads: PositiveInt = 4
    num_kv_heads: PositiveInt = 4
    head_dim: PositiveInt = Field(default=32, multiple_of=2)
    rope_theta: PositiveFloat = 10_000.0
    norm_eps: PositiveFloat = 1e-6
    qk_norm: bool = False
    attention_bias: bool = False
    tied_embeddings: bool = True
    compute_dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    scan_layers: bool = False
    remat_layers: bool = False

    @model_validator(mode="after")
    def _heads_divide(self) -> ModelSection:
        if self.num_heads % self.num_kv_heads:
            raise ValueError(
                f"model.num_heads ({self.num_heads}) must be a multiple of "
                f"model.num_kv_heads ({self.num_kv_heads})"
            )
        return self


class TokenizerSection(Section):
    """The byte-level BPE that is trained on the cold start's corpus."""

    vocab_size: int = Field(default=1024, ge=300)  # 256 bytes, the specials, and merges


class SftSection(Section):
    """The cold start: supervised training on verified dialogues."""

    corpus: str = "leap-micro"  # the committed corpus, or a file of chat JSONL
    verify_rows: NonNegativeInt = 64  # random rows that the verifier judges again first
    batch_size: PositiveInt = 8  # dialogues an update
    learning_rate: PositiveFloat = 2e-3
    warmup_updates: NonNegativeInt = 50
    weight_decay: NonNegativeFloat = 0.0
    max_grad_norm: PositiveFloat = 1.0
    updates: PositiveInt = 2000
    eval_every: PositiveInt = 200  # updates between two looks at the held-out loss
    patience: PositiveInt = 2  # looks without improvement before it stops
    max_seconds: PositiveFloat | None = None


def _doubling(start: int, end: int) -> tuple[int, ...]:
    """start, 2·start, … while below `end`, then `end`."""
    rungs = []
    while start < end:
        rungs.append(start)
        start *= 2
    return (*rungs, end)


class SamplerSection(Section):
    """The engine; see `sampling.SamplerConfig`. Ladders default to doubling rungs."""

    slots: PositiveInt = 64  # rollouts decoded at once
    max_context: PositiveInt = 512  # tokens of a whole conversation
    max_new_tokens: PositiveInt = 128  # tokens of one turn
    temperature: PositiveFloat = 1.0  # of sampler, learner and reference alike
    chunk: PositiveInt = 8  # tokens decoded between two looks at the queue
    context_ladder: tuple[PositiveInt, ...] = Field(
        default_factory=lambda data: _doubling(128, data["max_context"])
    )
    batch_ladder: tuple[PositiveInt, ...] = Field(
        default_factory=lambda data: _doubling(16, data["slots"])
    )
    prefill_ladder: tuple[PositiveInt, ...] = (2, 8)

    @model_validator(mode="after")
    def _ladders(self) -> SamplerSection:
        ends = {"context_ladder": self.max_context, "batch_ladder": self.slots}
        for name in ("context_ladder", "batch_ladder", "prefill_ladder"):
            ladder: tuple[int, ...] = getattr(self, name)
            if not ladder or list(ladder) != sorted(set(ladder)):
                raise ValueError(f"sampler.{name} must increase and not be empty: {list(ladder)}")
            if (end := ends.get(name, ladder[-1])) != ladder[-1]:
                raise ValueError(f"sampler.{name} must end at {end}, not at {ladder[-1]}")
        if self.max_new_tokens >= self.max_context:
            raise ValueError(
                f"sampler.max_new_tokens ({self.max_new_tokens}) leaves no room for a prompt in "
                f"sampler.max_context ({self.max_context})"
            )
        return self


class RolloutSection(Section):
    """How many rollouts a step, and how long they go on."""

    prompts_per_step: PositiveInt = 8
    group_size: int = Field(default=8, ge=2)  # G: rollouts of one prompt; one alone has no rank
    max_turns: PositiveInt = 3  # K
    max_feedback_tokens: PositiveInt = 48  # the verifier's feedback is cut to it


class DcpSection(Section):
    """Difficulty-Conditioned Pruning: an int is a count of G, a float a share of it."""

    enabled: bool = True  # False: every failure gets all its turns
    t_min: StrictInt | StrictFloat = 0.5
    t_max: StrictInt | StrictFloat | None = None  # None: G − 1


class LearnerSection(Section):
    """The policy-gradient update; see `CreditConfig`, `LossConfig` and `UpdateConfig`."""

    discount: Share = 0.5  # γ of the turn credit
    credit: Literal["paper", "spare_passing_turn"] = "paper"
    train_truncated: bool = False
    clip_low: float = Field(default=0.2, gt=0, lt=1)
    clip_high: PositiveFloat = 0.28
    mismatch_cap: PositiveFloat | None = 2.0  # C; null: bypass, π_old is the sampler's
    kl_weight: NonNegativeFloat = 0.0  # β of the k3 penalty to the cold start
    minibatches: PositiveInt = 2  # updates in one pass over a batch
    epochs: PositiveInt = 1  # passes over a batch
    micro_batch_tokens: PositiveInt = 8192  # positions, padding included
    learning_rate: PositiveFloat = 1e-4
    decay: Share = 0.0  # the last share of the stage over which the rate falls to zero
    warmup_updates: NonNegativeInt = 4
    weight_decay: NonNegativeFloat = 0.0
    max_grad_norm: PositiveFloat = 1.0
    steps: PositiveInt = 100
    max_seconds: PositiveFloat | None = None  # null: what run.time_budget_seconds leaves


class VerifierSection(Section):
    """Who judges. A token, where the server wants one, is in $LEAP_VERIFIER_TOKEN."""

    address: str | None = None  # HOST:PORT of a running one; null: start one here
    target: Literal["auto", "cpu", "cuda"] = "auto"
    jobs: PositiveInt | None = None  # of the one started here; null: one a core
    timeout_seconds: PositiveFloat = 10.0  # of one submission, once it leaves the queue
    feedback_template: str = "default"
    feedback_bytes: PositiveInt = 400


class EvaluationSection(Section):
    """The measure before and after; every failure gets rollout.max_turns turns."""

    split: Literal["train", "heldout"] = "heldout"
    samples_per_task: PositiveInt = 16
    seed: NonNegativeInt = 1234  # the same before and after
    temperature: PositiveFloat = 1.0


class CheckpointSection(Section):
    """When a step is saved, and how many are kept."""

    every_steps: PositiveInt = 10
    keep: PositiveInt = 2


class RunConfig(Section):
    """One run. Built by `config_loading.load_config`; all checks have passed."""

    run: RunSection
    tasks: TasksSection = TasksSection()
    model: ModelSection = ModelSection()
    tokenizer: TokenizerSection = TokenizerSection()
    sft: SftSection = SftSection()
    sampler: SamplerSection = SamplerSection()
    rollout: RolloutSection = RolloutSection()
    dcp: DcpSection = DcpSection()
    learner: LearnerSection = LearnerSection()
    verifier: VerifierSection = VerifierSection()
    evaluation: EvaluationSection = EvaluationSection()
    checkpoint: CheckpointSection = CheckpointSection()

    @property
    def directory(self) -> Path:
        """The run's own folder."""
        return Path(self.run.dir) / self.run.name

    @property
    def thresholds(self) -> Thresholds:
        """DCP's thresholds as shares of the group."""
        group = self.rollout.group_size
        t_max = group - 1 if self.dcp.t_max is None else self.dcp.t_max
        return Thresholds.of(self.dcp.t_min, t_max, group)

    @model_validator(mode="after")
    def _thresholds_are_ordered(self) -> RunConfig:
        _ = self.thresholds  # raises the sentence that says what is wrong
        return self

    @model_validator(mode="after")
    def _minibatches_have_groups(self) -> RunConfig:
        if self.learner.minibatches > self.rollout.prompts_per_step:
            raise ValueError(
                f"learner.minibatches ({self.learner.minibatches}) is above "
                f"rollout.prompts_per_step ({self.rollout.prompts_per_step}): a minibatch holds "
                "at least one group"
            )
        return self

    @model_validator(mode="after")
    def _turns_fit(self) -> RunConfig:
        repairs = self.rollout.max_turns - 1
        needed = repairs * self.rollout.max_feedback_tokens + self.sampler.max_new_tokens
        if needed >= self.sampler.max_context:
            raise ValueError(
                f"rollout.max_turns: {repairs} feedbacks of {self.rollout.max_feedback_tokens} "
                f"tokens and one turn of {self.sampler.max_new_tokens} take {needed} of "
                f"sampler.max_context = {self.sampler.max_context}; raise it or allow fewer turns"
            )
        return self

    def as_dict(self) -> dict[str, Any]:
        """Plain data, every default written out; `load_config` reads it back."""
        return self.model_dump(mode="json")

    def differences(self, other: RunConfig) -> dict[str, tuple[Any, Any]]:
        """Keys in which two runs differ: "section.key" -> (self's, other's)."""
        mine, theirs = self.as_dict(), other.as_dict()
        return {
            f"{section}.{key}": (value, theirs[section][key])
            for section, knobs in mine.items()
            for key, value in knobs.items()
            if value != theirs[section][key]
        }
