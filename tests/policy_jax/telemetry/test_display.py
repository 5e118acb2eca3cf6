"""The display on and off a terminal, the tables, the summary and the plot."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from policy_jax.telemetry import (
    Measure,
    Progress,
    RolloutStatus,
    Summary,
    measure,
    plot_run,
    result_table,
    time_table,
    write_summary,
)
from policy_jax.telemetry.progress import clock_time, show
from tests.policy_jax.telemetry.test_measures import rollouts

STATUS = RolloutStatus({"sampling": 3, "done": 1}, 5, 7, 9, 20, 64, {"PASSED": 9}, 5100.0)


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def console(terminal: bool) -> Console:
    return Console(file=io.StringIO(), force_terminal=terminal, width=110, color_system=None)


def text(made: Console) -> str:
    assert isinstance(made.file, io.StringIO)
    return made.file.getvalue()


def test_plain_lines_are_one_a_step_and_a_heartbeat() -> None:
    plain, clock = console(False), Clock()
    with Progress("run", 900, console=plain, clock=clock) as progress:
        progress.stage("LEAP", 40)
        for step in range(3):
            for poll in range(100):
                clock.now += 0.0625
                progress.update(rollouts=STATUS, facts={"loss": poll})
            progress.step(step + 1, {"loss": 1.25})
        clock.now += 31
        progress.update(rollouts=STATUS)
    lines = text(plain).splitlines()
    assert lines[0] == "LEAP · 0/40"
    assert lines[1] == "0:06  LEAP 1/40 · loss 1.25 · left 14:53"
    assert len(lines) == 5
    assert "7 waiting for the verifier" in lines[4]


def test_a_terminal_shows_what_is_going_on() -> None:
    live = console(True)
    with Progress("quickstart", 900, spent_seconds=60, console=live) as progress:
        progress.stage("LEAP", 40)
        progress.update(7, {"loss": 0.5}, STATUS)
        assert progress.seconds_left == pytest.approx(840, abs=5)
    shown = text(live)
    for part in ("quickstart", "7/40", "3 sampling", "7 waiting", "9 PASSED", "5,100", "left of"):
        assert part in shown


def test_numbers_are_written_for_people() -> None:
    assert [show(x) for x in (0.5, 12345, 12345.6, 1e-5, 0.0, "a", {"b": 2, "c": 0})] == [
        "0.5",
        "12,345",
        "12,346",
        "1e-05",
        "0",
        "a",
        "2 b",
    ]
    assert [clock_time(x) for x in (0, 61, 3723, -5)] == ["0:00", "1:01", "1:02:03", "-0:05"]


@pytest.fixture
def measures() -> dict[str, Measure]:
    return {
        "before": measure(rollouts(a=[1, None], b=[2, None]), 3),
        "more SFT": measure(rollouts(a=[1, 2], b=[2, None]), 3),
        "after": measure(rollouts(a=[1, 1], b=[1, 3]), 3),
    }


def test_tables_hold_the_result_and_the_budget(measures: dict[str, Measure]) -> None:
    made = console(False)
    made.print(result_table(measures))
    made.print(time_table({"train": 100.0, "other": 20.0, "total": 120.0}, 900))
    for part in ("Acc@1", "25.0%", "75.0%", "turns per pass", "2:00 of 15:00", "83%"):
        assert part in text(made)


def test_the_summary_has_what_is_promised(tmp_path: Path, measures: dict[str, Measure]) -> None:
    summary = Summary(
        run="quickstart",
        seed=0,
        before=measures["before"],
        after=measures["after"],
        control=measures["more SFT"],
        dcp={"easy": 1, "debug": 2},
        seconds={"train": 1.0, "total": 1.5},
        budget_seconds=900,
    )
    found = json.loads(write_summary(tmp_path, summary).read_text())
    for name in ("before", "after", "control"):
        assert {"acc@1", "acc@2", "acc@3", "turns_per_pass", "intervals"} <= set(found[name])
    assert found["after"]["acc@1"] == 0.75
    assert found["gain"]["acc@1"] == 0.5
    assert found["dcp"]["training"] == {"easy": 1, "debug": 2}
    assert found["seconds"]["total"] == 1.5
    assert found["versions"]["python"]


def test_the_plot_is_a_picture(tmp_path: Path, measures: dict[str, Measure]) -> None:
    curve = [{"step": i, "passed@1": i / 9, "passed": i / 9} for i in range(10)]
    for records in (curve, [], [{"step": 0}]):
        path = plot_run(tmp_path, measures, records)
        assert path.read_bytes().startswith(b"\x89PNG")
