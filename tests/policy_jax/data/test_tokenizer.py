"""The tokenizer: exact round trips, whole lines, and the loss mask."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_jax.data.corpus_plan import Plan, answer, draft_dialogues
from policy_jax.data.micro import suite
from policy_jax.data.tokenizer import SPECIAL, Message, Tokenizer, TokenizerError, train_tokenizer


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    dialogues = draft_dialogues(Plan(practice=100))
    return train_tokenizer(each["content"] for chat in dialogues for each in chat.messages)


TEXTS = [each["content"] for chat in draft_dialogues(Plan(practice=0)) for each in chat.messages]
TOKENIZER = train_tokenizer(TEXTS)


@given(st.text())
def test_any_text_comes_back(text: str) -> None:
    assert TOKENIZER.decode(TOKENIZER.encode(text)) == text


@given(st.sampled_from(SPECIAL), st.text())
def test_text_never_becomes_a_special_token(special: str, text: str) -> None:
    tokens = TOKENIZER.encode(special + text + special)
    ids = {TOKENIZER.pad_id, TOKENIZER.end_id, TOKENIZER.user_id, TOKENIZER.assistant_id}
    assert not ids & set(tokens)
    assert TOKENIZER.decode(tokens) == special + text + special


def test_tokens_end_at_line_ends(tokenizer: Tokenizer) -> None:
    for micro in suite():
        for token in tokenizer.encode(answer(micro.solution())):
            text = tokenizer.decode([token])
            assert "\n" not in text.rstrip("\n"), text


def test_unseen_combinations_are_known_lines(tokenizer: Tokenizer) -> None:
    """Short enough for a small context, held-out tasks no longer than trained ones."""
    lengths = {
        split: [
            len(tokenizer.encode(answer(each.solution())))
            for each in suite()
            if each.task.split == split
        ]
        for split in ("train", "heldout")
    }
    mean = {split: sum(values) / len(values) for split, values in lengths.items()}
    assert mean["train"] < 60 and mean["heldout"] < 1.3 * mean["train"]


def test_dialogue_and_its_mask() -> None:
    t = TOKENIZER
    messages: list[Message] = [
        {"role": "user", "content": "ask"},
        {"role": "assistant", "content": "wrong", "train": False},
        {"role": "user", "content": "again"},
        {"role": "assistant", "content": "right", "train": True},
    ]
    tokens, mask = t.encode_dialogue(messages)
    ask, wrong, again, right = (t.encode(each["content"]) for each in messages)
    prompt = [t.user_id, *ask, t.end_id, t.assistant_id, *wrong, t.end_id]
    prompt += [t.user_id, *again, t.end_id, t.assistant_id]
    assert tokens == [*prompt, *right, t.end_id]
    assert mask == [0] * len(prompt) + [1] * (len(right) + 1)
    assert t.encode_user_turn("ask") == tokens[: len(ask) + 3]


def test_save_and_load(tmp_path: Path) -> None:
    TOKENIZER.save(tmp_path / "inner")
    again = Tokenizer.load(tmp_path / "inner")
    text = "  v = v * 0.5f;\n<|end|>"
    assert again.encode(text) == TOKENIZER.encode(text)
    assert (again.vocab_size, again.pad_id) == (TOKENIZER.vocab_size, TOKENIZER.pad_id)


def test_bad_folders_get_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(TokenizerError, match="no tokenizer at"):
        Tokenizer.load(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{")
    with pytest.raises(TokenizerError, match="is not a tokenizer"):
        Tokenizer.load(tmp_path)
