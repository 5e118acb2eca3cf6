"""The session against a small gRPC server that speaks the contract."""

import sys
import threading
import time
from collections import Counter
from collections.abc import Hashable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pytest

from policy_jax.data.tasks import InputSet, Task
from policy_jax.errors import LeapError
from policy_jax.rollout import local_verifier
from policy_jax.rollout.local_verifier import LocalVerifier
from policy_jax.rollout.trajectories import Outcome, TurnVerdict
from policy_jax.rollout.verifying import (
    VerifierConfig,
    VerifierSession,
    turn_verdict,
    verify_request,
)
from protos.leap.verifier.v1 import verifier_pb2 as pb
from protos.leap.verifier.v1 import verifier_pb2_grpc as pb_grpc

TASK = Task("t", "class Model: ...", input_sets=(InputSet("check"),), extra_tolerance=(0.1, 0.2))


class _Server(pb_grpc.VerifierServicer):
    """Passes sources that hold "good"; "lost" is an infrastructure error."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.gate = threading.Event()
        self.gate.set()

    def GetCapabilities(self, request, context) -> pb.GetCapabilitiesResponse:
        return pb.GetCapabilitiesResponse(verifier_version="test")

    def Verify(self, request, context) -> pb.VerifyResponse:
        source = request.submissions[0].source
        self.asked[source] += 1
        self.gate.wait(10)
        if "good" in source:
            verdict = pb.Verdict(outcome=pb.OUTCOME_PASSED, content_digest="sha256:1")
        elif "lost" in source:
            verdict = pb.Verdict(outcome=pb.OUTCOME_INFRA_ERROR, code=pb.CODE_UNSUPPORTED)
        else:
            verdict = pb.Verdict(
                outcome=pb.OUTCOME_FAILED, code=pb.CODE_WRONG_VALUES, feedback="off by one"
            )
        return pb.VerifyResponse(request_id=request.request_id, verdicts=[verdict])


@pytest.fixture
def server() -> Iterator[tuple[_Server, str]]:
    servicer = _Server()
    running = grpc.server(ThreadPoolExecutor(8))
    pb_grpc.add_VerifierServicer_to_server(servicer, running)
    port = running.add_insecure_port("127.0.0.1:0")
    running.start()
    yield servicer, f"127.0.0.1:{port}"
    running.stop(None).wait()


def _collect(session: VerifierSession, count: int) -> dict[Hashable, TurnVerdict]:
    verdicts: dict[Hashable, TurnVerdict] = {}
    deadline = time.monotonic() + 10
    while len(verdicts) < count:
        assert time.monotonic() < deadline
        verdicts |= dict(session.poll(0.1))
    return verdicts


def test_verdicts_come_back_by_ticket(server: tuple[_Server, str], tmp_path: Path) -> None:
    _, address = server
    with VerifierSession(VerifierConfig(address), tmp_path / "log") as session:
        assert session.capabilities.verifier_version == "test"
        assert session.poll(0) == []
        for ticket, source in enumerate(["good", "bad", "lost"]):
            session.submit((0, ticket), TASK, source)
        verdicts = _collect(session, 3)
    assert verdicts[0, 0].outcome is Outcome.PASSED
    assert verdicts[0, 0].code == "PASSED"
    assert verdicts[0, 1].outcome is Outcome.FAILED
    assert (verdicts[0, 1].code, verdicts[0, 1].feedback) == ("WRONG_VALUES", "off by one")
    assert verdicts[0, 2].outcome is Outcome.LOST


def test_identical_sources_share_a_verdict(server: tuple[_Server, str], tmp_path: Path) -> None:
    """While one is under way, and later; an infrastructure error is asked again."""
    servicer, address = server
    with VerifierSession(VerifierConfig(address), tmp_path / "log") as session:
        servicer.gate.clear()
        for ticket in range(4):
            session.submit(ticket, TASK, "good")
        session.submit(4, Task("other", "class Model: 2"), "good")
        servicer.gate.set()
        assert len(_collect(session, 5)) == 5
        session.submit(5, TASK, "good")
        _collect(session, 1)
        assert servicer.asked["good"] == 2
        for ticket in (6, 7):
            session.submit(ticket, TASK, "lost")
            _collect(session, 1)
        assert servicer.asked["lost"] == 2


def test_leaving_with_verdicts_under_way(server: tuple[_Server, str], tmp_path: Path) -> None:
    servicer, address = server
    servicer.gate.clear()
    with VerifierSession(VerifierConfig(address), tmp_path / "log") as session:
        session.submit(0, TASK, "good")
        time.sleep(0.1)
    servicer.gate.set()


def test_no_verifier_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("protos.leap.verifier.v1.client._FIRST_BACKOFF_SECONDS", 0.01)
    with (
        pytest.raises(LeapError, match=r"no verifier answers at 127\.0\.0\.1:1 "),
        VerifierSession(VerifierConfig("127.0.0.1:1"), tmp_path / "log"),
    ):
        pass


def test_request_says_everything() -> None:
    request = verify_request(TASK, "src", VerifierConfig(target="cpu", timeout_seconds=2.5))
    assert request.task.digest == TASK.digest
    assert request.task.input_sets[0].name == "check"
    assert request.task.extra_tolerance == pb.Tolerance(absolute=0.1, relative=0.2)
    assert request.submissions[0] == pb.Submission(format=pb.SUBMISSION_FORMAT_CUDA, source="src")
    assert request.target == pb.TARGET_CPU
    assert request.timeout.ToTimedelta().total_seconds() == 2.5
    assert request.feedback.max_bytes == 400


def test_unknown_outcomes_are_infrastructure_errors() -> None:
    unknown = pb.Verdict.FromString(b"\x08\x63\x18\xc8\x01")  # outcome 99, code 200
    verdict = turn_verdict(unknown, 0.0)
    assert verdict.outcome is Outcome.LOST
    assert verdict.code == "UNKNOWN_200"


def _pretend(monkeypatch: pytest.MonkeyPatch, program: str) -> None:
    """Run `program` where a local verifier would be started."""
    real = local_verifier.subprocess.Popen

    def popen(command: list[str], **options):
        return real([sys.executable, "-c", program, *command[3:]], **options)

    monkeypatch.setattr(local_verifier.subprocess, "Popen", popen)


def test_local_verifier_that_ends_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _pretend(monkeypatch, "import sys; sys.exit('no compiler')")
    with pytest.raises(LeapError, match=r"ended at once \(no compiler\).*doctor"):
        LocalVerifier("cpu", None, tmp_path / "verifier.log").start()


def test_local_verifier_comes_back_on_its_port(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = (
        "import sys, time; port = sys.argv[sys.argv.index('--port') + 1]; "
        "print('leap-verifier listening on 127.0.0.1:' + (port if port != '0' else '4321'), "
        "flush=True); time.sleep(60)"
    )
    _pretend(monkeypatch, program)
    verifier = LocalVerifier("cpu", 2, tmp_path / "logs" / "verifier.log")
    verifier.start()
    assert verifier.address == "127.0.0.1:4321"
    assert verifier.alive
    verifier.stop()
    assert not verifier.alive
    verifier.start()
    assert verifier.address == "127.0.0.1:4321"
    verifier.stop()
