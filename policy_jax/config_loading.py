"""From YAML and command-line overrides to a `RunConfig`, or one clear sentence."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from policy_jax.config import RunConfig
from policy_jax.errors import LeapError

COMMAND_LINE = "command line"
_NOT_CALLED = "default_factory_not_called"


class ConfigError(LeapError):
    """A config that cannot be used: file, key, and what to write instead."""


def load_config(path: str | Path, overrides: Sequence[str] = ()) -> RunConfig:
    """The run that a YAML (or JSON) file describes, with `section.key=value` overrides.

    Raises `ConfigError`.
    """
    return with_overrides(_read(Path(path)), str(path), overrides)


def with_overrides(data: dict[str, Any], where: str, overrides: Sequence[str]) -> RunConfig:
    """A `RunConfig` of plain data named `where`, with `section.key=value` overrides.

    Raises `ConfigError`.
    """
    overridden = set()
    for override in overrides:
        keys, value = _parse_override(override)
        _assign(data, keys, value)
        overridden.add(keys)
    return from_mapping(data, where, frozenset(overridden))


def from_mapping(
    data: Mapping[str, Any], where: str, overridden: frozenset[tuple[str, ...]] = frozenset()
) -> RunConfig:
    """A `RunConfig` of plain data; `where` is named in the `ConfigError`.

    `overridden`: keys that came from the command line instead.
    """
    try:
        return RunConfig.model_validate(data)
    except ValidationError as error:
        # One complaint a key: a default that waits for another key, or each arm of a
        # union, would only repeat it.
        problems = {e["loc"][:2]: e for e in reversed(error.errors()) if e["type"] != _NOT_CALLED}
        first = list(problems.values())[-1]
        raise ConfigError(_sentence(first, len(problems), where, overridden)) from None


def save_config(config: RunConfig, path: Path) -> None:
    """Write every knob of a run, defaults too, as YAML that `load_config` reads."""
    path.write_text(yaml.safe_dump(config.as_dict(), sort_keys=False), encoding="utf-8")


def _read(path: Path) -> dict[str, Any]:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"{path}: no such config file{_nearby(path)}") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f":{mark.line + 1}" if mark else ""
        raise ConfigError(f"{path}{line} is not YAML: {getattr(error, 'problem', error)}") from None
    if data is not None and not isinstance(data, dict):
        raise ConfigError(f"{path} must hold sections (run:, model:, …), not a {_kind(data)}")
    return data or {}


def _nearby(path: Path) -> str:
    """A hint at the configs that do exist where one was looked for."""
    folder = path.parent if path.parent.is_dir() else Path("configs")
    names = sorted(str(p) for p in folder.glob("*.yaml"))
    return f"; there is {', '.join(names)}" if names else ""


def _parse_override(text: str) -> tuple[tuple[str, ...], Any]:
    key, equals, value = text.partition("=")
    keys = tuple(key.strip().split("."))
    if not equals or len(keys) != 2 or not all(keys):
        raise ConfigError(
            f"{COMMAND_LINE}: {text!r} is not an override; write section.key=value, "
            "for example rollout.group_size=4"
        )
    try:
        return keys, yaml.safe_load(value)
    except yaml.YAMLError:
        return keys, value


def _assign(data: dict[str, Any], keys: tuple[str, ...], value: Any) -> None:
    section = data.get(keys[0])
    data[keys[0]] = {**(section if isinstance(section, dict) else {}), keys[1]: value}


def _sentence(
    problem: ErrorDetails, problems: int, where: str, overridden: frozenset[tuple[str, ...]]
) -> str:
    location = tuple(str(part) for part in problem["loc"])
    key = ".".join(location[:2])
    source = COMMAND_LINE if location[:2] in overridden else where
    if len(location) < 2 and overridden:
        source = f"{where} and {COMMAND_LINE}"
    more = f" (and {problems - 1} more)" if problems > 1 else ""
    return f"{source}: {_complaint(problem, key)}{more}"


def _complaint(problem: ErrorDetails, key: str) -> str:
    kind, context = problem["type"], problem.get("ctx", {})
    if kind == "extra_forbidden":
        hint = _nearest(key)
        return f"unknown key {key}" + (f"; did you mean {hint}?" if hint else "")
    if kind == "missing":
        return f"{key} is missing and has no default"
    if kind == "value_error":  # one of our own sentences, which names its keys
        return str(context["error"])
    if kind in ("model_type", "model_attributes_type"):
        return f"{key} must hold keys, not a {_kind(problem['input'])}"
    if len(problem["loc"]) > 2 and kind in ("int_type", "float_type"):
        return f"{key} = {problem['input']!r} should be a count (4) or a share of the group (0.5)"
    if kind == "string_pattern_mismatch":
        return (
            f"{key} = {problem['input']!r} should be letters, digits, dots, dashes or underscores"
        )
    message = problem["msg"].removeprefix("Input ")
    return f"{key} = {problem['input']!r} {message}"


def _nearest(key: str) -> str | None:
    """The known key that `key` is most likely meant to be."""
    known = list(_known_keys())
    leaf = key.rpartition(".")[2]
    same_leaf = [k for k in known if k.rpartition(".")[2] == leaf]  # right key, wrong section
    close = same_leaf or difflib.get_close_matches(key, known, n=1, cutoff=0.6)
    if not close:
        leaves = {k.rpartition(".")[2]: k for k in known}
        close = [leaves[m] for m in difflib.get_close_matches(leaf, leaves, n=1, cutoff=0.6)]
    return close[0] if close else None


def _known_keys() -> Iterator[str]:
    for name, field in RunConfig.model_fields.items():
        section = field.annotation
        assert isinstance(section, type) and issubclass(section, BaseModel)
        yield name
        yield from (f"{name}.{key}" for key in section.model_fields)


def _kind(value: Any) -> str:
    names = {list: "list", str: "text", type(None): "blank", bool: "yes or no", dict: "mapping"}
    return names.get(type(value), "number")
