"""Exceptions. Those of a program carry its diagnostic, and a traceback that goes on into the program's own source."""

from __future__ import annotations

import ast
import linecache
from dataclasses import dataclass, field
from typing import Any, Optional


@dataclass(frozen=True)
class Span:
    """A place in a source text: lines and columns count from one, columns in characters; bytes from zero."""

    filename: str
    line: int
    column: int
    end_line: int
    end_column: int
    start: int
    end: int

    def __str__(self) -> str:
        return f"{self.filename}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Diagnostic:
    """What is wrong with a program: a code, a sentence, places, facts, what to try, and the calls that led there."""

    code: str
    message: str
    span: Optional[Span] = None
    labels: tuple = ()
    notes: tuple = ()
    help: tuple = ()
    trace: tuple = field(default=(), repr=False)


class Error(Exception):
    """A program is wrong, or was called wrongly.

    >>> import evert
    >>> m = evert.text("fn third(a) = a[3]", name="model.ev")
    >>> try:
    ...     m.third([1.0, 2.0])
    ... except evert.Error as error:
    ...     print(error.code, error.span, error.notes)
    E0307 model.ev:1:15 ('the array has shape [2]; indices go from 0 to 1',)
    """

    def __init__(self, message: str, diagnostics: tuple = (), rendered: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.diagnostics = diagnostics
        #: The diagnostic as the command line shows it, with the lines of the source underlined.
        self.rendered = rendered

    def __reduce__(self) -> tuple:
        return (_restored, (type(self), self.args[0], self.diagnostics, self.rendered, getattr(self, "__notes__", [])))

    @property
    def diagnostic(self) -> Optional[Diagnostic]:
        return self.diagnostics[0] if self.diagnostics else None

    @property
    def code(self) -> Optional[str]:
        return self.diagnostic and self.diagnostic.code

    @property
    def span(self) -> Optional[Span]:
        return self.diagnostic and self.diagnostic.span

    @property
    def filename(self) -> Optional[str]:
        return self.span and self.span.filename

    @property
    def notes(self) -> tuple:
        return self.diagnostic.notes if self.diagnostic else ()

    @property
    def help(self) -> tuple:
        return self.diagnostic.help if self.diagnostic else ()

    @property
    def trace(self) -> tuple:
        return self.diagnostic.trace if self.diagnostic else ()


class ArgumentError(Error, TypeError):
    """An argument that no program could take."""


class Bug(Exception):
    """A mistake of Evert's, not of the program. Please report it."""

    def __init__(self, words: str) -> None:
        super().__init__(f"{words} (this is a bug in Evert; please report it)")
        self.words = words

    def __reduce__(self) -> tuple:
        return (Bug, (self.words,))


for _kind in (Span, Diagnostic, Error, ArgumentError, Bug):
    _kind.__module__ = "evert"  # where users find them


def _restored(kind: type, message: str, diagnostics: tuple, rendered: str, notes: list) -> Error:
    error = kind(message, diagnostics, rendered)
    _add_notes(error, notes)
    return error


def _add_notes(error: Error, notes: list) -> None:
    if hasattr(error, "add_note"):  # Python 3.11
        for note in notes:
            error.add_note(note)


def from_diagnostics(found: list, rendered: str) -> Error:
    """The exception for diagnostics as the extension gives them."""
    diagnostics = tuple(map(_diagnostic, found))
    first = diagnostics[0]
    error = Error(f"{first.code}: {first.message}", diagnostics, rendered)
    notes = [f"  = {note}" for note in first.notes] + [f"  = help: {help}" for help in first.help]
    if len(diagnostics) > 1:
        notes.append(f"  … and {len(diagnostics) - 1} more")
    _add_notes(error, notes)
    return _with_traceback(error, found[0])


def _diagnostic(found: dict) -> Diagnostic:
    return Diagnostic(
        found["code"],
        found["message"],
        _span(found["place"]),
        tuple((text, _span(place)) for text, place in found["labels"]),
        tuple(found["notes"]),
        tuple(found["help"]),
        tuple((text, _span(place)) for text, place in found["trace"]),
    )


def _span(place: Optional[dict]) -> Optional[Span]:
    if place is None:
        return None
    text = place["text"].encode()
    (line, column), (end_line, end_column) = _position(text, place["start"]), _position(text, place["end"])
    return Span(place["file"], line, column + 1, end_line, end_column + 1, place["start"], place["end"])


def _position(text: bytes, at: int) -> tuple:
    """Line from one, column in characters from zero."""
    before = text[:at]
    start = before.rfind(b"\n") + 1
    return before.count(b"\n") + 1, len(before[start:].decode(errors="replace"))


# --- Tracebacks -----------------------------------------------------------------------------------------------------------------------

_MOST_FRAMES = 30


def _with_traceback(error: Error, found: dict) -> Error:
    """The error with a traceback of one frame for each call of the program, at the places where they were made."""
    frames = _frames(found)
    if not frames:
        return error
    calls: list = [lambda: None]
    for place, name in reversed(frames):
        code = _code(place, name, "raise _evert()" if len(calls) == 1 else "_evert()")
        inner = (lambda: error) if len(calls) == 1 else calls[-1]
        calls.append(_call(code, inner))
    try:
        calls[-1]()
    except Error as raised:
        # Our own frames are of no interest.
        traceback = raised.__traceback__
        while traceback is not None and traceback.tb_frame.f_code.co_filename == __file__:
            traceback = traceback.tb_next
        _skip_ours(traceback)
        return raised.with_traceback(traceback)
    return error


def _call(code: Any, inner: Any) -> Any:
    return lambda: exec(code, {"_evert": inner, "__name__": "evert"})


def _skip_ours(traceback: Any) -> None:
    while traceback is not None:
        following = traceback.tb_next
        while following is not None and following.tb_frame.f_code.co_filename == __file__:
            following = following.tb_next
        traceback.tb_next = following
        traceback = following


def _frames(found: dict) -> list:
    """Places and the functions they are in, the outermost first."""
    trace = [(text, place) for text, place in found["trace"]]
    places = [found["place"]] + [place for _, place in trace]
    names = [_name(text) for text, _ in trace] + ["evert"]
    # The outermost span is the statement itself where nobody called it.
    if len(places) > 1 and _contains(places[-1], places[-2]):
        places.pop()
    frames = [(place, name) for place, name in zip(places, names) if place is not None and place["text"].strip()]
    if len(frames) > _MOST_FRAMES:
        frames = frames[: _MOST_FRAMES // 2] + frames[-_MOST_FRAMES // 2 :]
    return frames[::-1]


def _contains(outer: Optional[dict], inner: Optional[dict]) -> bool:
    if outer is None or inner is None:
        return outer is None
    return outer["file"] == inner["file"] and outer["start"] <= inner["start"] and inner["end"] <= outer["end"]


def _name(text: str) -> str:
    parts = text.split("`")
    return parts[1] if len(parts) > 2 else "evert"


def _code(place: dict, name: str, text: str) -> Any:
    """Code whose every instruction is at a place of a program's source."""
    source: str = place["text"]
    filename: str = place["file"]
    lines = source.splitlines(True)
    linecache.cache[filename] = (len(source), None, lines, filename)
    raw = source.encode()
    (line, column), (end_line, end_column) = _bytes(raw, place["start"]), _bytes(raw, place["end"])
    if end_line != line:
        # Python underlines one line; of a place that goes on, the first.
        end_line, end_column = line, max(column + 1, len(raw.split(b"\n")[line - 1]))
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno, node.col_offset = line, column  # type: ignore[attr-defined]
            node.end_lineno, node.end_col_offset = end_line, end_column  # type: ignore[attr-defined]
    return compile(tree, filename, "exec").replace(co_name=name)


def _bytes(text: bytes, at: int) -> tuple:
    """Line from one, column in bytes from zero: what Python's compiler wants."""
    before = text[:at]
    return before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1)
