"""The prompts and the one rule by which an answer is read."""

from dataclasses import dataclass

import pytest

from policy_jax.rollout.prompts import extract_code, feedback_prompt, first_prompt


@dataclass(frozen=True)
class _Task:
    reference: str


def test_prompts_hold_their_text() -> None:
    text = "class Model: pass  # {feedback} and {braces} stay as they are"
    assert first_prompt(_Task(text)).endswith(text)
    assert feedback_prompt("line 3: {reference}").startswith("line 3: {reference}\n")


@pytest.mark.parametrize(
    ("response", "code"),
    [
        ("```cuda\nint x;\n```", "int x;\n"),
        ("Prose.\n```\na\n```\nmore\n```cpp\nb\n```\nend", "b\n"),
        ("```cuda\na\n```\n```cuda\nnever closed", "a\n"),
        ("```cuda\ndropped\n```cuda\nkept\n```", "kept\n"),
        ("```cuda\na ``` b\n```", "a ``` b\n"),
        ("```cuda\n \n```", None),
        ("```cuda\nint x;", None),
        ("int x;", None),
        ("", None),
    ],
)
def test_last_complete_fence(response: str, code: str | None) -> None:
    assert extract_code(response) == code
