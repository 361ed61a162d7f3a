from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import jwt
import pytest
from web_demo import TOKEN, make_project, serving, visitor

from cuedeck.workspace import Workspace

JWT_SECRET = "s" * 40
ANYBODY = visitor("")


@pytest.fixture(autouse=True)
def _no_cookies() -> None:
    ANYBODY.cookies.clear()


def get(url: str, **headers: str) -> httpx.Response:
    return ANYBODY.get(url, headers=headers)


def post(url: str, **headers: str) -> httpx.Response:
    return ANYBODY.post(url, data={"status": "done"}, headers=headers)


def test_without_a_session_every_page_is_closed(demo):
    for path in ("/", "/cards", "/events", "/document?path=docs/guide.md", "/nowhere"):
        answer = get(demo.address + path)
        assert answer.status_code == 401, path
        assert "cue serve" in answer.text
        assert "Second card" not in answer.text


def test_the_printed_token_becomes_a_strict_cookie_and_leaves_the_address(demo):
    answer = get(f"{demo.address}/cards?token={TOKEN}&a=b")
    assert answer.status_code == 303
    assert answer.headers["location"] == "/cards?a=b"
    cookie = answer.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie and TOKEN not in cookie


@pytest.mark.parametrize("token", ["", "wrong", TOKEN + "x", "é", "a" * 5000])
def test_another_token_opens_nothing(demo, token):
    answer = ANYBODY.get(demo.address + "/", params={"token": token})
    assert answer.status_code == 401
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("cookie", ["", "x", "é".encode(), TOKEN])
def test_a_made_up_cookie_opens_nothing(demo, cookie):
    port = demo.address.rpartition(":")[2]
    value = cookie if isinstance(cookie, bytes) else cookie.encode()
    answer = ANYBODY.get(demo.address + "/", headers={"cookie": b"cuedeck_" + port.encode() + b"=" + value})
    assert answer.status_code == 401


def test_a_redirect_never_leaves_the_server(demo):
    answer = get(f"{demo.address}//evil.example/?token={TOKEN}")
    assert answer.status_code in (303, 404)
    assert not answer.headers.get("location", "/").startswith("//")


def test_every_answer_carries_strict_headers(demo, client):
    for answer in (client.get("/"), get(demo.address), client.get("/nowhere"), client.get("/static/live.js")):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "script-src 'self'" in policy
        assert "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
    assert client.get("/").headers["cache-control"] == "no-store"


def test_a_change_needs_our_own_origin(demo, client):
    path = f"/cards/{demo.ids['second']}/move"
    before = demo.workspace.cards.get(demo.ids["second"])
    another_port = "http://127.0.0.1:1"
    for origin in (another_port, "http://localhost:1", "null", "https://evil.example"):
        answer = client.post(path, data={"status": "done"}, headers={"origin": origin})
        assert answer.status_code == 403, origin
    del client.headers["origin"]
    assert client.post(path, data={"status": "done"}).status_code == 403
    cross = {"origin": demo.address, "sec-fetch-site": "cross-site"}
    assert client.post(path, data={"status": "done"}, headers=cross).status_code == 403
    assert demo.workspace.cards.get(demo.ids["second"]) == before


def test_a_change_needs_a_session_too(demo):
    before = demo.workspace.cards.get(demo.ids["second"])
    answer = post(f"{demo.address}/cards/{demo.ids['second']}/move", origin=demo.address)
    assert answer.status_code == 401
    assert demo.workspace.cards.get(demo.ids["second"]) == before


def test_looking_is_never_a_change(demo, client):
    assert client.get(f"/cards/{demo.ids['second']}/move").status_code in (404, 405)


def test_a_rebound_name_is_refused(client):
    assert client.get("/", headers={"host": "evil.example"}).status_code == 421


def test_a_huge_form_is_refused(demo, client):
    answer = client.post(f"/cards/{demo.ids['second']}/move", content=b"status=" + b"a" * 400_000)
    assert answer.status_code == 413


def test_mcp_and_health_need_no_dashboard_token(demo):
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    headers = {"accept": "application/json, text/event-stream"}
    answer = ANYBODY.post(demo.address + "/mcp", json=hello, headers=headers)
    assert answer.status_code == 200
    assert answer.json()["result"]["serverInfo"]["name"]
    assert get(demo.address + "/healthz").json() == {"status": "ok"}
    assert "content-security-policy" not in answer.headers


def test_the_dashboard_cookie_does_not_open_mcp_to_other_sites(client):
    answer = client.post("/mcp", json={}, headers={"origin": "https://evil.example"})
    assert answer.status_code == 403


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    root: Path = tmp_path_factory.mktemp("jwt") / "project"
    make_project(root)
    environ = {"HOME": str(root), "CUEDECK_AUTH__JWT_SECRET": JWT_SECRET}
    with Workspace.open(root, environ=environ) as workspace, serving(workspace, read_only=True) as address:
        yield address


def signed(key: str = JWT_SECRET, seconds: int = 60) -> str:
    return jwt.encode({"sub": "anna", "exp": int(time.time()) + seconds}, key, "HS256")


def test_with_jwt_a_pasted_token_logs_in(secured):
    with visitor(secured, origin=secured) as person:
        assert person.get("/").status_code == 401
        assert 'name="token"' in person.get("/").text
        assert person.post("/login", data={"token": signed("x" * 40)}).status_code == 401
        assert person.post("/login", data={"token": signed(seconds=-100)}).status_code == 401
        assert person.post("/login", data={"token": signed()}, headers={"origin": "null"}).status_code == 403
        assert person.post("/login", data={"token": signed()}).headers["location"] == "/"
        assert person.get("/cards").status_code == 200


def test_with_jwt_a_bearer_token_is_enough_and_mcp_still_asks_for_one(secured):
    assert get(secured + "/cards", authorization=f"Bearer {signed()}").status_code == 200
    assert get(secured + "/cards", authorization="Bearer x.y.z").status_code == 401
    refused = ANYBODY.post(secured + "/mcp", json={})
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"].startswith("Bearer")


def test_a_read_only_server_shows_no_buttons_and_takes_no_change(secured):
    headers = {"authorization": f"Bearer {signed()}", "origin": secured}
    page = get(secured + "/workflows", **headers)
    assert page.status_code == 200
    assert "<button" not in page.text
    answer = post(secured + "/workflows/contents/run", **headers)
    assert answer.status_code == 403
    assert "read-only" in answer.text
