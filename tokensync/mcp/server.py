"""The answers as tools of the Model Context Protocol, on stdin and stdout; ``config/mcp.toml`` describes them."""

from __future__ import annotations

import asyncio
import json
import signal
import tomllib
from typing import TYPE_CHECKING, Any

from jsonschema import Draft202012Validator
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from tokensync.mcp.answers import Answers
from tokensync.system import outlet, resources
from tokensync.system.errors import TokensyncError
from tokensync.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.project.configuration import Project

_LONGEST_ERROR = 2000


def serve(load: Callable[[], Project]) -> None:
    """Answer requests until stdin ends; ``load`` reads the project."""
    # A thread that waits for stdin cannot be interrupted, and Python would wait for it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    with outlet.wire():
        asyncio.run(_serve(Answers(load)))


async def _serve(answers: Answers) -> None:
    table = tomllib.loads(resources.read_text("config", "mcp.toml"))
    tools = {name: _tool(name, table["parameters"], **described) for name, described in table["tools"].items()}
    one_by_one = asyncio.Lock()

    async def list_tools(*_: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[*tools.values()])

    async def call_tool(_: Any, called: types.CallToolRequestParams) -> types.CallToolResult:
        tool, arguments = tools.get(called.name), called.arguments or {}
        if tool is None:
            return _failed(f"{outlet.readable(called.name)}: no such tool; use one of {', '.join(tools)}")
        async with one_by_one:
            return await asyncio.to_thread(_answer, answers, tool, arguments)

    server = Server(
        "tokensync",
        version=__version__,
        instructions=table["instructions"].strip(),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    async with stdio_server() as (reader, writer):
        await server.run(reader, writer, server.create_initialization_options())


def _tool(
    name: str, parameters: Mapping[str, Any], description: str, required: list[str], optional: list[str]
) -> types.Tool:
    properties = {parameter: parameters[parameter] for parameter in (*required, *optional)}
    schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    hints = types.ToolAnnotations(read_only_hint=True, open_world_hint=name == "plan")
    return types.Tool(name=name, description=description, input_schema=schema, annotations=hints)


def _answer(answers: Answers, tool: types.Tool, arguments: dict[str, Any]) -> types.CallToolResult:
    """Return the answer of a tool, as an object and as its text; or the message of an error."""
    for error in Draft202012Validator(tool.input_schema).iter_errors(arguments):
        return _failed(f"{tool.name}: {outlet.readable(error.message)}; see its input schema")
    try:
        answer = getattr(answers, tool.name)(**arguments)
    except (TokensyncError, OSError) as error:
        return _failed(str(error))
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], structured_content=answer)


def _failed(message: str) -> types.CallToolResult:
    text = outlet.readable(message, _LONGEST_ERROR)
    return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=True)
