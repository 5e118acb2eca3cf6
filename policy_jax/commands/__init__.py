"""Commands for a person: stored rollouts, one live rollout, the tasks."""
