"""Text that callers give: kept as it is, or refused; never quietly changed."""

from __future__ import annotations

from cuedeck.model.errors import invalid


def checked(field: str, value: str, *, longest: int, blank: bool = False) -> str:
    """The value itself if both engines can hold it and it is not too long; else VALIDATION."""
    if not blank and not value.strip():
        raise invalid(field, "text", value)
    if len(value) > longest:
        raise invalid(field, f"at most {longest} characters", value)
    if "\0" in value:
        raise invalid(field, "text without NUL characters", value.replace("\0", "\\0"))
    try:
        value.encode()
    except UnicodeEncodeError:
        raise invalid(field, "text without lone surrogates", ascii(value)) from None
    return value
