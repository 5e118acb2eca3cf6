"""The corpus: what is kept, resuming, the file's checks, and the committed one."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from policy_jax.data.corpus import (
    CorpusError,
    built_in_path,
    load_corpus,
    reverify,
    write_corpus,
)
from policy_jax.data.corpus_build import build_corpus
from policy_jax.data.corpus_plan import Plan, drafts
from policy_jax.data.leakage import gives_away, normalised
from policy_jax.data.micro import suite
from policy_jax.data.micro.bugs import BUGS
from policy_jax.data.micro.styles import STYLES
from protos.leap.verifier.v1 import verifier_pb2 as pb

SMALL = Plan(practice=4, debugging=1.0)
WANTED = drafts(SMALL)
PASSED = pb.Verdict(
    outcome=pb.OUTCOME_PASSED,
    content_digest="sha256:0",
    provenance=pb.Provenance(verifier_version="9", target=pb.TARGET_CPU),
)


class Judge:
    """Stands in for a verifier: right kernels pass, the others fail; it counts calls."""

    def __init__(self) -> None:
        self.right = {(draft.task.reference, draft.right) for draft in WANTED}
        self.calls = 0
        self.fail_after: int | None = None

    async def verify(self, request: pb.VerifyRequest) -> pb.VerifyResponse:
        if self.calls == self.fail_after:
            raise CorpusError("the verifier is gone")
        self.calls += 1
        verdicts = [
            self.verdict(request.task.reference, each.source) for each in request.submissions
        ]
        return pb.VerifyResponse(verdicts=verdicts)

    def verdict(self, reference: str, source: str) -> pb.Verdict:
        if (reference, source) in self.right:
            return PASSED
        verdict = pb.Verdict()
        verdict.CopyFrom(PASSED)
        verdict.outcome = pb.OUTCOME_FAILED
        verdict.code = pb.CODE_WRONG_VALUES
        verdict.feedback = "Wrong values."
        return verdict


async def test_confirmed_drafts_become_rows(tmp_path: Path) -> None:
    judge = Judge()
    out = tmp_path / "c.jsonl.gz"
    seen: list[tuple[int, int]] = []
    corpus = await build_corpus(
        SMALL, out, judge.verify, progress=lambda done, total, counts: seen.append((done, total))
    )
    assert [row.name for row in corpus.rows] == [draft.name for draft in WANTED]
    assert corpus.header.dropped == {} and corpus.header.verifier_version == "9"
    assert corpus.header.target == "cpu" and seen[-1] == (len(WANTED), len(WANTED))
    assert load_corpus(out) == corpus
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
    for chat in corpus.dialogues():
        assert [each.get("train") for each in chat.messages if each["role"] == "assistant"] == [
            *[False] * (len(chat.messages) // 2 - 1),
            True,
        ]
    bytes_before = out.read_bytes()
    write_corpus(out, corpus)
    assert out.read_bytes() == bytes_before


async def test_what_the_verifier_does_not_confirm_is_dropped(tmp_path: Path) -> None:
    judge = Judge()
    single = next(draft for draft in WANTED if not draft.wrong)
    bug = next(draft for draft in WANTED if draft.wrong and draft.right != single.right)
    judge.right -= {(single.task.reference, single.right)}
    judge.right |= {(bug.task.reference, bug.wrong[0])}
    corpus = await build_corpus(SMALL, tmp_path / "c.gz", judge.verify)
    names = {row.name for row in corpus.rows}
    assert not {single.name, bug.name} & names
    fates = Counter(corpus.header.dropped)
    assert fates["bug passed"] >= 1 and fates["solution failed: WRONG_VALUES"] >= 1
    assert sum(fates.values()) + len(corpus.rows) == len(WANTED)


async def test_an_interrupted_build_goes_on(tmp_path: Path) -> None:
    judge, out = Judge(), tmp_path / "c.gz"
    judge.fail_after = 7
    with pytest.raises(CorpusError, match="the verifier is gone"):
        await build_corpus(SMALL, out, judge.verify, concurrency=1)
    partial = out.with_name("c.gz.partial")
    with partial.open("a") as stream:
        stream.write('{"name": "cut')
    judge.fail_after = None
    corpus = await build_corpus(SMALL, out, judge.verify)
    assert judge.calls == len(WANTED) == len(corpus.rows)


@pytest.mark.parametrize("retryable", [True, False])
async def test_no_verdict(tmp_path: Path, retryable: bool) -> None:
    lost = pb.Verdict(
        outcome=pb.OUTCOME_INFRA_ERROR, code=pb.CODE_UNSUPPORTED, message="no", retryable=retryable
    )

    async def verify(request: pb.VerifyRequest) -> pb.VerifyResponse:
        return pb.VerifyResponse(verdicts=[lost] * len(request.submissions))

    if retryable:
        with pytest.raises(CorpusError, match="got no verdict: UNSUPPORTED: no"):
            await build_corpus(SMALL, tmp_path / "c.gz", verify)
    else:
        corpus = await build_corpus(SMALL, tmp_path / "c.gz", verify)
        assert corpus.header.dropped == {"no verdict: UNSUPPORTED": len(WANTED)}


async def test_reverify_reports_disagreement(tmp_path: Path) -> None:
    judge = Judge()
    corpus = await build_corpus(SMALL, tmp_path / "c.gz", judge.verify)
    assert await reverify(corpus, judge.verify, sample=10) == 10
    judge.right = set()
    with pytest.raises(CorpusError, match="passes, this verifier says WRONG_VALUES"):
        await reverify(corpus, judge.verify, sample=10)


async def test_damaged_files_get_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "c.gz"
    corpus = await build_corpus(SMALL, path, Judge().verify)
    header, *rows = gzip.decompress(path.read_bytes()).decode().splitlines()

    def saved(*lines: str) -> Path:
        path.write_bytes(gzip.compress("\n".join(lines).encode()))
        return path

    with pytest.raises(CorpusError, match="is cut"):
        load_corpus(saved(header, *rows[:-1]))
    with pytest.raises(CorpusError, match="is not the one that was verified"):
        load_corpus(saved(header, rows[0].replace("return", "return "), *rows[1:]))
    with pytest.raises(CorpusError, match="has outcomes"):
        load_corpus(saved(header, rows[0].replace("PASSED", "FAILED"), *rows[1:]))
    with pytest.raises(CorpusError, match="has format other"):
        write_corpus(path, replace(corpus, header=replace(corpus.header, format="other")))
        load_corpus(path)
    for damage in (b"text", path.read_bytes()[:100], gzip.compress(b"[]\n"), gzip.compress(b"")):
        path.write_bytes(damage)
        with pytest.raises(CorpusError, match="is not a corpus"):
            load_corpus(path)
    with pytest.raises(CorpusError, match="no corpus at"):
        load_corpus(tmp_path / "none")


def test_drafts_are_repeatable_and_varied() -> None:
    wanted = drafts(Plan(practice=200, debugging=0.7))
    assert wanted == drafts(Plan(practice=200, debugging=0.7))
    assert len({draft.name for draft in wanted}) == len(wanted)
    assert {draft.style for draft in wanted} == set(STYLES)
    assert {bug for draft in wanted for bug in draft.bugs} == set(BUGS)
    assert any(len(draft.wrong) == 2 for draft in wanted)
    assert all(wrong != draft.right for draft in wanted for wrong in draft.wrong)


def test_the_later_half_of_the_tasks_is_not_shown() -> None:
    unseen = {each.task.id for each in suite() if not each.cold_start}
    assert not unseen & {draft.task.id for draft in drafts(Plan())}


def test_normalisation_sees_through_names_and_numbers() -> None:
    source = next(each for each in suite() if each.task.split == "heldout").solution()
    renamed = source.replace("kernel", "fused").replace("256", "128").replace("int i", "int  i")
    assert normalised(renamed) == normalised(source) and gives_away(renamed)
    assert not gives_away(source.replace("return v;", "v = sinf(v);\n  return v;"))
    assert normalised("v = sinf(v); // a") == normalised("t=sinf(t);")
    assert normalised("v = sinf(v);") != normalised("v = cosf(v);")


def test_no_heldout_solution_is_in_the_drafts() -> None:
    for draft in drafts(Plan()):
        assert not any(gives_away(source) for source in (*draft.wrong, draft.right)), draft.name


@pytest.mark.skipif(not built_in_path().is_file(), reason="the corpus is not built yet")
class TestCommittedCorpus:
    def test_holds_no_heldout_solution(self) -> None:
        heldout = {each.task.id for each in suite() if each.task.split == "heldout"}
        for row in load_corpus().rows:
            assert row.task not in heldout
            assert not any(gives_away(each.source) for each in row.attempts), row.name

    def test_is_what_the_plan_says(self) -> None:
        corpus = load_corpus()
        names = {draft.name for draft in drafts(Plan(**corpus.header.plan))}
        assert {row.name for row in corpus.rows} <= names
        assert len(corpus.rows) + sum(corpus.header.dropped.values()) == len(names)
        assert len(corpus.rows) > 0.8 * len(names)
        assert {bug for row in corpus.rows for bug in row.bugs} == set(BUGS)

    def test_is_small(self) -> None:
        assert built_in_path().stat().st_size < 2_000_000
        header = json.loads(gzip.decompress(built_in_path().read_bytes()).split(b"\n", 1)[0])
        assert header["verifier_version"] and header["target"] == "cpu"
