"""Public keys from a JWKS file or URL: cached, refreshed when a new key id turns up, never in a hurry."""

from __future__ import annotations

import json
import logging
import threading
import time
import urllib.request
from collections.abc import Callable, Mapping
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import jwt

from cuedeck.model.errors import CueError, ErrorCode

FRESH_SECONDS = 300.0
# An unknown key id may ask for one fetch in this time; after failures the wait doubles.
BACK_OFF_SECONDS = 10.0
BACK_OFF_LIMIT = 600.0
FETCH_TIMEOUT = 5.0
MAX_BYTES = 1024 * 1024
LOOPBACK = ("127.0.0.1", "localhost", "::1")

logger = logging.getLogger("cuedeck.mcp")


class KeySource:
    """Signing keys by key id."""

    def __init__(self, load: Callable[[], bytes], clock: Callable[[], float] = time.monotonic) -> None:
        self._load = load
        self._clock = clock
        self._keys: tuple[Mapping[str, Any], ...] = ()
        self._loaded_at = 0.0
        self._not_before = 0.0
        self._back_off = BACK_OFF_SECONDS
        self._guard = threading.Lock()

    def find(self, key_id: str | None, algorithm: str) -> jwt.PyJWK | None:
        """The key of that id for that algorithm; without an id, the only key there is."""
        found = self._get(key_id)
        if found is None or self._clock() - self._loaded_at > FRESH_SECONDS:
            # Only who lacks its key waits while another thread fetches.
            self._refresh(wait=found is None)
            found = self._get(key_id)
        if found is None or found.get("alg", algorithm) != algorithm:
            return None
        return jwt.PyJWK.from_dict(dict(found), algorithm)

    def _get(self, key_id: str | None) -> Mapping[str, Any] | None:
        matches = [key for key in self._keys if key_id is None or key.get("kid") == key_id]
        return matches[0] if len(matches) == 1 else None

    def _refresh(self, *, wait: bool) -> None:
        if self._guard.acquire(blocking=wait):
            try:
                self._load_when_due()
            finally:
                self._guard.release()

    def _load_when_due(self) -> None:
        now = self._clock()
        if now < self._not_before:
            return
        try:
            self._keys = signing_keys(self._load())
        except (OSError, HTTPException, ValueError, RecursionError) as error:
            logger.warning("the key set could not be read: %s", type(error).__name__)
            self._back_off = min(BACK_OFF_LIMIT, self._back_off * 2)
        else:
            self._loaded_at = now
            self._back_off = BACK_OFF_SECONDS
        self._not_before = now + self._back_off


def signing_keys(text: bytes) -> tuple[Mapping[str, Any], ...]:
    """The public signing keys of a JWKS; shared secrets and encryption keys are left out."""
    document = json.loads(text)
    entries = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(entries, list):
        raise ValueError("not a JWKS")
    return tuple(entry for entry in entries if isinstance(entry, dict) and _signs(entry))


def _signs(entry: Mapping[str, Any]) -> bool:
    return entry.get("kty") in ("RSA", "EC", "OKP") and entry.get("use", "sig") == "sig"


def key_source(place: str, root: Path) -> KeySource:
    """The keys at a file (relative to the workspace) or an https URL."""
    if "://" not in place:
        path = root / place
        if not path.is_file():
            raise CueError(
                ErrorCode.CONFIGURATION,
                f"auth.jwks: there is no file {place}",
                hint="Give a file relative to the workspace, or an https URL.",
            )
        return KeySource(path.read_bytes)
    url = urlsplit(place)
    if url.scheme != "https" and not (url.scheme == "http" and url.hostname in LOOPBACK):
        raise CueError(
            ErrorCode.CONFIGURATION,
            "auth.jwks: keys are fetched over https only",
            hint="Use an https URL, or a file.",
        )
    return KeySource(lambda: _fetch(place))


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_arguments: Any, **_options: Any) -> None:
        return None


def _fetch(url: str) -> bytes:
    opener = urllib.request.build_opener(_NoRedirects)
    with opener.open(url, timeout=FETCH_TIMEOUT) as response:
        body: bytes = response.read(MAX_BYTES + 1)
    if len(body) > MAX_BYTES:
        raise ValueError("too large")
    return body
