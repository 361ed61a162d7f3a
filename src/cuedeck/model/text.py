"""Text that callers give and stores keep: as it is, or refused; never quietly changed."""

from __future__ import annotations

from cuedeck.model.errors import invalid


def is_unicode(text: str) -> bool:
    """Whether UTF-8 can carry it: no half of a surrogate pair."""
    try:
        return text.isascii() or bool(text.encode())
    except UnicodeEncodeError:
        return False


def is_storable(text: str) -> bool:
    """Whether both engines can hold it."""
    return "\0" not in text and is_unicode(text)


def storable(field: str, value: str) -> str:
    """The value itself if both engines can hold it; else VALIDATION."""
    if "\0" in value:
        raise invalid(field, "text without NUL characters", value.replace("\0", "\\0"))
    if not is_unicode(value):
        raise invalid(field, "text without lone surrogates", ascii(value))
    return value


def checked(field: str, value: str, *, longest: int, blank: bool = False) -> str:
    """The value itself if it can be held, says something and is not too long; else VALIDATION."""
    if not blank and not value.strip():
        raise invalid(field, "text", value)
    if len(value) > longest:
        raise invalid(field, f"at most {longest} characters", value)
    return storable(field, value)
