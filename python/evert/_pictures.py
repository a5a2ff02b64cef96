"""Texts that are pictures."""

from __future__ import annotations

import re
from typing import Any


class Picture(str):
    """A text in SVG, which notebooks show."""

    def _repr_svg_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return f"<a picture of {len(self)} characters>"


def is_picture(text: Any) -> bool:
    return isinstance(text, str) and re.match(r"\s*(<\?xml[^>]*>\s*)?(<!DOCTYPE[^>]*>\s*)?<svg[\s>]", text) is not None


def pictured(value: Any) -> Any:
    """The value, or if it is a picture something that notebooks show as one."""
    return Picture(value) if is_picture(value) else value
