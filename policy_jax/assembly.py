"""From the knobs of a run to the parts that do the work."""

from __future__ import annotations

from pathlib import Path

import jax
from flax import nnx

from policy_jax.config import RunConfig
from policy_jax.learner.batching import Ladder
from policy_jax.learner.losses import LossConfig
from policy_jax.learner.rows import CreditConfig
from policy_jax.learner.step import Learner, OptimizerConfig, Params, UpdateConfig
from policy_jax.models import Decoder, DecoderConfig, abstract_params
from policy_jax.models.logprobs import token_logprobs
from policy_jax.rollout.scheduler import RolloutConfig
from policy_jax.rollout.verifying import VerifierConfig, VerifierSession
from policy_jax.sampling import Engine, SamplerConfig


def decoder_config(config: RunConfig, vocab_size: int) -> DecoderConfig:
    """The decoder of a run."""
    return DecoderConfig(vocab_size=vocab_size, **config.model.model_dump())


def build_engine(config: RunConfig, model: DecoderConfig, end_id: int) -> Engine:
    """The sampler of a run, for training and evaluation alike."""
    knobs = config.sampler.model_dump(exclude={"max_new_tokens"})
    return Engine(model, SamplerConfig(**knobs), end_id=end_id, seed=config.run.seed)


def training_rollouts(config: RunConfig) -> RolloutConfig:
    """Rollouts of training: groups of G, pruned by DCP where it is on."""
    return _rollouts(config, config.rollout.group_size, prune=config.dcp.enabled)


def evaluation_rollouts(config: RunConfig) -> RolloutConfig:
    """Rollouts of evaluation: every failure gets all its turns."""
    return _rollouts(config, config.evaluation.samples_per_task, prune=False)


def _rollouts(config: RunConfig, group_size: int, prune: bool) -> RolloutConfig:
    return RolloutConfig(
        group_size=group_size,
        max_turns=config.rollout.max_turns,
        max_new_tokens=config.sampler.max_new_tokens,
        max_feedback_tokens=config.rollout.max_feedback_tokens,
        max_context=config.sampler.max_context,
        thresholds=config.thresholds,
        prune=prune,
    )


def credit_config(config: RunConfig) -> CreditConfig:
    """How verdicts become advantages."""
    return CreditConfig(
        discount=config.learner.discount,
        credit=config.learner.credit,
        train_truncated=config.learner.train_truncated,
    )


def build_learner(config: RunConfig, model: DecoderConfig) -> Learner:
    """The learner of a run; its log-probs are at the sampler's temperature."""
    graph, _ = abstract_params(model)
    knobs = config.learner
    temperature = config.sampler.temperature

    def logprobs(params: Params, tokens: jax.Array) -> tuple[jax.Array, jax.Array]:
        decoder: Decoder = nnx.merge(graph, params)
        return token_logprobs(decoder, tokens, temperature)

    return Learner(
        logprobs,
        OptimizerConfig(
            learning_rate=knobs.learning_rate,
            warmup_updates=knobs.warmup_updates,
            weight_decay=knobs.weight_decay,
            max_grad_norm=knobs.max_grad_norm,
        ),
        LossConfig(
            clip_low=knobs.clip_low,
            clip_high=knobs.clip_high,
            mismatch_cap=knobs.mismatch_cap,
            kl_weight=knobs.kl_weight,
        ),
        UpdateConfig(minibatches=knobs.minibatches, epochs=knobs.epochs),
        Ladder.up_to(config.sampler.max_context, knobs.micro_batch_tokens),
    )


def verifier_session(config: RunConfig, log_path: Path) -> VerifierSession:
    """The connection to the verifier of a run, not opened yet."""
    return VerifierSession(VerifierConfig(**config.verifier.model_dump()), log_path)
