"""The resources of one connection: listing them, and reading one by its URI."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

from mcp.shared.uri_template import UriTemplate

from cuedeck.mcp.connection import Connection
from cuedeck.mcp.incident import unexpected
from cuedeck.mcp.rendering import INTERNAL_ERROR, RpcError, readable
from cuedeck.mcp.resource import Resource, ResourceRequest
from cuedeck.mcp.wire import INVALID_PARAMS
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.model.principal import Principal

# What 2025-11-25 and older call a missing resource.
LEGACY_NOT_FOUND = -32002


class ResourceDesk:
    """What a client may read besides calling tools."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        resources = connection.selection.resources
        self._fixed = {resource.uri: resource for resource in resources if not resource.is_template}
        self._templates = [(UriTemplate.parse(r.uri), r) for r in resources if r.is_template]

    def listing(self) -> list[dict[str, Any]]:
        """The answer to ``resources/list``."""
        return [_described(resource) | {"uri": resource.uri} for resource in self._fixed.values()]

    def templates(self) -> list[dict[str, Any]]:
        """The answer to ``resources/templates/list``."""
        return [_described(resource) | {"uriTemplate": resource.uri} for _, resource in self._templates]

    def read(self, uri: str, who: Principal | None, *, modern: bool) -> dict[str, Any]:
        """The answer to ``resources/read``."""
        resource, parameters = self._find(uri, modern)
        try:
            principal = who or self._connection.local_principal()
            request = ResourceRequest(self._connection.workspace(), principal, uri, parameters)
            content = resource.read(request)
        except CueError as error:
            raise _refusal(error, uri, modern) from None
        except Exception as error:  # noqa: BLE001 - the boundary where anything unexpected becomes an id
            raise _refusal(unexpected(uri, error), uri, modern) from None
        return {"contents": [{"uri": uri, "mimeType": resource.mime_type, **_body(content)}]}

    def _find(self, uri: str, modern: bool) -> tuple[Resource, Mapping[str, str]]:
        if fixed := self._fixed.get(uri):
            return fixed, {}
        for template, resource in self._templates:
            values = template.match(uri)
            if values is not None:
                return resource, {name: value for name, value in values.items() if isinstance(value, str)}
        raise _missing(uri, modern)


def _described(resource: Resource) -> dict[str, Any]:
    return {
        "name": resource.name,
        "title": resource.title,
        "description": resource.description,
        "mimeType": resource.mime_type,
    }


def _body(content: str | bytes) -> dict[str, Any]:
    if isinstance(content, bytes):
        return {"blob": base64.b64encode(content).decode()}
    return {"text": readable(content)}


def _missing(uri: str, modern: bool) -> RpcError:
    return RpcError(INVALID_PARAMS if modern else LEGACY_NOT_FOUND, "Resource not found", {"uri": uri})


def _refusal(error: CueError, uri: str, modern: bool) -> RpcError:
    if error.code is ErrorCode.NOT_FOUND:
        return _missing(uri, modern)
    bad_request = error.code in (ErrorCode.VALIDATION, ErrorCode.PATH_REFUSED, ErrorCode.UNAUTHORIZED)
    code = INVALID_PARAMS if bad_request else INTERNAL_ERROR
    return RpcError(code, readable(error.message), readable({"uri": uri, **error.data}))
