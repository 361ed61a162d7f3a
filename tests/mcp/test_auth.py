from __future__ import annotations

import base64
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt import algorithms
from mcp_client import open_workspace, request
from mcp_http import CLIENT, JSON, get, modern, post, running
from mcp_sample import REGISTRY

from cuedeck.config.sections import AuthSection
from cuedeck.mcp.auth import REMEMBERED_SECONDS, TokenRefused, TokenVerifier, token_verifier
from cuedeck.mcp.http import HttpSettings, create_http_app
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.model.errors import CueError, ErrorCode

SECRET = "a secret of at least thirty-two bytes"
ISSUER, AUDIENCE = "https://issuer.example", "https://deck.example/mcp"
RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_RSA = rsa.generate_private_key(public_exponent=65537, key_size=2048)
EC = ec.generate_private_key(ec.SECP256R1())
ED = ed25519.Ed25519PrivateKey.generate()


def claims(**changed: Any) -> dict[str, Any]:
    now = int(time.time())
    full = {"sub": "anna", "exp": now + 7200, "iss": ISSUER, "aud": AUDIENCE} | changed
    return {name: value for name, value in full.items() if value is not None}


def token(key: Any = SECRET, algorithm: str = "HS256", kid: str | None = None, **changed: Any) -> str:
    return jwt.encode(claims(**changed), key, algorithm, headers={"kid": kid} if kid else None)


def jwk(key: Any, kid: str, **more: Any) -> dict[str, Any]:
    algorithm = {RSA: algorithms.RSAAlgorithm, EC: algorithms.ECAlgorithm, ED: algorithms.OKPAlgorithm}[key]
    return json.loads(algorithm.to_jwk(key.public_key())) | {"kid": kid, "use": "sig"} | more


def with_secret(**settings: Any) -> TokenVerifier:
    chosen = {"issuer": ISSUER, "audience": AUDIENCE, "jwt_secret": SECRET, "leeway": 0} | settings
    found = token_verifier(AuthSection(**chosen), Path())
    assert found is not None
    return found


def with_keys(root: Path, *keys: dict[str, Any]) -> TokenVerifier:
    (root / "keys.json").write_text(json.dumps({"keys": keys}))
    found = token_verifier(AuthSection(jwks="keys.json", issuer=ISSUER, audience=AUDIENCE, leeway=0), root)
    assert found is not None
    return found


def refused(verifier: TokenVerifier, bad: str) -> str:
    with pytest.raises(TokenRefused) as caught:
        verifier.verify(bad)
    assert SECRET not in str(caught.value)
    return str(caught.value)


def test_a_good_token_names_its_principal() -> None:
    verified = with_secret().verify(token())
    assert (verified.principal.subject, verified.principal.issuer) == ("anna", ISSUER)


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (token(exp=int(time.time()) - 5), "expired"),
        (token(nbf=int(time.time()) + 7000), "not valid yet"),
        (token(aud="https://other.example"), "another audience"),
        (token(iss="https://other.example"), "another issuer"),
        (token(exp=None), "no exp"),
        (token(sub=None), "no sub"),
        (token(iss=None), "no iss"),
        (token(aud=None), "no aud"),
        (token(sub=" "), "no subject"),
        (token(sub="a\0b"), "cannot be used"),
        (token(sub="é" * 128), "cannot be used"),
        (token(sub="\ud800"), "not valid"),
        (token(exp=float("inf")), "not valid"),
        (token(exp="soon"), "not valid"),
        (token(exp=str(int(time.time()) + 86_400)), "not numbers"),
        (token(exp=True), "expired"),
        (token(nbf="0"), "not numbers"),
        (token(sub=["anna"]), "not valid"),
        (token("another secret of at least 32 bytes!"), "not valid"),
        (token(algorithm="HS384", key=SECRET + "-" * 20), "algorithm"),
        (token(RSA, "RS256"), "algorithm"),
        (jwt.encode(claims(), None, "none"), "algorithm"),
        ("", "not valid"),
        ("a.b.c", "not valid"),
        ("x" * 20_000, "too long"),
    ],
)
def test_everything_else_is_refused_with_its_reason(bad: str, reason: str) -> None:
    assert reason in refused(with_secret(), bad)


def test_a_forged_signature_is_refused() -> None:
    head, _body, signature = token().split(".")
    forged = base64.urlsafe_b64encode(json.dumps(claims(sub="eve")).encode()).decode().rstrip("=")
    assert "not valid" in refused(with_secret(), f"{head}.{forged}.{signature}")


def test_a_little_clock_difference_is_tolerated() -> None:
    assert with_secret(leeway=10).verify(token(exp=int(time.time()) - 3))


def test_a_token_that_held_is_remembered_for_a_moment_and_never_beyond_its_expiry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    verifier, good = with_secret(), token(exp=int(time.time()) + 20)
    assert verifier.remembered(good) is None
    verified = verifier.verify(good)
    assert verifier.remembered(good) == verified
    assert verifier.remembered(good[:-2] + "AA") is None
    now, steady = time.time(), time.monotonic()
    with monkeypatch.context() as clock:
        clock.setattr("cuedeck.mcp.auth.time.time", lambda: now + 20)
        assert verifier.remembered(good) is None
    with monkeypatch.context() as clock:
        clock.setattr("cuedeck.mcp.auth.time.monotonic", lambda: steady + REMEMBERED_SECONDS + 1)
        assert verifier.remembered(good) is None


def test_a_refused_token_is_not_remembered() -> None:
    verifier, bad = with_secret(), token(key="another secret of thirty-two bytes!!")
    refused(verifier, bad)
    assert verifier.remembered(bad) is None


def test_issuer_and_audience_are_checked_only_when_configured() -> None:
    lax = with_secret(issuer=None, audience=None)
    assert lax.verify(token(iss=None, aud=None)).principal.issuer is None


@pytest.mark.parametrize(
    ("key", "algorithm"),
    [(RSA, "RS256"), (RSA, "RS512"), (RSA, "PS256"), (EC, "ES256"), (ED, "EdDSA")],
)
def test_public_keys_verify_their_algorithms(tmp_path: Path, key: Any, algorithm: str) -> None:
    verifier = with_keys(tmp_path, jwk(RSA, "r"), jwk(EC, "e"), jwk(ED, "d"))
    kid = {RSA: "r", EC: "e", ED: "d"}[key]
    assert verifier.verify(token(key, algorithm, kid)).principal.subject == "anna"


def test_a_public_key_is_never_a_secret(tmp_path: Path) -> None:
    verifier = with_keys(tmp_path, jwk(RSA, "r"))
    pem = RSA.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"r"}').decode().rstrip("=")
    body = base64.urlsafe_b64encode(json.dumps(claims()).encode()).decode().rstrip("=")
    algorithm = algorithms.HMACAlgorithm(algorithms.HMACAlgorithm.SHA256)
    signature = base64.urlsafe_b64encode(algorithm.sign(f"{head}.{body}".encode(), pem)).decode().rstrip("=")
    assert "algorithm" in refused(verifier, f"{head}.{body}.{signature}")


def test_a_shared_secret_in_a_key_set_is_ignored(tmp_path: Path) -> None:
    secret = base64.urlsafe_b64encode(SECRET.encode()).decode().rstrip("=")
    verifier = with_keys(tmp_path, {"kty": "oct", "kid": "s", "k": secret}, jwk(RSA, "r"))
    assert "algorithm" in refused(verifier, token(kid="s"))


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        (lambda: token(EC, "ES256", "r"), "key of another kind"),
        (lambda: token(OTHER_RSA, "RS256", "r"), "forged"),
        (lambda: token(RSA, "RS256", "unknown"), "unknown key id"),
        (lambda: token(RSA, "RS256"), "no key id among several"),
        (lambda: token(RSA, "RS512", "pinned"), "algorithm the key is not for"),
        (lambda: jwt.encode(claims(), RSA, "RS256", headers={"kid": "r", "crit": ["x"]}), "critical header"),
        (lambda: jwt.encode(claims(), None, "none", headers={"kid": "r"}), "alg none"),
    ],
)
def test_what_a_key_set_does_not_cover_is_refused(tmp_path: Path, bad: Any, why: str) -> None:
    keys = (jwk(RSA, "r"), jwk(EC, "e"), jwk(RSA, "pinned", alg="RS256"), jwk(RSA, "enc", use="enc"))
    assert refused(with_keys(tmp_path, *keys), bad())


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"jwt_secret": ""}, "empty"),
        ({"jwt_secret": "-----BEGIN PUBLIC KEY-----\n" + "x" * 60}, "key file"),
        ({"jwt_secret": "ssh-rsa " + "A" * 60}, "key file"),
        ({"jwt_secret": "s" * 40, "jwks": "keys.json"}, "both set"),
        ({"jwks": "missing.json"}, "no file"),
        ({"jwks": "http://keys.example/jwks"}, "https only"),
        ({"jwks": "ftp://keys.example/jwks"}, "https only"),
    ],
)
def test_unsafe_settings_are_refused_at_start(tmp_path: Path, settings: Any, message: str) -> None:
    with pytest.raises(CueError, match=message) as caught:
        token_verifier(AuthSection(**settings), tmp_path)
    assert caught.value.code is ErrorCode.CONFIGURATION


def test_no_settings_mean_no_verifier(tmp_path: Path) -> None:
    assert token_verifier(AuthSection(), tmp_path) is None


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    settings = {
        "CUEDECK_AUTH__JWT_SECRET": SECRET,
        "CUEDECK_AUTH__ISSUER": ISSUER,
        "CUEDECK_AUTH__AUDIENCE": AUDIENCE,
        "CUEDECK_AUTH__LEEWAY": "0",
        "CUEDECK_USER": "local",
    }
    with open_workspace(tmp_path_factory.mktemp("auth"), **settings) as workspace:
        options = HttpSettings(ConnectionOptions(decks=("all",)), registry=REGISTRY)
        with running(create_http_app(workspace, options)) as address:
            yield address


def test_without_a_token_every_path_is_challenged(server: str) -> None:
    for path in ("/mcp", "/mcp/todo", "/mcp/nonsense", "/", "/anything"):
        answer = post(server + path, request("ping"))
        assert answer.status_code == 401
        challenge = answer.headers["www-authenticate"]
        assert challenge.startswith("Bearer ")
        assert f'resource_metadata="{server}/.well-known/oauth-protected-resource{path}"' in challenge
        assert "invalid_token" not in challenge


@pytest.mark.parametrize(
    "header", ["Basic YTpi", "Bearer", "bearer x.y.z", "Bearer a b", "Token x", "Bearer \xe9"]
)
def test_what_is_no_good_token_is_challenged(server: str, header: str) -> None:
    raw = [("authorization", header.encode("latin-1"))]
    answer = CLIENT.post(server + "/mcp", json=request("ping"), headers=[*JSON.items(), *raw])  # type: ignore[arg-type]
    assert answer.status_code == 401
    assert "www-authenticate" in answer.headers


def test_the_caller_is_the_token_s_subject(server: str) -> None:
    message, headers = modern("todo_who", token=token(sub="ben"))
    answer = post(server + "/mcp", message, **headers).json()
    assert answer["result"]["structuredContent"]["subject"] == "ben"


def test_bare_methods_need_a_token_too_and_know_their_caller(server: str) -> None:
    assert post(server + "/mcp", request("update_task")).status_code == 401
    for _ in range(15):
        answer = post(server + "/mcp", request("update_task"), authorization=f"Bearer {token(sub='eve')}")
        assert "result" in answer.json()
    again = post(server + "/mcp", request("update_task"), authorization=f"Bearer {token(sub='eve')}")
    assert again.json()["error"]["code"] == 429
    other = post(server + "/mcp", request("update_task"), authorization=f"Bearer {token(sub='ida')}")
    assert "result" in other.json()


def test_a_token_dies_with_its_expiry_also_inside_a_session(server: str) -> None:
    short = token(exp=int(time.time()) + 2)
    client = {"name": "t", "version": "1"}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    greeting = post(server + "/mcp", request("initialize", hello), authorization=f"Bearer {short}")
    session = greeting.headers["mcp-session-id"]
    headers = {"authorization": f"Bearer {short}", "mcp-session-id": session}
    assert post(server + "/mcp", request("ping"), **headers).status_code == 200
    stolen = headers | {"authorization": f"Bearer {token(sub='eve')}"}
    assert post(server + "/mcp", request("ping"), **stolen).status_code == 404
    time.sleep(2.1)
    expired = post(server + "/mcp", request("ping"), **headers)
    assert expired.status_code == 401
    assert 'error="invalid_token"' in expired.headers["www-authenticate"]
    assert "expired" in expired.headers["www-authenticate"]


def test_the_metadata_says_who_issues_tokens(server: str) -> None:
    for path in ("", "/mcp", "/mcp/todo"):
        found = get(f"{server}/.well-known/oauth-protected-resource{path}")
        assert found.status_code == 200
        assert found.json()["authorization_servers"] == [ISSUER]
        assert found.json()["resource"] == server + path


def test_health_needs_no_token(server: str) -> None:
    assert get(server + "/healthz").status_code == 200
    assert get(server + "/readyz").status_code == 200
