from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from mcp_client import request

SERVER = str(Path(__file__).parent / "support" / "mcp_stdio_server.py")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_official_client_talks_to_a_process_in_both_eras(tmp_path: Path, mode: Any) -> None:
    async def scenario() -> None:
        command = StdioServerParameters(command=sys.executable, args=[SERVER, str(tmp_path)])
        async with Client(stdio_client(command), mode=mode) as client:
            assert (await client.list_tools()).tools[0].name == "context_read_context"
            found = await client.call_tool("vault_page", {"limit": -3})
            assert found.structured_content["data"] == {"limit": 1, "offset": 0}
            failed = await client.call_tool("todo_fail", {"code": "multiple_matches"})
            assert json.loads(failed.content[0].text)["error"] == "multiple_matches"
            with pytest.raises(MCPError) as refused:
                await client.call_tool("context_fail", {"code": "stale_cache"})
            assert refused.value.code == 1006

    anyio.run(scenario)


def test_piped_requests_are_answered_before_the_process_ends(tmp_path: Path) -> None:
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    lines = [
        request("initialize", hello, 1),
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        request("tools/call", {"name": "wait", "arguments": {"seconds": 0.3}}, 2),
        request("read_context", {"query": "x", "limit": 1}, 3),
        request("odd", {}, 5),
    ]
    text = "\n".join([*map(json.dumps, lines), "not json", json.dumps(request("ping", None, 4))])
    done = subprocess.run(
        [sys.executable, SERVER, str(tmp_path)],
        input=text,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert {answer["id"] for answer in answers} == {1, 2, 3, 4, 5, None}
    assert answers[-1]["id"] == 2
    assert "stray" not in done.stdout
    assert "stray" in done.stderr
