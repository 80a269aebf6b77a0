"""The OpenAPI 3.1 document, made from the models, the list of problems and recorded answers.

The answers of the examples are recorded in ``examples.json`` beside this file, so that the document can be served
without a search. ``python -m service.commands.openapi`` records them and writes ``openapi.yaml`` at the top of the
repository, which is this document.
"""

import json
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import yaml
from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from kinarow.game.rules import RULE_FIELDS
from kinarow.version import VERSION
from service.adapters import kaggle
from service.api import game_schemas, schemas
from service.api import problem_kinds as kinds
from service.api import sse as stream
from service.api.problem_kinds import KINDS, MEDIA_TYPE, Kind
from service.logs import REQUEST_ID_HEADER

Schema = dict[str, Any]

EXAMPLES_FILE = "examples.json"
_YAML_WIDTH = 110
_REF_TEMPLATE = "#/components/schemas/{model}"
_MODELS: dict[str, Any] = {
    model.__name__: model
    for model in (
        schemas.MoveRequest,
        schemas.AnalysisRequest,
        schemas.MoveAnswer,
        schemas.AnalysisAnswer,
        schemas.AnalysisProgress,
        game_schemas.ReviewRequest,
        game_schemas.ReviewAnswer,
        game_schemas.ReviewedMoveEvent,
        game_schemas.MovesRequest,
        game_schemas.MovesAnswer,
        game_schemas.TreeRequest,
        game_schemas.TreeAnswer,
        schemas.Problem,
        schemas.Health,
        schemas.Version,
        schemas.Solved,
    )
}  # fmt: skip


class _Operation(NamedTuple):
    """A ``POST`` that starts searches: its id, its models and its words."""

    id: str
    request: str
    answer: str
    summary: str
    description: str


_OPERATIONS = {
    "/move": _Operation(
        "move",
        "MoveRequest",
        "MoveAnswer",
        "The best move and how good it is.",
        "The same request gets the same answer, apart from `elapsed_ms` and `cached`, unless time ended the search or "
        "`level` is below 10 without a `seed`.",
    ),
    "/analysis": _Operation(
        "analyse",
        "AnalysisRequest",
        "AnalysisAnswer",
        "Every legal move and its value.",
        "The search of /move, and then a second search with the same budget for the values of the other moves.\n\n"
        "If `Accept` names `text/event-stream`, the answer is a stream of server-sent events, each with its JSON data "
        "in one line: `progress` after each finished iteration of the first search, then `result` with the answer, or "
        "`error` with a problem. An error before the first byte is an ordinary problem; a cached answer is a single "
        "`result`. Lines that begin with a colon are comments that keep the connection alive.",
    ),
    "/review": _Operation(
        "review",
        "ReviewRequest",
        "ReviewAnswer",
        "A whole game, every move graded.",
        "`max_nodes` and `max_depth` apply to each position. All searches together take at most the time that the "
        "server allows for one. They go from the end of the game to its beginning, and each gets an equal share of "
        "the remaining time; cached answers take no time. A move that is not possible, or that comes after the end of "
        "the game, is an error at `/moves/i`.\n\n"
        "If `Accept` names `text/event-stream` the answer is server-sent events: `move` as soon as a move is graded, "
        "the last move of the game first, then `result` with the answer, or `error` with a problem. All else is as "
        "for the events of /analysis.",
    ),
    "/moves": _Operation(
        "moves",
        "MovesRequest",
        "MovesAnswer",
        "Many requests of /move at once.",
        "The answers are in the order of the requests. The status is 200 even if some requests are refused: a refused "
        "request has a problem in its place. All searches together take at most the time that the server allows for "
        "one: each gets an equal share of the remaining time; cached answers take no time.",
    ),
    "/tree": _Operation(
        "tree",
        "TreeRequest",
        "TreeAnswer",
        "The search tree of a small position, for lessons.",
        "Minimax with distances, or fail-soft alpha-beta; both try the moves in tile order. The empty tic-tac-toe "
        "board takes 549,946 nodes without pruning and 20,866 with it. A setting of the server limits the nodes; a "
        "larger tree is refused.",
    ),
}

_SEARCH_FAILURES = (kinds.INVALID_REQUEST, kinds.TOO_MANY_REQUESTS, kinds.UNAVAILABLE)
_POST_FAILURES = (kinds.UNREADABLE_BODY, kinds.BODY_TOO_LARGE, kinds.UNSUPPORTED_MEDIA_TYPE, *_SEARCH_FAILURES)
_GET_FAILURES = (kinds.LINE_TOO_LONG, *_SEARCH_FAILURES)

_REPLY: Schema = {
    "operationId": "move",
    "description": "The opponent's move: the board after this move, under the same rules. Leave out the fields that "
    "were not sent.",
    "requestBody": {
        "board": "$response.body#/board",
        **{name: f"$request.body#/{name}" for name in (*RULE_FIELDS, "layers", "game")},
    },
}
_LINKS: dict[str, Schema] = {
    "/move": {
        "reply": _REPLY,
        "analysis": {
            "operationId": "analyse",
            "description": "The value of every move of the same board.",
            "requestBody": "$request.body",
        },
    },
    "/analysis": {"reply": _REPLY},
}
"""Possible next requests, built from a request and its answer."""

EXAMPLE_REQUESTS: dict[str, dict[str, tuple[str, Schema]]] = {
    "/move": {
        "shortest": ("Tic-tac-toe, the shortest request", {"board": "X.O/.X./..O"}),
        "tic-tac-toe": ("Tic-tac-toe", {"board": ["xxo", "o__", "x_o"], "to_move": "X"}),
        "connect-four": (
            "Connect Four by its preset",
            {
                "board": [".......", ".......", "...O...", "..OX...", "..XO...", ".XOXX.."],
                "game": "connect-four",
                "max_nodes": 20_000,
            },
        ),
        "moves": (
            "Connect Four by the columns of its moves",
            {"game": "connect-four", "moves": "4453", "max_nodes": 20_000},
        ),
        "misere": (
            "A 3 × 4 board on which three in a row lose",
            {"board": "X..O/.O../..X.", "goal": 3, "misere": True},
        ),
        "finished": ("A finished game", {"board": ["XXX", "OO.", "..."], "to_move": "O"}),
    },
    "/analysis": {"tic-tac-toe": ("The three best moves", {"board": "X.O/.X./..O", "top": 3})},
    "/review": {
        "tic-tac-toe": (
            "Four moves of tic-tac-toe by their tiles; the second loses",
            {"game": "tic-tac-toe", "moves": [5, 2, 1, 9]},
        ),
        "column": (
            "Moves as columns, on a 4 × 4 board with gravity",
            {
                "rows": 4,
                "columns": 4,
                "goal": 3,
                "gravity": True,
                "moves": [{"column": 1}, {"column": 3}, {"column": 2}],
            },
        ),
    },
    "/moves": {
        "two": (
            "Two boards, the second of which no game can reach",
            {"requests": [{"board": "XX./OO./...", "to_move": "X"}, {"board": "XXX/XX./..."}]},
        )
    },
    "/tree": {
        "pruning": ("Alpha-beta", {"board": "XOX/OXO/.X.", "to_move": "O"}),
        "minimax": ("Minimax of one ply", {"board": "X.O/.X./..O", "max_depth": 1, "pruning": False}),
    },
}
"""The requests of the examples; their answers are recorded, never typed."""

EXAMPLE_MISTAKES: dict[str, tuple[str, bytes]] = {
    kinds.UNREADABLE_BODY.name: ("/move", b'{"board": ["...", "...", "..."'),
    kinds.INVALID_REQUEST.name: ("/move", b'{"board": ["X.O", "XX", "..."], "goal": "3", "color": "red"}'),
}
"""Requests that fail, for the examples of errors."""

_QUERY_EXAMPLE = {"board": "X.O/.X./..O", "goal": 3}


@cache
def document() -> Schema:
    """The whole document, from the code and the recorded answers; treat it as read-only."""
    return build(json.loads(files("service.api").joinpath(EXAMPLES_FILE).read_text("utf-8")))


def build(answers: dict[str, Any]) -> Schema:
    """The document with these answers as examples, as ``record`` returns them."""
    definitions = _schemas() | {
        each["title"]: {name: value for name, value in each.items() if name != "title"}
        for each in (kaggle.REQUEST_SCHEMA, kaggle.ANSWER_SCHEMA)
    }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "kinarow",
            "version": VERSION,
            "summary": "The best move, and how good it is, on any k-in-a-row board.",
            "description": _DESCRIPTION,
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": "/", "description": "The server this document comes from."}],
        "tags": [
            {"name": "positions", "description": "The best move, and how good it is."},
            {"name": "adapters", "description": "The same for other front ends, in their own formats."},
            {"name": "service", "description": "Health, versions and metrics."},
            {"name": "documentation", "description": "This document and its page."},
        ],
        "paths": {
            **{path: _engine_path(path, definitions, answers) for path in _OPERATIONS},
            kaggle.PATH: {"post": _kaggle(answers)},
            "/board.svg": {"get": _picture()},
            "/solve": {"get": _solve(answers)},
            **_service_paths(),
        },
        # Two alternatives: a service without keys is open.
        "security": [{}, {"key": []}],
        "components": _components(definitions, answers),
    }


def _engine_path(path: str, definitions: dict[str, Schema], answers: dict[str, Any]) -> Schema:
    """The operations of a path that starts searches: ``POST``, and for some paths ``GET``."""
    post = {"post": _post(path, answers)}
    if path not in _GET_SUMMARIES:
        return post
    return {"get": _get(path, definitions[_OPERATIONS[path].request], answers), **post}


def _service_paths() -> dict[str, Schema]:
    """The paths that tell about the service itself."""
    return {
        "/healthz": {"get": _simple("healthz", "Whether the process is alive.", "Health", {"status": "ok"})},
        "/readyz": {
            "get": _simple("readyz", "Whether the service is ready.", "Health", {"status": "ready"}, kinds.UNAVAILABLE)
        },
        "/metrics": {"get": _metrics()},
        "/version": {"get": _simple("version", "The running versions.", "Version", None, kinds.UNAVAILABLE)},
        "/openapi.json": {"get": _own_path()},
    }


def _components(definitions: dict[str, Schema], answers: dict[str, Any]) -> Schema:
    """What the operations refer to: schemas, problems, a header and the key."""
    return {
        "securitySchemes": {
            "key": {
                "type": "http",
                "scheme": "bearer",
                "description": "Needed if the operator has set keys; health and documentation are always open.",
            }
        },
        "schemas": definitions,
        "responses": {kind.name: _problem_response(kind, answers) for kind in KINDS},
        "headers": {
            REQUEST_ID_HEADER: {
                "description": "The X-Request-ID of the request, or a new one; the log has it too.",
                "schema": {"type": "string", "pattern": "^[A-Za-z0-9._:@+/=-]{1,128}$"},
            }
        },
    }


class _Dumper(yaml.SafeDumper):
    """Writes readable YAML: without anchors, and texts of several lines as blocks."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None)


_Dumper.add_representer(str, _text)


class _NoFieldTitles(GenerateJsonSchema):
    """Pydantic's schemas without the titles that only repeat the names of fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def as_yaml(data: Schema) -> str:
    """A document as YAML, keys in their order."""
    text: str = yaml.dump(data, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_YAML_WIDTH)
    return text


_DESCRIPTION = (
    "Rows count from 0 at the top, columns from 0 at the left; `tile` counts the cells from 1, row by row: "
    "`row * columns + column + 1`. Every score and outcome is from the view of the side to move in the position of "
    "the request. Boards have 1 to 25 rows and columns; a setting of the server may lower the limit.\n\n"
    "Every error is `application/problem+json` (RFC 9457); [a page](problems) lists its types. Any path may "
    "answer 404, 405 and 500."
)
"""The conventions of all paths."""


def _schemas() -> dict[str, Schema]:
    """The schema of every model by its name."""
    mode: JsonSchemaMode = "validation"
    references, schemas = TypeAdapter.json_schemas(
        [(name, mode, TypeAdapter(model)) for name, model in _MODELS.items()],
        ref_template=_REF_TEMPLATE,
        schema_generator=_NoFieldTitles,
    )
    definitions: dict[str, Schema] = schemas["$defs"]
    named = {name: references[(name, mode)]["$ref"].rsplit("/", 1)[-1] for name in _MODELS}
    for name, actual in named.items():
        if name != actual:
            definitions[name] = definitions.pop(actual)
    # The model does not refer to the request, since each request of a batch is checked separately.
    definitions["MovesRequest"]["properties"]["requests"]["items"] = _ref("MoveRequest")
    return {name: definitions[name] for name in sorted(definitions)}


def _post(path: str, answers: dict[str, Any]) -> Schema:
    operation = _OPERATIONS[path]
    examples = EXAMPLE_REQUESTS[path]
    requests = {name: {"summary": summary, "value": body} for name, (summary, body) in examples.items()}
    responses = {name: {"summary": summary, "value": answers[path][name]} for name, (summary, _) in examples.items()}
    return {
        "operationId": operation.id,
        "tags": ["positions"],
        "summary": operation.summary,
        "description": operation.description,
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _ref(operation.request), "examples": requests}},
        },
        "responses": {
            **_ok(
                {
                    "application/json": {"schema": _ref(operation.answer), "examples": responses},
                    **(_EVENTS[path](answers) if path in _EVENTS else {}),
                },
                links=_LINKS.get(path),
            ),
            **_failures(*_POST_FAILURES),
        },
    }


def _events(answers: dict[str, Any]) -> Schema:
    progress = {
        "depth": 5,
        "nodes": 6,
        **{
            name: answers["/analysis"]["tic-tac-toe"][name]
            for name in ("score", "outcome", "distance", "distance_is_bound", "proven", "expected", "line")
        },
    }
    return _stream_of("progress", progress, "AnalysisProgress", "AnalysisAnswer")


def _review_events(answers: dict[str, Any]) -> Schema:
    moves = answers["/review"]["tic-tac-toe"]["moves"]
    return _stream_of("move", {"index": len(moves) - 1, **moves[-1]}, "ReviewedMoveEvent", "ReviewAnswer")


_EVENTS = {"/analysis": _events, "/review": _review_events}
"""The streams of the paths that have one."""


def _stream_of(event: str, data: Schema, progress: str, answer: str) -> Schema:
    """The content of an event stream, with an example of its first event."""
    lines = (
        f"event: {event}",
        f"data: {json.dumps(data)}",
        "",
        "event: result",
        "data: { … the whole answer in one line … }",
    )
    return {
        stream.MEDIA_TYPE: {
            "schema": {
                "type": "string",
                "description": f"Events `{event}` (`{progress}`), then one `result` (`{answer}`) or `error` "
                "(`Problem`). The content schema is that of the data of an event.",
                "contentMediaType": stream.MEDIA_TYPE,
                "contentSchema": {"anyOf": [_ref(name) for name in (progress, answer, "Problem")]},
            },
            "example": "\n".join(lines) + "\n\n",
        }
    }


def _metrics() -> Schema:
    """``GET /metrics``, which Prometheus reads."""
    return {
        "operationId": "metrics",
        "tags": ["service"],
        "summary": "Counts and times of all workers for Prometheus.",
        "description": "Requests, searches, caches, refusals, memory and versions, in series whose names begin with "
        "`kinarow_`. A setting switches this path off; then it answers 404.",
        "responses": {
            **_ok({"text/plain": {"schema": {"type": "string"}}}, "The series."),
            **_failures(kinds.NOT_FOUND),
        },
    }


def _kaggle(answers: dict[str, Any]) -> Schema:
    return {
        "operationId": "kaggleConnectx",
        "tags": ["adapters"],
        "summary": "A move for Kaggle's ConnectX.",
        "description": "`kaggle-environments` sends this request to an agent that is given by its URL. The body may "
        "have a content type or none. The answer takes less time than `actTimeout`: if the search does not end in "
        "time, the answer is the best move found so far.",
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": _ref("KaggleCall"), "example": kaggle.EXAMPLE}},
        },
        "responses": {
            **_ok({"application/json": {"schema": _ref("KaggleAction"), "example": answers[kaggle.PATH]}}),
            **_failures(*_POST_FAILURES),
        },
    }


_GET_SUMMARIES = {
    "/move": "The best move and how good it is, in a form that caches keep.",
    "/analysis": "Every legal move and its value, in a form that caches keep and that EventSource reads.",
}
_GET_DESCRIPTION = (
    "The fields of the POST as query parameters. Empty, repeated and unknown parameters are refused. Caches may keep "
    "the answer; its weak ETag is the same for every spelling of a request. An answer that may change (time ended the "
    "search, or `level` is below 10 without `seed`) has no tag, and `no-store`."
)
_GET_EVENTS = (
    "\n\nIf `Accept` names `text/event-stream`, the answer is a stream of events as for POST, each with an `id`. A "
    "browser's EventSource reconnects by itself after the last event; its request then has `Last-Event-ID` and gets "
    "204, which stops it. Close the source on `result` all the same."
)


def _get(path: str, request: Schema, answers: dict[str, Any]) -> Schema:
    """``GET`` of ``/move`` or ``/analysis``: the fields of the request as parameters."""
    name = "tic-tac-toe"
    events = path == "/analysis"
    operation = _OPERATIONS[path]
    content: Schema = {
        "application/json": {"schema": _ref(operation.answer), "examples": {name: {"value": answers[path][name]}}},
        **(_events(answers) if events else {}),
    }
    return {
        "operationId": f"get{operation.id.capitalize()}",
        "tags": ["positions"],
        "summary": _GET_SUMMARIES[path],
        "description": _GET_DESCRIPTION + (_GET_EVENTS if events else ""),
        "parameters": [
            *(_parameter(field, schema) for field, schema in request["properties"].items()),
            {
                "name": "If-None-Match",
                "in": "header",
                "required": False,
                "description": "Tags of the answers that the client has.",
                "schema": {"type": "string"},
            },
        ],
        "responses": {
            **_ok(content, headers=_CACHED),
            **({"204": {"description": "The events have ended.", "headers": _headers({})}} if events else {}),
            "304": {"description": "The client has the answer already.", "headers": _headers({})},
            **_failures(*_GET_FAILURES),
        },
    }


_TEXT_PARAMETERS: dict[str, tuple[str, Schema]] = {
    "board": (
        "The rows with `/` between them; write empty cells as `.` or `_`. Without `board` and `moves` the position is "
        "the empty board, whose size `game` says, or `rows` and `columns`.",
        schemas.BOARD_TEXT_SCHEMA,
    ),
    "moves": (f"The moves that lead to the position, made in turn. {schemas.MOVES_AS_TEXT}", schemas.MOVES_TEXT_SCHEMA),
}
"""Parameters that are text in a query, but may have other types in a body."""


def _parameter(name: str, field: Schema) -> Schema:
    """A field of a request as a query parameter."""
    schema = {key: value for key, value in field.items() if key not in ("description", "examples")}
    description, schema = _TEXT_PARAMETERS.get(name, (field["description"], schema))
    parameter = {"name": name, "in": "query", "required": False, "description": description, "schema": schema}
    if schema.get("type") == "array":
        parameter |= {"style": "form", "explode": False}
    if name in _QUERY_EXAMPLE:
        parameter["example"] = _QUERY_EXAMPLE[name]
    return parameter


def _picture() -> Schema:
    fields = schemas.fields_of(schemas.PICTURE_REQUEST)
    own = {name: _with_components(field) for name, field in fields.items()}
    return {
        "operationId": "drawBoard",
        "tags": ["positions"],
        "summary": "The position as a picture.",
        "description": "The parameters of GET /move, and `values`. The picture has coordinates; the last of `moves` "
        "and completed lines are marked. Caches may keep it like the answer of GET /move.",
        "parameters": [_parameter(name, field) for name, field in own.items()],
        "responses": {
            **_ok({"image/svg+xml": {"schema": {"type": "string"}}}, "The picture.", _CACHED),
            "304": {"description": "The client has the picture already.", "headers": _headers({})},
            **_failures(*_GET_FAILURES),
        },
    }


def _with_components(field: Schema) -> Schema:
    """A field's schema whose references lead into the document."""
    if "$ref" not in field:
        return field
    return {**field, "$ref": _REF_TEMPLATE.format(model=field["$ref"].rsplit("/", 1)[-1])}


def _solve(answers: dict[str, Any]) -> Schema:
    side: Schema = {"type": "integer", "minimum": 1, "maximum": 25}
    parameters = {
        "pos": (
            "The columns of the moves so far, digits from 1 to 9. Empty or missing for the empty board.",
            {"type": "string", "pattern": "^[1-9]*$"},
        ),
        "rows": ("Rows of the board, 6 by default.", side),
        "columns": ("Columns of the board, 7 by default.", {**side, "maximum": 9}),
    }
    headers = {
        "Cache-Control": "`public, max-age=…`",
        "Access-Control-Allow-Origin": "`*`",
        "ETag": "Weak tag of the request.",
    }
    return {
        "operationId": "solve",
        "tags": ["adapters"],
        "summary": "The score of each column in Connect Four, for clients of connect4.gamesolver.org.",
        "description": "If the side to move wins with the game's m-th mark, the score is `(cells + 2 - m) // 2`; if "
        "the other side does, minus that; a draw is 0. The score 100 stands for a full column, and for every column "
        "of a finished game. All scores are proven. If the time does not suffice, the answer is 503 with "
        "`Retry-After`, and the proven columns are kept for the next request. Pages of any origin may read the answer.",
        "parameters": [
            {"name": name, "in": "query", "required": False, "description": text, "schema": schema}
            for name, (text, schema) in parameters.items()
        ],
        "responses": {
            **_ok({"application/json": {"schema": _ref("Solved"), "example": answers["/solve"]}}, headers=headers),
            "304": {"description": "The client has the answer already.", "headers": _headers({})},
            **_failures(*_GET_FAILURES),
        },
    }


def _simple(name: str, summary: str, model: str, example: Any, *failures: Kind) -> Schema:
    """A ``GET`` without parameters that answers JSON."""
    content: Schema = {"schema": _ref(model)}
    if example is not None:
        content["example"] = example
    return {
        "operationId": name,
        "tags": ["service"],
        "summary": summary,
        "responses": {**_ok({"application/json": content}, summary), **_failures(*failures)},
    }


def _own_path() -> Schema:
    """``GET`` of this document as JSON; its YAML and the pages are for people, and no operations."""
    summary = "This document as JSON."
    return {
        "operationId": "openapiJson",
        "tags": ["documentation"],
        "summary": summary,
        "description": "`/openapi.yaml` has the same as YAML.",
        "responses": {**_ok({"application/json": {"schema": {"type": "object"}}}, summary, {}), **_failures()},
    }


def _ref(model: str) -> Schema:
    return {"$ref": _REF_TEMPLATE.format(model=model)}


_NOT_CACHED = {"Cache-Control": "no-store"}
_CACHED = {
    "Cache-Control": "`public, max-age=…`, or `no-store`",
    "ETag": "Weak tag of the request; missing with `no-store`.",
}


def _ok(
    content: Schema,
    description: str = "The answer.",
    headers: dict[str, str] = _NOT_CACHED,
    links: Schema | None = None,
) -> Schema:
    """The response of an operation that went well, with the descriptions of its headers."""
    response = {"description": description, "headers": _headers(headers), "content": content}
    return {"200": {**response, "links": links} if links else response}


def _headers(described_as: dict[str, str]) -> Schema:
    described = {name: {"description": text, "schema": {"type": "string"}} for name, text in described_as.items()}
    return {REQUEST_ID_HEADER: {"$ref": f"#/components/headers/{REQUEST_ID_HEADER}"}, **described}


def _failures(*failures: Kind) -> Schema:
    """References to the responses of these kinds of problem, and of a fault of the service."""
    locked = (kinds.UNAUTHORIZED,) if kinds.INVALID_REQUEST in failures else ()
    return {
        str(kind.status): {"$ref": f"#/components/responses/{kind.name}"}
        for kind in (*failures, *locked, kinds.INTERNAL_ERROR)
    }


def _problem_response(kind: Kind, answers: dict[str, Any]) -> Schema:
    content: Schema = {"schema": _ref("Problem")}
    if kind.name in answers["errors"]:
        content["example"] = answers["errors"][kind.name]
    extra = {"Allow": "The methods that the path takes."} if kind.status == 405 else {}
    if kind is kinds.UNAUTHORIZED:
        extra = {"WWW-Authenticate": "How to send a key."}
    if kind in (kinds.TOO_MANY_REQUESTS, kinds.UNAVAILABLE):
        extra = {"Retry-After": "Seconds to wait."}
    return {
        "description": f"{kind.title}. {kind.meaning}",
        "headers": _headers({**_NOT_CACHED, **extra}),
        "content": {MEDIA_TYPE: content, **({"text/html": {}} if kind is kinds.LINE_TOO_LONG else {})},
    }
