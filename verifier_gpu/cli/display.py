"""Verdicts laid out for a person."""

from __future__ import annotations

from rich.console import Console, Group
from rich.panel import Panel
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from protos.leap.verifier.v1 import verifier_pb2 as pb

_STYLES = {
    pb.OUTCOME_PASSED: "green",
    pb.OUTCOME_FAILED: "red",
    pb.OUTCOME_INFRA_ERROR: "yellow",
}
_CONTEXT_LINES = 2


def headline(verdict: pb.Verdict) -> Text:
    """Outcome, code and stage in one coloured line."""
    outcome = pb.Outcome.Name(verdict.outcome).removeprefix("OUTCOME_")
    text = Text(outcome, style=f"bold {_STYLES.get(verdict.outcome, 'yellow')}")
    if verdict.outcome != pb.OUTCOME_PASSED:
        code = pb.Code.Name(verdict.code).removeprefix("CODE_")
        stage = pb.Stage.Name(verdict.stage).removeprefix("STAGE_").lower()
        text.append(f" {code}", style="bold").append(f" at stage {stage}", style="not bold default")
    return text


def show(console: Console, name: str, submission: pb.Submission, verdict: pb.Verdict) -> None:
    """One verdict in full."""
    console.print(Text(f"{name}: ").append_text(headline(verdict)))
    if verdict.message:
        console.print(Text(f"  {verdict.message}"))
    cuda = submission.format == pb.SUBMISSION_FORMAT_CUDA
    for diagnostic in verdict.diagnostics:
        console.print(_diagnostic(diagnostic, submission.source, "cuda" if cuda else "python"))
    for table in (_mismatch(verdict), _fault(verdict), _timing(verdict)):
        if table is not None:
            console.print(table)
    for note in verdict.notes:
        console.print(Text(f"  note: {note}", style="dim"))
    console.print(Text(f"  {_footer(verdict)}", style="dim"))


def summary(console: Console, names: list[str], verdicts: list[pb.Verdict]) -> None:
    """One line for each verdict, and the count of each outcome."""
    table = Table(box=None, pad_edge=False)
    for title in ("submission", "verdict", "message"):
        table.add_column(title, overflow="fold")
    for name, verdict in zip(names, verdicts, strict=True):
        table.add_row(Text(name), headline(verdict), Text(verdict.message))
    console.print(table)
    counts = {
        label: sum(verdict.outcome == outcome for verdict in verdicts)
        for label, outcome in (
            ("passed", pb.OUTCOME_PASSED),
            ("failed", pb.OUTCOME_FAILED),
            ("infra errors", pb.OUTCOME_INFRA_ERROR),
        )
    }
    console.print(", ".join(f"{count} {label}" for label, count in counts.items()))


def _diagnostic(entry: pb.Diagnostic, source: str, language: str) -> Group | Text:
    place = (
        f"{entry.file or 'submission'}:{entry.line}:{entry.column}" if entry.line else entry.file
    )
    severity = pb.Severity.Name(entry.severity).removeprefix("SEVERITY_").lower()
    text = Text(f"  {place}: " if place else "  ").append(f"{severity}: ", style="bold")
    text.append(entry.message)
    lines = source.count("\n") + 1
    if not entry.file.startswith("submission.") or not 0 < entry.line <= lines:
        return text
    code = Syntax(
        source,
        "cpp" if language == "cuda" else "python",
        line_numbers=True,
        line_range=(max(1, entry.line - _CONTEXT_LINES), entry.line + _CONTEXT_LINES),
        highlight_lines={entry.line},
        background_color="default",
    )
    return Group(text, Panel(code, border_style="dim", padding=(0, 1)))


def _grid(rows: list[tuple[str, str]]) -> Table:
    table = Table.grid(padding=(0, 2))
    for name, value in rows:
        table.add_row(Text(f"  {name}", style="dim"), Text(value))
    return table


def _mismatch(verdict: pb.Verdict) -> Table | None:
    m = verdict.mismatch
    if not verdict.HasField("mismatch") or not m.mismatched:
        return None
    index = ", ".join(map(str, m.first_bad_index))
    tolerance = verdict.tolerance
    return _grid(
        [
            ("wrong values", f"{m.mismatched} of {m.total} in output {m.output_index}"),
            (f"first at [{index}]", f"{m.actual_at_first:.8g}, expected {m.expected_at_first:.8g}"),
            ("largest error", f"{m.max_absolute_error:.3g}, relative {m.max_relative_error:.3g}"),
            ("allowed", f"{tolerance.absolute:.3g} + {tolerance.relative:.3g} * |expected|"),
        ]
    )


def _fault(verdict: pb.Verdict) -> Table | None:
    if not verdict.HasField("fault"):
        return None
    fault = verdict.fault
    rows = [
        ("kernel", fault.kernel),
        ("block", _dim3(fault.block)),
        ("thread", _dim3(fault.thread)),
    ]
    if fault.HasField("other_thread"):
        rows.append(("other", f"block {_dim3(fault.other_block)}, {_dim3(fault.other_thread)}"))
    if fault.line:
        rows.append(("at", f"{fault.file or 'submission'}:{fault.line}"))
    return _grid([row for row in rows if row[1]])


def _timing(verdict: pb.Verdict) -> Table | None:
    if not verdict.HasField("timing"):
        return None
    t = verdict.timing
    return _grid(
        [
            (
                "time",
                f"{t.median_ms:.4g} ms [{t.interval_low_ms:.4g}, {t.interval_high_ms:.4g}], "
                f"{t.trials} trials",
            ),
            ("reference", f"{t.reference_median_ms:.4g} ms"),
            (
                "speedup",
                f"{t.speedup:.2f}x [{t.speedup_interval_low:.2f}, {t.speedup_interval_high:.2f}]",
            ),
        ]
    )


def _dim3(value: pb.Dim3) -> str:
    return f"({value.x}, {value.y}, {value.z})"


def _footer(verdict: pb.Verdict) -> str:
    spent = ", ".join(f"{entry.name} {entry.seconds:.2f}" for entry in verdict.durations)
    cached = " (build cached)" if verdict.build_cache_hit else ""
    target = pb.Target.Name(verdict.provenance.target).removeprefix("TARGET_").lower()
    return f"target {target}; seconds: {spent or 'none, reused'}{cached}; seed {verdict.seed}"
