"""Who may look: the one who read the server's terminal, or the bearer of a verified token."""

from __future__ import annotations

import hashlib
import hmac
from typing import Protocol

from cuedeck.mcp.auth import TokenRefused, TokenVerifier
from cuedeck.model.principal import ANONYMOUS, Principal

# A cookie holds 4,096 bytes with its name and attributes.
LONGEST_COOKIE = 3800


class Access(Protocol):
    """Decides who may see the dashboard; may fetch keys, so it is asked in a thread."""

    pasted: bool

    def session_for(self, token: str) -> str | None:
        """The cookie that a token earns, or nothing."""

    def holder_of(self, session: str) -> Principal | None:
        """Whom a cookie belongs to, or nothing."""

    def bearer(self, token: str) -> Principal | None:
        """Whom a bearer token belongs to, or nothing."""


class PrintedToken:
    """The token that `cue serve` prints at its start; the cookie is derived from it and ends with it."""

    pasted = False

    def __init__(self, token: str) -> None:
        self._token = token.encode()
        self._session = hmac.new(self._token, b"cuedeck dashboard session", hashlib.sha256).hexdigest()

    def session_for(self, token: str) -> str | None:
        return self._session if hmac.compare_digest(token.encode(), self._token) else None

    def holder_of(self, session: str) -> Principal | None:
        return ANONYMOUS if hmac.compare_digest(session.encode(), self._session.encode()) else None

    def bearer(self, token: str) -> Principal | None:
        return ANONYMOUS if self.session_for(token) else None


class VerifiedTokens:
    """The tokens that /mcp takes; the cookie is the token itself and ends when it does."""

    pasted = True

    def __init__(self, verifier: TokenVerifier) -> None:
        self._verifier = verifier

    def session_for(self, token: str) -> str | None:
        return token if len(token) <= LONGEST_COOKIE and self.bearer(token) else None

    def holder_of(self, session: str) -> Principal | None:
        return self.bearer(session)

    def bearer(self, token: str) -> Principal | None:
        try:
            return self._verifier.verify(token).principal
        except TokenRefused:
            return None
