"""`leap show`: the stored rollouts of a run, as a person reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.syntax import Syntax
from rich.text import Text

from policy_jax.errors import LeapError
from policy_jax.telemetry.store import StoredRollout, StoredTurn, read_rollouts

_COLOURS = {"passed": "green", "failed": "red", "lost": "yellow"}
_FENCE = "```"
_WIDE = 1000


@dataclass(frozen=True)
class Filter:
    """Which rollouts to show; None is any.

    `task` is a part of the task's id. `outcome` is how the rollout ended
    ("passed", "failed", "lost") or the code of any of its turns. `turns` is
    how many it used.
    """

    stage: str | None = None
    step: int | None = None
    task: str | None = None
    outcome: str | None = None
    turns: int | None = None
    limit: int | None = None

    def takes(self, rollout: StoredRollout) -> bool:
        """Whether it is to be shown; stage and step are the reader's business."""
        return (
            (self.task is None or self.task in rollout.task)
            and (self.turns is None or self.turns == len(rollout.turns))
            and (self.outcome is None or self.outcome.lower() in _endings(rollout))
        )


def show(run: Path, wanted: Filter, console: Console | None = None) -> None:
    """Print the rollouts, one at a time on a terminal, all of them into a pipe.

    Raises LeapError if there is none.
    """
    console = console or Console()
    shown = 0
    for rollout in _select(run, wanted):
        if not console.is_terminal:
            print(as_text(rollout))
        elif shown and console.input("[dim]Enter: next · q: quit [/]") == "q":
            return
        else:
            console.print(rollout_view(rollout))
        shown += 1
    if not shown:
        raise LeapError(f"{run}: {_why_none(run)}")


def rollout_view(rollout: StoredRollout) -> RenderableType:
    """A whole rollout."""
    turns = (turn_view(turn, number) for number, turn in enumerate(rollout.turns, 1))
    return Group(heading(rollout), *turns)


def as_text(rollout: StoredRollout) -> str:
    """A whole rollout for a pipe: no colours, no line cut or padded."""
    console = Console(width=_WIDE, color_system=None, force_terminal=False)
    with console.capture() as captured:
        console.print(rollout_view(rollout))
    return "\n".join(line.rstrip() for line in captured.get().splitlines())


def heading(rollout: StoredRollout) -> RenderableType:
    """What a rollout was and how it ended."""
    facts = [f"{rollout.stage} {rollout.step}", rollout.task]
    facts += [f"group {rollout.group}.{rollout.member}", f"DCP {rollout.decision}"]
    facts += [f"score {rollout.score:+.2f}"]
    facts += [in_words(rollout.solved_at, rollout.lost, rollout.out_of_room, len(rollout.turns))]
    colour = _COLOURS[rollout.turns[-1].outcome]
    return Text("── " + " · ".join(facts), style=f"bold {colour}")


def in_words(solved_at: int | None, lost: bool, out_of_room: bool, turns: int) -> str:
    """How a rollout ended."""
    if solved_at is not None:
        return f"passed at turn {solved_at}"
    if lost:
        return "lost to an infrastructure error"
    plural = "s" if turns > 1 else ""
    return "ran out of context" if out_of_room else f"failed after {turns} turn{plural}"


def turn_view(turn: StoredTurn, number: int) -> RenderableType:
    """One turn: what the model was told, what it answered, and the verdict."""
    return Group(
        Text(f"turn {number}", style="bold"),
        Padding(Text(turn.prompt.strip(), style="dim"), (0, 0, 0, 2)),
        Text("answer", style="bold"),
        *(Padding(part, (0, 0, 0, 2)) for part in answer_view(turn.response)),
        _verdict_of(turn),
        "",
    )


def answer_view(response: str) -> Iterator[RenderableType]:
    """Prose as it is, fenced code highlighted."""
    text = response.strip("\n")
    for index, piece in enumerate(text.split(_FENCE)):
        inside_fence = index % 2 == 1
        if inside_fence:
            language, _, code = piece.partition("\n")
            lexer = {"cuda": "cpp"}.get(language.strip(), language.strip() or "text")
            yield Syntax(code.rstrip("\n"), lexer, background_color="default", word_wrap=True)
        elif piece.strip():
            yield Text(piece.strip())


def verdict_line(outcome: str, code: str, message: str, facts: Sequence[str]) -> Text:
    """One line: the code (or the outcome), what it means, and facts beside it."""
    line = Text("→ ")
    line.append(
        (outcome if outcome == "passed" else code or outcome).upper(),
        style=f"bold {_COLOURS[outcome]}",
    )
    if message:
        line.append(f" {message}")
    return line.append(f"  ({', '.join(facts)})", style="dim")


def _verdict_of(turn: StoredTurn) -> Text:
    facts = [f"{len(turn.tokens)} tokens", f"{turn.seconds:.1f} s"]
    facts += ["cut by length"] if turn.truncated else []
    facts += [f"advantage {turn.advantage:+.2f}"] if turn.advantage else []
    return verdict_line(turn.outcome, turn.code, turn.message, facts)


def _select(run: Path, wanted: Filter) -> Iterator[StoredRollout]:
    if not run.is_dir():
        raise LeapError(f"{run}: no such run; runs are folders under runs/")
    stored = read_rollouts(run, wanted.stage, wanted.step)
    return islice(filter(wanted.takes, stored), wanted.limit)


def _endings(rollout: StoredRollout) -> set[str]:
    return {rollout.turns[-1].outcome, *(turn.code.lower() for turn in rollout.turns if turn.code)}


def _why_none(run: Path) -> str:
    stages = sorted({p.name.rpartition("-")[0] for p in (run / "rollouts").glob("*.jsonl.gz")})
    if not stages:
        return "no rollout is stored yet"
    return f"no stored rollout matches; the stages there are {', '.join(stages)}"
