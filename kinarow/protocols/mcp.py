"""A Model Context Protocol server: tools that give a language model moves, values and reviews.

The arguments of a tool are the fields of the HTTP request, validated by the same model, and its structured content is
the same answer. The text of ``analyse`` and ``review`` is the board, a sentence and the moves; other tools return the
answer as JSON text, and the boards as a second text. The first call loads the engine, so that a client sees the list of
tools at once.
"""

import json
import re
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import Any, cast

import anyio
import anyio.to_thread
from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase, FuncMetadata
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http import check_accept_headers
from mcp.server.transport_security import RequestBodyLimitMiddleware, TransportSecuritySettings
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kinarow.contract.actions import ACTIONS, Call, RenderedAnswer, answer, searches, shown
from kinarow.contract.json_schema import json_schema
from kinarow.contract.json_text import dump, parse
from kinarow.contract.model import Model
from kinarow.contract.problems import UNAUTHORIZED, Problem
from kinarow.contract.requests import NoFields, Request
from kinarow.cores import usable_cores
from kinarow.errors import SettingsError
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS
from kinarow.keys import CHALLENGE, Keys
from kinarow.search_types import MAX_INTEGER
from kinarow.settings import CONTAINER_HOSTS, PREFIX, Settings, is_loopback
from kinarow.version import VERSION

Fields = dict[str, Any]

PATH = "/mcp"  # the path of the HTTP transport
HEALTH_PATH = "/healthz"
MOVES_LISTED = 10  # default of ``top`` in ``analyse``
MAX_WAITING = 16  # most calls that wait for a search; further calls are refused

INSTRUCTIONS = (
    "Best moves and exact values for k-in-a-row games: tic-tac-toe, Connect Four, Gomoku and any other board of up to "
    "25 × 25. Send the board as a list of its rows from top to bottom, or send the `moves` that were made; without "
    "both the board is empty. Name the game by its preset (`game`) or by its rules (`goal`, `gravity`, ...). A board "
    "in three dimensions has `layers`, its rows are those of the bottom layer first, and moves are the text of a list "
    "of tiles, such as `[1, 22]`. Fields count rows and columns from 0 at the top left, sentences from 1; `tile` "
    "counts cells from 1, row by row. A result with `proven` true is certain; scores and outcomes are from the view of"
    " the side to move. Never invent a move, a value or a board. Keep a game as its `moves`, send all of them with "
    "every call, and show the board that comes back in the text of the answer. A move that is refused was not made: "
    "say why and ask for another. State that something is won, drawn or lost only where `proven` is true."
)


class _RawArguments(FuncMetadata):
    """Passes all arguments to the tool, because the request's model validates them."""

    def validate_arguments(self, arguments_to_validate: Mapping[str, Any]) -> dict[str, Any]:
        """Return all arguments as one dict named ``fields``."""
        return {"fields": {name: _normalised(value) for name, value in arguments_to_validate.items()}}


def _normalised(value: Any) -> Any:
    """Return the value with whole floats as integers, and JSON texts of lists and objects parsed: models send both."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= MAX_INTEGER:
        return int(value)
    if isinstance(value, list):
        return [_normalised(each) for each in value]
    if isinstance(value, dict):
        return {name: _normalised(each) for name, each in value.items()}
    if isinstance(value, str) and value.startswith(("[", "{")):
        try:
            return parse(value.encode())
        except (ValueError, Problem):
            return value
    return value


_UNREADABLE = "\0"
"""A call whose arguments can't be read gets this argument with the reason instead."""


def _check_json(message: bytes) -> bytes:
    """Return the message; if it is a call in invalid JSON, replace its arguments by the reason."""
    try:
        parse(message)
    except Problem as wrong:
        with suppress(ValueError, RecursionError, KeyError, TypeError):  # then the mcp package reports it
            value = json.loads(message)
            if value["method"] == "tools/call":
                value["params"]["arguments"] = {_UNREADABLE: wrong.detail}
                return json.dumps(value).encode()
    return message


class _Server(MCPServer):
    async def run_stdio_async(self) -> None:
        """Answer on standard input and output, with each line checked, until the input ends."""

        async def lines() -> AsyncIterator[bytes]:
            async for line in anyio.wrap_file(sys.stdin.buffer):
                yield _check_json(line)

        async with stdio_server(stdin=cast(Any, lines())) as (messages, answers):
            await self._lowlevel_server.run(messages, answers, self._lowlevel_server.create_initialization_options())


def _known_fields(fields: Fields, request: type[Request]) -> Fields:
    """Return the fields without ``toolCallId``, which clients add, and without empty texts of known fields."""
    if _UNREADABLE in fields:
        raise ToolError(fields[_UNREADABLE])
    known = request.model_fields
    return {
        name: value for name, value in fields.items() if name != "toolCallId" and (value != "" or name not in known)
    }


_WORDS = {
    "board": "The rows from the top, such as X.O: X, O, . empty, # blocked",
    "moves": "The moves in turn: with gravity columns from 1 (4453), else h8 h7 i9",
    "composed": "Any counts of marks",
    "top": f"How many moves to list, best first: {MOVES_LISTED} by default",
    "caro": "A run with marks of the other side at both ends is no line",
    "renju": "The rules of Renju",
    "games": 'Lines of JSON: each has players, as {"X": "a", "O": "b"}, and the fields of review',
}
_END_OF_CLAUSE = re.compile(r"[;,:(.](?: |$)")


def brief_schema(request: type[Request]) -> dict[str, Any]:
    """Return a short JSON schema of a request, since every conversation contains the list of tools."""
    schema = json_schema(request)
    fields = {}
    for name, field in schema["properties"].items():
        kept = {key: field[key] for key in ("type", "enum", "items", "minimum", "maximum") if key in field}
        if kept.get("maximum") == MAX_INTEGER:
            del kept["maximum"]
        words = _WORDS.get(name) or _END_OF_CLAUSE.split(field["description"], maxsplit=1)[0]
        fields[name] = {**kept, "description": words.replace("`", "")}
    required = {"required": schema["required"]} if "required" in schema else {}
    return {"type": "object", "properties": fields, "additionalProperties": False, **required}


TOOLS = {
    "best_move": ("move", "The best move on a board and how good it is: a proven win, draw or loss, or an estimate."),
    "analyse": ("analysis", "The value of every legal move on a board, best first, and the best move itself."),
    "review": ("review", "A grade for every move of a game: best, inaccuracy, mistake, blunder or unclear."),
    "puzzle": (
        "puzzle",
        "A position in which exactly one move wins, or alone saves a draw, proven, with its solution.",
    ),
    "judge": (
        "judge",
        "How well named players play, from their games: shares of best moves and blunders, value lost, and Elo.",
    ),
}
"""The action and the description of each tool that searches."""


class ToolCalls:
    """Runs the searches of all calls, with a shared cache."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._ask = searches(settings)
        self._limiter = anyio.CapacityLimiter(usable_cores())

    async def answer(self, action: str, fields: Fields) -> CallToolResult:
        """Return the result of an action, computed in another thread; stop its search if the call is cancelled.

        Raises:
            Problem: a field is wrong.
            ToolError: too many calls are waiting.
        """
        if self._limiter.statistics().tasks_waiting >= MAX_WAITING:
            raise ToolError("all searches are busy, and the queue for them is full; try again later")
        if action == "analysis":
            fields = {"top": MOVES_LISTED, **fields}
        call = Call(self._settings, self._ask)

        def work() -> RenderedAnswer[Model]:
            return answer(ACTIONS[action].read(fields), call)

        try:
            answered = await anyio.to_thread.run_sync(work, abandon_on_cancel=True, limiter=self._limiter)
        finally:
            call.stop.set()
        fields = answered.answer.model_dump()
        if action in ("analysis", "review"):
            return _tool_result(fields, answered.text())
        return _tool_result(fields, dump(fields).decode(), answered.text())


async def list_games(fields: Fields) -> CallToolResult:
    """List the games that `game` may name, with their rules and sizes."""
    NoFields.read(fields)
    boards = [f"{name}:\n{shown(Position.empty(rules))}" for name, rules in PRESETS.items()]
    games = [{"game": name, **preset.fields()} for name, preset in PRESETS.items()]
    return _tool_result({"games": games}, dump({"games": games}).decode(), "\n\n".join(boards))


def _tool_result(fields: Fields, *texts: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=each) for each in texts], structured_content=fields)


def _tool(name: str, purpose: str, work: Callable[[Fields], Awaitable[CallToolResult]], request: type[Request]) -> Tool:
    """Return a tool; wrong arguments become a ``ToolError``, which the model reads."""

    async def call(fields: Fields) -> CallToolResult:
        try:
            return await work(_known_fields(fields, request))
        except Problem as wrong:
            listed = "; ".join(f"{pointer or 'arguments'}: {detail}" for pointer, detail in wrong.problems)
            raise ToolError(listed or wrong.detail) from None

    return Tool(
        fn=call,
        name=name,
        description=purpose,
        parameters=brief_schema(request),
        fn_metadata=_RawArguments(arg_model=ArgModelBase),
        is_async=True,
        annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False),
    )


def create_server(settings: Settings) -> MCPServer:
    """Create the server with its tools, without loading the engine."""
    runner = ToolCalls(settings)
    tools = [
        _tool(name, purpose, partial(runner.answer, action), ACTIONS[action])
        for name, (action, purpose) in TOOLS.items()
    ]
    tools.append(_tool("list_games", list_games.__doc__ or "", list_games, NoFields))
    return _Server("kinarow", instructions=INSTRUCTIONS, version=VERSION, tools=tools, log_level="WARNING")


def _require_key(app: ASGIApp, keys: Keys) -> ASGIApp:
    """Wrap an app: answer 401 to requests without a known key."""
    refusal = PlainTextResponse(
        "Send the header Authorization: Bearer KEY.\n", UNAUTHORIZED.status, {"WWW-Authenticate": CHALLENGE}
    )

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        is_open = scope["type"] != "http" or scope["path"] == HEALTH_PATH
        if is_open or keys.refusal(HttpRequest(scope).headers.get("authorization", "")) is None:
            await app(scope, receive, send)
        else:
            await refusal(scope, receive, send)

    return call


def _http_app(server: MCPServer, settings: Settings, host: str) -> ASGIApp:
    """Return the app for streamable HTTP; a client may accept JSON, events, or both."""
    trusted = [host, "127.0.0.1", "localhost", "[::1]"]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=is_loopback(host),
        allowed_hosts=[f"{name}:*" for name in (*trusted, *CONTAINER_HOSTS)],
        allowed_origins=[f"http://{name}:*" for name in trusted],
    )
    events, answers = (
        server.streamable_http_app(streamable_http_path=PATH, json_response=only_json, transport_security=security)
        for only_json in (False, True)
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        async with events.router.lifespan_context(events), answers.router.lifespan_context(answers):
            yield

    running = Starlette(lifespan=lifespan)

    async def call(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await running(scope, receive, send)
            return
        if scope["path"] == HEALTH_PATH:
            await JSONResponse({"status": "ok"})(scope, receive, send)
            return
        accepts = check_accept_headers(HttpRequest(scope))
        if any(accepts):
            others = [header for header in scope["headers"] if header[0] != b"accept"]
            scope = {**scope, "headers": [*others, (b"accept", b"application/json, text/event-stream")]}
        message = await receive() if scope["method"] == "POST" else None

        async def read() -> Message:
            nonlocal message
            if message is None:
                return await receive()
            read, message = message, None
            return {**read, "body": _check_json(read["body"])} if "body" in read else read

        await (answers if accepts == (True, False) else events)(scope, read, send)

    return RequestBodyLimitMiddleware(call, settings.max_body_bytes)


def serve_stdio(settings: Settings) -> None:
    """Answer on standard input and output until the input ends."""
    create_server(settings).run("stdio")


def serve_http(settings: Settings, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve streamable HTTP until a signal; call ``say`` with the address. Port 0 means any free port.

    Raises ``SettingsError`` if other machines could call without a key, ``OSError`` if it can't listen.
    """
    import uvicorn

    if not settings.needs_key and not is_loopback(host):
        raise SettingsError(f"--host: other machines reach {host}, so keys are needed; set {PREFIX}API_KEYS_FILE")
    app = _http_app(create_server(settings), settings, host)
    if settings.needs_key:
        app = _require_key(app, Keys(settings))
    is_ipv6 = ":" in host
    family = socket.AF_INET6 if is_ipv6 else socket.AF_INET
    with socket.create_server((host, port), family=family) as listener:
        shown = f"[{host}]" if is_ipv6 else host
        say(f"listening at http://{shown}:{listener.getsockname()[1]}{PATH}")
        config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=settings.stop_s)
        uvicorn.Server(config).run(sockets=[listener])
