"""What the shim remembers of an MCP conversation, so that it survives the death of a daemon."""

from __future__ import annotations

# A client says these once; a new daemon must hear them again before anything else.
_REPLAYED = ("initialize", "notifications/initialized")
# Requests that stay open for as long as the client likes; nobody waits for their answer.
_STANDING = ("subscriptions/listen",)
_MANY = 1000
_ANSWER = b'{"jsonrpc":"2.0","id":'
_NOBODY = "null"
# Of longer ones the server may say something else, or they come in parts.
_SHORT = 65_536


class Request:
    """One question of the client that has no answer yet; without its line it cannot be sent again."""

    def __init__(self, method: str, tool: str | None, line: bytes | None, in_batch: bool) -> None:
        self.method = method
        self.tool = tool
        self.line = line
        self.in_batch = in_batch

    def is_harmless(self, harmless_tools: frozenset[str]) -> bool:
        """Whether it changes nothing, so that it may be sent again."""
        return self.tool is None or self.tool in harmless_tools


class Conversation:
    """Lines are noted as they pass and only read when it costs nobody time."""

    def __init__(self) -> None:
        self._unread: list[tuple[bool, bytes]] = []
        self._open: dict[str, Request] = {}
        self._unreadable = 0
        self._again: set[bytes] = set()
        self._replayed: dict[str, bytes] = {}
        self._repeated: frozenset[bytes] = frozenset()
        self._hidden: set[str] = set()

    def sent(self, line: bytes) -> None:
        """A line went to the daemon."""
        if line not in self._repeated:
            self._unread.append((True, line))
        if len(self._unread) > _MANY:
            self.read()

    def received(self, line: bytes) -> bool:
        """A line came from the daemon; False when the client must not see it."""
        if self._hidden and (hidden := self._hidden.intersection(_answered(line))):
            self._hidden -= hidden
            return False
        self._unread.append((False, line))
        return True

    def read(self) -> None:
        """Work through the lines noted so far."""
        unread, self._unread = self._unread, []
        for from_client, line in unread:
            if from_client:
                self._note_client(line)
                continue
            answered = _answered(line)
            for identity in answered:
                self._open.pop(identity, None)
            if _NOBODY in answered:  # what the server refuses whole, it refuses under no id
                self._open = {key: request for key, request in self._open.items() if not request.in_batch}
                self._unreadable = max(0, self._unreadable - 1)

    def waiting(self) -> bool:
        """Whether the client still waits for an answer."""
        self.read()
        return self._unreadable > 0 or any(request.method not in _STANDING for request in self._open.values())

    def opening(self) -> list[bytes]:
        """What to say to a new daemon first; its answers will not reach the client."""
        import json

        self.read()
        for line in self._replayed.values():
            message = json.loads(line)
            if "id" in message:
                self._hidden.add(json.dumps(message["id"]))
        self._repeated = frozenset(self._replayed.values())
        return list(self._replayed.values())

    def abandon(self, harmless_tools: frozenset[str]) -> tuple[list[bytes], list[bytes]]:
        """After the daemon is lost: errors for its open requests, and those that may be sent once more."""
        self.read()
        lost, self._open = self._open, {}
        self._unreadable = 0
        self._hidden.clear()
        errors: list[bytes] = []
        again: list[bytes] = []
        for identity, request in lost.items():
            harmless = request.is_harmless(harmless_tools)
            if harmless and request.line is not None:
                again.append(request.line)
            else:
                errors.append(_lost(identity, harmless))
        self._again.update(again)
        # A handshake that was never answered is not repeated behind the client's back: it waits for it.
        self._replayed = {key: line for key, line in self._replayed.items() if line not in self._again}
        return errors, again

    def _note_client(self, line: bytes) -> None:
        import json

        try:
            parsed = json.loads(line, parse_constant=_refuse_constant)
        except (ValueError, RecursionError):
            # The server answers with -32700, under no id.
            self._unreadable += bool(line.strip()) and len(line) <= _SHORT
            return
        in_batch = isinstance(parsed, list)
        # Neither a part of a batch nor what was sent twice already is sent again.
        repeatable = None if in_batch or line in self._again else line
        self._again.discard(line)
        messages = parsed if in_batch else [parsed]
        answered = [self._note_message(message, line, repeatable, in_batch) for message in messages]
        # What has no id to answer under is refused under none, a batch of such things once.
        if not any(answered):
            self._unreadable += not messages or any(map(_refused, messages))

    def _note_message(self, message: object, line: bytes, repeatable: bytes | None, in_batch: bool) -> bool:
        """Note what must be answered or said again; whether it is answered under an id."""
        import json

        if not isinstance(message, dict) or _is_answer(message):
            return False
        method, parameters = str(message.get("method")), message.get("params")
        parameters = parameters if isinstance(parameters, dict) else {}
        if method == "notifications/cancelled":
            self._open.pop(json.dumps(parameters.get("requestId")), None)
        if method in _REPLAYED:
            self._replayed[method] = line
        identity = message.get("id")
        if not isinstance(identity, (int, str)) or isinstance(identity, bool):
            return False
        if isinstance(identity, str):  # a lone surrogate comes back as a question mark
            identity = identity.encode("utf-8", "replace").decode()
        self._open[json.dumps(identity)] = Request(method, _tool(method, parameters), repeatable, in_batch)
        return True


def refusal(line: bytes, why: str) -> list[bytes]:
    """An error for every request in a line that could not be delivered."""
    conversation = Conversation()
    conversation.sent(line)
    conversation.read()
    return [
        _error(identity, f"The CueDeck daemon cannot be reached: {why}", {"retry_safe": True})
        for identity in conversation._open
    ]


def _is_answer(message: dict[str, object]) -> bool:
    return "method" not in message and ("result" in message or "error" in message)


def _refused(message: object) -> bool:
    """Whether a message that has no id to answer under is neither an answer nor a notification."""
    if not isinstance(message, dict):
        return True
    is_notification = isinstance(message.get("method"), str) and message.get("jsonrpc") == "2.0"
    return not _is_answer(message) and ("id" in message or not is_notification)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _tool(method: str, parameters: dict[object, object]) -> str | None:
    """The tool a request calls; the protocol's own methods are none."""
    if method == "tools/call":
        return str(parameters.get("name"))
    return None if "/" in method or method in ("initialize", "ping") else method


def _lost(identity: str, safe: bool) -> bytes:
    advice = (
        "It changes nothing, so sending it again is safe."
        if safe
        else "It may or may not have been carried out: look before sending it again."
    )
    message = f"The CueDeck daemon stopped while it worked on this request. {advice}"
    return _error(identity, message, {"retry_safe": safe})


def _error(identity: str, message: str, data: dict[str, object]) -> bytes:
    import json

    body = json.dumps({"code": -32603, "message": message, "data": data}, ensure_ascii=False)
    return f'{{"jsonrpc":"2.0","id":{identity},"error":{body}}}\n'.encode()


def _answered(line: bytes) -> list[str]:
    """The ids that a line of the server answers; none for its requests and notifications."""
    import json

    if line.startswith(_ANSWER):
        head = line[len(_ANSWER) : len(_ANSWER) + 300].decode("utf-8", "replace")
        try:
            identity, end = json.JSONDecoder().raw_decode(head)
        except ValueError:
            identity, end = None, 0
        if head[end:].startswith((',"result"', ',"error"')):
            return [json.dumps(identity)]
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError):
        return []
    messages = [item for item in (parsed if isinstance(parsed, list) else [parsed]) if isinstance(item, dict)]
    return [json.dumps(item.get("id")) for item in messages if "method" not in item]
