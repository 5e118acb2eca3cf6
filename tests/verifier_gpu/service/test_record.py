from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.service.record import Record, Stop, fill


def test_failures_and_infra_errors() -> None:
    for code, outcome, retryable in (
        ("WRONG_VALUES", pb.OUTCOME_FAILED, False),
        ("TIMEOUT", pb.OUTCOME_FAILED, False),
        ("WORKER_LOST", pb.OUTCOME_INFRA_ERROR, True),
        ("UNSUPPORTED", pb.OUTCOME_INFRA_ERROR, False),
        ("TASK_INVALID", pb.OUTCOME_INFRA_ERROR, False),
    ):
        record = Record(lambda stage: None)
        record.stop(Stop(code, "why"))
        verdict = record.verdict
        assert (verdict.outcome, verdict.retryable) == (outcome, retryable)
        assert verdict.HasField("retry_after") == retryable


def test_stages_and_durations() -> None:
    seen: list[int] = []
    record = Record(seen.append)
    for stage in (pb.STAGE_PARSE, pb.STAGE_RUN, pb.STAGE_RUN):
        record.enter(stage)
    record.add_duration("run", 1.0)
    record.add_duration("run", 2.0)
    assert seen == [pb.STAGE_PARSE, pb.STAGE_RUN]
    assert record.verdict.durations[0].seconds == 3.0


anything = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=10,
)
fields = st.sampled_from(["kernel", "block", "thread", "file", "line", "space", "x", "y"])


@given(st.dictionaries(fields, st.one_of(anything, st.dictionaries(fields, anything))))
def test_whatever_a_candidate_reports_fits_or_is_dropped(values: dict[str, object]) -> None:
    fault = pb.Fault()
    fill(fault, values)
    fault.SerializeToString()


def test_what_fits_is_kept() -> None:
    fault = pb.Fault()
    fill(fault, {"kernel": "k\ud800", "line": 3, "block": {"x": 1, "y": -1}, "space": 5})
    assert (fault.kernel, fault.line, fault.block.x, fault.block.y) == ("k?", 3, 1, 0)
