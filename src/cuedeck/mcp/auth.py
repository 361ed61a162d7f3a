"""Bearer tokens: verified signatures, required claims, and one reason for every refusal."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt

from cuedeck.config.sections import AuthSection
from cuedeck.mcp.jwks import KeySource, key_source
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.model.principal import Principal

log = logging.getLogger(__name__)
MIN_SECRET_BYTES = 32
MAX_TOKEN_BYTES = 16 * 1024
# What OpenID Connect allows, and what every store can index.
MAX_SUBJECT_BYTES = 255
# Asymmetric only: a public key that could also be an HMAC secret is how keys get confused.
JWKS_ALGORITHMS = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
)
# A verified token is remembered this long at most; keys taken out of a key set are noticed later than that.
REMEMBERED_SECONDS = 30.0
MAX_REMEMBERED = 4096
_PEM_MARKS = ("-----BEGIN", "ssh-rsa", "ssh-ed25519", "ecdsa-sha2-")


class TokenRefused(Exception):
    """Why a token was not accepted; safe to show."""


@dataclass(frozen=True, slots=True)
class Verified:
    """A token that held: who it is for, and until when."""

    principal: Principal
    expires_at: int
    claims: Mapping[str, Any]


class TokenVerifier:
    """Checks tokens against one secret or one set of public keys, never both."""

    def __init__(self, settings: AuthSection, keys: Callable[[str], tuple[Any, list[str]]]) -> None:
        self._settings = settings
        self._keys = keys
        self._held: dict[bytes, tuple[float, Verified]] = {}

    def remembered(self, token: str) -> Verified | None:
        """What a token said that held a moment ago and has not expired since; never waits."""
        found = self._held.get(_digest(token))
        if found is None or time.monotonic() > found[0]:
            return None
        verified = found[1]
        return verified if time.time() < verified.expires_at + self._settings.leeway else None

    def verify(self, token: str) -> Verified:
        """The token's principal, or why it is refused; may fetch keys, so call it in a thread."""
        if len(token) > MAX_TOKEN_BYTES:
            raise TokenRefused("the token is too long")
        try:
            key, algorithms = self._keys(token)
            claims = jwt.decode(
                token,
                key,
                algorithms=algorithms,
                issuer=self._settings.issuer,
                audience=self._settings.audience,
                leeway=self._settings.leeway,
                options={"require": self._required(), "verify_aud": self._settings.audience is not None},
            )
            return self._remember(token, _verified(claims))
        except jwt.PyJWTError as error:
            raise TokenRefused(_reason(error)) from None
        except (ValueError, TypeError, OverflowError):
            # A well-signed token with absurd claims, or a key set with absurd keys.
            raise TokenRefused("the token is not valid") from None

    def _remember(self, token: str, verified: Verified) -> Verified:
        if len(self._held) >= MAX_REMEMBERED:
            self._held.clear()
        self._held[_digest(token)] = (time.monotonic() + REMEMBERED_SECONDS, verified)
        return verified

    def _required(self) -> list[str]:
        required = ["exp", "sub"]
        if self._settings.issuer is not None:
            required.append("iss")
        if self._settings.audience is not None:
            required.append("aud")
        return required


def token_verifier(settings: AuthSection, root: Path) -> TokenVerifier | None:
    """The verifier that the settings ask for, or None when authentication is not configured."""
    if settings.jwt_secret is not None and settings.jwks is not None:
        raise _misconfigured("auth.jwt_secret and auth.jwks are both set", "Keep one of them.")
    if settings.jwt_secret is not None:
        return TokenVerifier(settings, _shared_secret(settings.jwt_secret))
    if settings.jwks is not None:
        return TokenVerifier(settings, _public_keys(key_source(settings.jwks, root)))
    return None


def _shared_secret(secret: str) -> Callable[[str], tuple[Any, list[str]]]:
    if secret.lstrip().startswith(_PEM_MARKS):
        raise _misconfigured(
            "auth.jwt_secret holds a key file's text", "Public keys belong in a JWKS; set auth.jwks instead."
        )
    if not secret:
        raise _misconfigured("auth.jwt_secret is empty", "Make one with `openssl rand -hex 32`.")
    if len(secret.encode()) < MIN_SECRET_BYTES:
        log.warning(
            "auth.jwt_secret is shorter than %d bytes and can be guessed from a token; "
            "make one with `openssl rand -hex 32`",
            MIN_SECRET_BYTES,
        )
    return lambda _token: (secret, ["HS256"])


def _public_keys(source: KeySource) -> Callable[[str], tuple[Any, list[str]]]:
    def choose(token: str) -> tuple[Any, list[str]]:
        header = jwt.get_unverified_header(token)
        algorithm = header.get("alg")
        if algorithm not in JWKS_ALGORITHMS:
            raise jwt.InvalidAlgorithmError("algorithm not allowed")
        if "crit" in header:
            raise jwt.InvalidTokenError("critical header")
        key = source.find(header.get("kid"), algorithm)
        if key is None:
            raise jwt.InvalidKeyError("unknown key")
        return key, [algorithm]

    return choose


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


def _verified(claims: Mapping[str, Any]) -> Verified:
    subject = claims["sub"]
    if not isinstance(subject, str) or not subject.strip():
        raise TokenRefused("the token names no subject")
    if "\0" in subject or len(subject.encode()) > MAX_SUBJECT_BYTES:
        raise TokenRefused("the token's subject cannot be used")
    # PyJWT takes "1700000000" too; a NumericDate is a JSON number.
    if any(type(claims.get(name, 0)) not in (int, float) for name in ("exp", "nbf", "iat")):
        raise TokenRefused("the token's times are not numbers")
    issuer = claims.get("iss")
    principal = Principal(subject=subject, issuer=issuer if isinstance(issuer, str) else None)
    return Verified(principal, int(claims["exp"]), claims)


def _reason(error: jwt.PyJWTError) -> str:
    match error:
        case jwt.ExpiredSignatureError():
            return "the token has expired"
        case jwt.ImmatureSignatureError():
            return "the token is not valid yet"
        case jwt.InvalidAudienceError():
            return "the token is for another audience"
        case jwt.InvalidIssuerError():
            return "the token is from another issuer"
        case jwt.MissingRequiredClaimError():
            return f"the token has no {error.claim}"
        case jwt.InvalidAlgorithmError():
            return "the token's algorithm is not accepted"
    return "the token is not valid"


def _misconfigured(message: str, hint: str) -> CueError:
    return CueError(ErrorCode.CONFIGURATION, message, hint=hint)
