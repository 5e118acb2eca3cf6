"""A byte-level BPE tokenizer whose tokens may be whole lines of code.

Merges cross spaces within a line and never a line's end, so that a frequent line of a
kernel is one token and a new kernel is a new order of known tokens. Text never turns
into a special token, whatever it contains.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NotRequired, TypedDict

import tokenizers
from tokenizers import Regex, decoders, models, pre_tokenizers, trainers

from policy_jax.errors import LeapError

PAD, END, USER, ASSISTANT = SPECIAL = ("<|pad|>", "<|end|>", "<|user|>", "<|assistant|>")
FILE_NAME = "tokenizer.json"
LINE = r"[^\n]*\n+|[^\n]+"


class TokenizerError(LeapError):
    """A tokenizer that cannot be loaded; the message is one sentence for a person."""


class Message(TypedDict):
    """One message of a chat.

    ``role`` is ``user`` or ``assistant``; ``train`` (False where absent) says whether
    the loss counts an assistant's message.
    """

    role: str
    content: str
    train: NotRequired[bool]


class Tokenizer:
    """Text to token ids and back.

    A dialogue is ``<|user|>TEXT<|end|><|assistant|>TEXT<|end|>`` and so on. The end of
    the assistant's message is a token that the model writes, hence in the loss.
    """

    def __init__(self, inner: tokenizers.Tokenizer) -> None:
        inner.encode_special_tokens = True  # in text they are plain characters
        self._inner = inner
        self.pad_id = self._special(PAD)
        self.end_id = self._special(END)
        self.user_id = self._special(USER)
        self.assistant_id = self._special(ASSISTANT)

    def _special(self, name: str) -> int:
        token = self._inner.token_to_id(name)
        if token is None:
            raise TokenizerError(f"the tokenizer has no token {name}")
        return int(token)

    @property
    def vocab_size(self) -> int:
        """Number of token ids, the four special ones included."""
        return self._inner.get_vocab_size()

    def encode(self, text: str) -> list[int]:
        """Token ids of plain text; no special token is added or recognised."""
        return self._inner.encode(text, add_special_tokens=False).ids

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of token ids; special tokens are left out."""
        return self._inner.decode(list(tokens), skip_special_tokens=True)

    def encode_user_turn(self, text: str) -> list[int]:
        """A user's message and the token after which the assistant writes."""
        return [self.user_id, *self.encode(text), self.end_id, self.assistant_id]

    def encode_dialogue(self, messages: Iterable[Message]) -> tuple[list[int], list[int]]:
        """Token ids of a dialogue and its loss mask, of the same length.

        The mask is 1 on the text and the end of assistants' messages with ``train``.
        """
        tokens: list[int] = []
        mask: list[int] = []
        for message in messages:
            is_assistant = message["role"] == "assistant"
            body = [*self.encode(message["content"]), self.end_id]
            counted = int(is_assistant and message.get("train", False))
            tokens += [self.assistant_id if is_assistant else self.user_id, *body]
            mask += [0, *[counted] * len(body)]
        return tokens, mask

    def save(self, folder: str | Path) -> None:
        """Write ``tokenizer.json`` (the format of Hugging Face) into ``folder``."""
        Path(folder).mkdir(parents=True, exist_ok=True)
        self._inner.save(str(Path(folder) / FILE_NAME))

    @classmethod
    def load(cls, folder: str | Path) -> Tokenizer:
        """Read what `save` wrote; raises `TokenizerError`."""
        path = Path(folder) / FILE_NAME
        if not path.is_file():
            raise TokenizerError(f"no tokenizer at {path}")
        try:
            inner = tokenizers.Tokenizer.from_file(str(path))
        except Exception as error:  # the library raises plain Exception
            raise TokenizerError(f"{path} is not a tokenizer: {error}") from None
        return cls(inner)


def train_tokenizer(
    texts: Iterable[str], vocab_size: int = 3072, min_frequency: int = 8
) -> Tokenizer:
    """Train on texts (messages of the corpus).

    ``min_frequency`` keeps rare lines from becoming tokens that are then hardly ever
    trained: they stay spelled in frequent pieces.
    """
    inner = tokenizers.Tokenizer(models.BPE())
    inner.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(LINE), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    inner.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        min_frequency=min_frequency,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    inner.train_from_iterator(texts, trainer)
    return Tokenizer(inner)
