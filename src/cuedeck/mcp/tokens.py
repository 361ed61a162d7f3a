"""Makes tokens for development: only with a secret of our own, never in the name of an issuer."""

from __future__ import annotations

import time
import uuid

from cuedeck.config.sections import AuthSection
from cuedeck.model.errors import CueError, ErrorCode


def development_token(settings: AuthSection, user: str | None, expires: int) -> str:
    """An HS256 token that this workspace's server accepts."""
    import jwt

    if settings.jwks is not None:
        raise _cannot("auth.jwks is set: tokens come from its issuer", "Ask the issuer for a token.")
    if settings.jwt_secret is None:
        raise _cannot(
            "auth.jwt_secret is not set, so there is nothing to sign a token with",
            "Set auth.jwt_secret to what `openssl rand -hex 32` prints, in your user's config.toml; "
            "without authentication no token is needed on loopback.",
        )
    if not user:
        raise _cannot("No user to issue a token for", "Give --user UUID, or set user.id.")
    now = int(time.time())
    claims: dict[str, object] = {
        "sub": user,
        "iat": now,
        "nbf": now,
        "exp": expires,
        "jti": str(uuid.uuid4()),
    }
    if settings.issuer:
        claims["iss"] = settings.issuer
    if settings.audience:
        claims["aud"] = settings.audience
    return jwt.encode(claims, settings.jwt_secret, algorithm="HS256")


def _cannot(message: str, hint: str) -> CueError:
    return CueError(ErrorCode.CONFIGURATION, message, hint=hint)
