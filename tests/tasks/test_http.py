"""Todos over HTTP with tokens: nobody gets in without a good one, and nobody gets at another's list."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from starlette.testclient import TestClient

from cuedeck.mcp.http import HttpSettings, create_http_app
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.workspace import Workspace

SECRET = "0123456789abcdef0123456789abcdef0123456789abcdef"
ANN = "123e4567-e89b-12d3-a456-426614174000"
BOB = "123e4567-e89b-12d3-a456-426614174001"
ISSUER, AUDIENCE = "https://issuer.example", "cuedeck"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def token(subject: str = ANN, *, key: str = SECRET, algorithm: str = "HS256", **claims: Any) -> str:
    now = int(time.time())
    body = {"sub": subject, "iss": ISSUER, "aud": AUDIENCE, "exp": now + 600, **claims}
    return jwt.encode({name: value for name, value in body.items() if value is not None}, key, algorithm)


def unsigned(header: dict[str, Any], claims: dict[str, Any], key: bytes = b"") -> str:
    parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in (header, claims)]
    mark = hmac.new(key, b".".join(parts), hashlib.sha256).digest() if key else b""
    return b".".join([*parts, base64.urlsafe_b64encode(mark).rstrip(b"=")]).decode()


GOOD_CLAIMS = {"sub": ANN, "iss": ISSUER, "aud": AUDIENCE, "exp": int(time.time()) + 600}
BAD_TOKENS = {
    "missing": None,
    "empty": "",
    "no token": "x.y.z",
    "forged": token(key="f" * 32),
    "expired": token(exp=int(time.time()) - 60),
    "never expires": token(exp=None),
    "not yet valid": token(nbf=int(time.time()) + 600),
    "wrong audience": token(aud="other"),
    "no audience": token(aud=None),
    "wrong issuer": token(iss="https://evil.example"),
    "no issuer": token(iss=None),
    "no subject": token(sub=None),
    "wrong algorithm": token(algorithm="HS384"),
    "alg none": unsigned({"alg": "none", "typ": "JWT"}, GOOD_CLAIMS),
    "alg None with a signature": unsigned({"alg": "None"}, GOOD_CLAIMS, SECRET.encode()),
    "claims to be RS256": unsigned({"alg": "RS256"}, GOOD_CLAIMS, SECRET.encode()),
}


class Caller:
    """Calls the todo tools with a token of one's choice."""

    def __init__(self, client: TestClient) -> None:
        self._client = client

    def post(self, bearer: str | None, name: str, **arguments: Any) -> Any:
        headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": name}
        if bearer is not None:
            headers["authorization"] = f"Bearer {bearer}"
        params = {"name": name, "arguments": arguments, "_meta": META}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        accept = {"accept": "application/json, text/event-stream"}
        return self._client.post("/mcp/todo", json=message, headers={**headers, **accept})

    def call(self, user: str, name: str, **arguments: Any) -> Any:
        response = self.post(token(user), name, **{"user_id": user, **arguments})
        assert response.status_code == 200
        return json.loads(response.json()["result"]["content"][0]["text"])


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    root: Path = tmp_path_factory.mktemp("workspace")
    (root / ".cuedeck").mkdir()
    settings = {
        "CUEDECK_AUTH__JWT_SECRET": SECRET,
        "CUEDECK_AUTH__ISSUER": ISSUER,
        "CUEDECK_AUTH__AUDIENCE": AUDIENCE,
        "CUEDECK_USER": BOB,  # a configured local user must not matter once tokens do
        "HOME": str(root),
    }
    with Workspace.open(root, environ=settings) as workspace:
        app = create_http_app(workspace, HttpSettings(ConnectionOptions(decks=("todo",))))
        with TestClient(app, base_url="http://127.0.0.1") as client:
            yield Caller(client)


@pytest.mark.parametrize("bad", BAD_TOKENS.values(), ids=BAD_TOKENS.keys())
def test_a_bad_token_gets_nobody_in(caller: Caller, bad: str | None) -> None:
    before = caller.call(ANN, "list_tasks")["total"]
    response = caller.post(bad, "add_task", user_id=ANN, title="planted")
    assert response.status_code == 401
    assert response.headers["www-authenticate"].startswith("Bearer")
    assert caller.call(ANN, "list_tasks")["total"] == before


def test_a_token_replayed_after_it_expired_is_refused(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    brief = token(exp=int(time.time()) - 7)  # inside the leeway of ten seconds, also when all is slow
    assert caller.post(brief, "list_tasks", user_id=ANN).status_code == 200
    deadline = time.monotonic() + 20
    while caller.post(brief, "list_tasks", user_id=ANN).status_code == 200:
        assert time.monotonic() < deadline
        time.sleep(0.2)
    assert caller.post(brief, "list_tasks", user_id=ANN).status_code == 401


def test_the_token_decides_whose_list_it_is(caller: Caller) -> None:
    made = caller.call(ANN, "add_task", title="Ann's secret")["task"]["id"]
    assert caller.call(BOB, "list_tasks")["total"] == 0
    assert caller.call(BOB, "list_tasks", user_id=ANN)["error"] == "unauthorized"
    assert caller.call(BOB, "complete_task", task_id=made)["error"] == "not_found"
    assert caller.call(BOB, "delete_task", task_title="secret")["error"] == "not_found"
    assert [task["id"] for task in caller.call(ANN, "list_tasks", status="incomplete")["tasks"]] == [made]
