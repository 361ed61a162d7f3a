"""What the shim remembers, message by message."""

from __future__ import annotations

import json
from typing import Any

from cuedeck.daemon.conversation import Conversation, refusal


def line(**message: Any) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}, separators=(",", ":")).encode() + b"\n"


def call(identity: int | str, tool: str) -> bytes:
    return line(id=identity, method="tools/call", params={"name": tool})


def test_an_answered_request_is_forgotten() -> None:
    talk = Conversation()
    talk.sent(call(1, "read"))
    assert talk.waiting()
    assert talk.received(line(id=1, result={}))
    assert not talk.waiting()
    assert talk.abandon(frozenset()) == ([], [])


def test_answers_in_any_shape_are_recognised() -> None:
    for answer in (
        b'{"id": "a", "jsonrpc": "2.0", "result": {"id": 5}}\n',
        b'{"jsonrpc":"2.0","id":"a","error":{"code":1,"message":"x"}}\n',
        b'[{"jsonrpc":"2.0","id":"a","result":{}}]\n',
    ):
        talk = Conversation()
        talk.sent(call("a", "read"))
        talk.received(answer)
        assert not talk.waiting(), answer


def test_requests_and_notifications_of_the_server_answer_nothing() -> None:
    talk = Conversation()
    talk.sent(call(1, "read"))
    talk.received(line(id=1, method="elicitation/create", params={}))
    talk.received(line(method="notifications/progress", params={"id": 1}))
    talk.received(b"no json\n")
    assert talk.waiting()


def test_harmless_requests_are_repeated_once_and_others_never() -> None:
    talk = Conversation()
    talk.sent(call(1, "search"))
    talk.sent(call(2, "store"))
    errors, again = talk.abandon(frozenset({"search"}))
    assert again == [call(1, "search")]
    assert [json.loads(error)["id"] for error in errors] == [2]
    assert json.loads(errors[0])["error"]["data"] == {"retry_safe": False}
    talk.sent(again[0])
    errors, again = talk.abandon(frozenset({"search"}))
    assert again == [] and json.loads(errors[0])["error"]["data"] == {"retry_safe": True}


def test_a_new_daemon_hears_the_handshake_and_the_client_does_not() -> None:
    talk = Conversation()
    opening = [line(id=0, method="initialize", params={}), line(method="notifications/initialized")]
    for each in opening:
        talk.sent(each)
    talk.received(line(id=0, result={}))
    assert talk.opening() == opening
    for each in opening:
        talk.sent(each)
    assert not talk.received(line(id=0, result={}))
    assert talk.received(line(method="notifications/message", params={}))
    assert not talk.waiting()
    assert talk.received(line(id=0, result={}))


def test_losing_the_daemon_during_the_handshake_tells_the_client_nothing() -> None:
    talk = Conversation()
    first = line(id=0, method="initialize", params={})
    talk.sent(first)
    talk.received(line(id=0, result={}))
    for each in talk.opening():
        talk.sent(each)
    assert talk.abandon(frozenset()) == ([], [])


def test_cancelled_and_standing_requests_are_not_waited_for() -> None:
    talk = Conversation()
    talk.sent(call(1, "read"))
    talk.sent(line(method="notifications/cancelled", params={"requestId": 1}))
    talk.sent(line(id=2, method="subscriptions/listen"))
    assert not talk.waiting()


def test_what_the_server_refuses_whole_is_not_waited_for() -> None:
    for refused in (
        line(id=1.5, method="ping"),
        line(id=True, method="ping"),
        b'{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":NaN}}\n',
        b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]\n',
    ):
        talk = Conversation()
        talk.sent(refused)
        talk.received(line(id=None, error={"code": -32600, "message": "Invalid request"}))
        assert not talk.waiting(), refused
        talk.sent(call(2, "read"))
        talk.received(line(id=None, error={"code": -32600, "message": "Invalid request"}))
        assert talk.waiting(), refused


def test_the_refusal_of_what_is_no_request_is_waited_for() -> None:
    nobody = line(id=None, error={"code": -32600, "message": "Invalid request"})
    for refused in (
        b"5\n",
        b"[]\n",
        b'["x"]\n',
        b"null\n",
        b"{}\n",
        line(id=None, method="ping"),
        line(id=1.5),
    ):
        talk = Conversation()
        talk.sent(refused)
        assert talk.waiting(), refused
        talk.received(nobody)
        assert not talk.waiting(), refused
    talk = Conversation()
    talk.sent(line(id=1))
    assert talk.waiting()
    talk.received(line(id=1, error={"code": -32600, "message": "Invalid request"}))
    assert not talk.waiting()


def test_an_id_that_is_no_unicode_is_answered_as_far_as_it_can_be_written() -> None:
    talk = Conversation()
    talk.sent(b'{"jsonrpc":"2.0","id":"a\\ud800","method":"ping"}\n')
    assert talk.waiting()
    talk.received(line(id="a?", result={}))
    assert not talk.waiting()


def test_answers_and_notifications_of_the_client_are_not_answered() -> None:
    talk = Conversation()
    for sent in (
        line(id=1, result={}),
        line(id=None, error={"code": 1, "message": "x"}),
        line(method="notifications/progress", params={}),
        b"[" + line(method="notifications/progress").strip() + b"]\n",
    ):
        talk.sent(sent)
    assert not talk.waiting()


def test_an_answer_to_what_is_no_json_is_waited_for() -> None:
    talk = Conversation()
    for sent in (b"garbage\n", b"{\n", b" \n", b"x" * 100_000):
        talk.sent(sent)
    for _ in range(2):
        assert talk.waiting()
        talk.received(line(id=None, error={"code": -32700, "message": "Parse error"}))
    assert not talk.waiting()


def test_what_could_not_be_delivered_is_refused_one_by_one() -> None:
    batch = b'[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":"x","method":"ping"}]\n'
    assert [json.loads(each)["id"] for each in refusal(batch, "no room")] == [1, "x"]
    assert refusal(line(method="notifications/initialized"), "no room") == []
    assert refusal(b"\xff{\n", "no room") == []


def test_a_handshake_that_was_never_answered_reaches_the_client() -> None:
    talk = Conversation()
    first = line(id=0, method="initialize", params={})
    talk.sent(first)
    errors, again = talk.abandon(frozenset())
    assert (errors, again) == ([], [first])
    assert talk.opening() == []
    talk.sent(first)
    assert talk.received(line(id=0, result={}))
    assert talk.opening() == [first]
