"""What others generate from openapi.yaml: made by the real generators, compiled strictly, and played with."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.support import npm
from tests.support.commands import ended, package, run
from tests.support.server import REPOSITORY

WON = "2634774315435467514624"  # A Connect Four position; on its fourth column no mark fits


PYTHON_PROGRAM = f"""
import sys
from client import Client
from client.api.adapters import solve
from client.api.positions import analyse, get_move, move, moves, review, tree
from client.models import (
    AnalysisRequest, GetMoveGame, MoveAnswerToMove, MoveRequest, MovesRequest, Problem, ReviewRequest,
    ReviewRequestGame, TreeRequest, TreeRequestToMove,
)

with Client(base_url=sys.argv[1], raise_on_unexpected_status=True) as service:
    answer = move.sync(client=service, body=MoveRequest(board=["XX.", "OO.", "..."], level=6))
    print(answer.move.column, answer.outcome.value, answer.to_move is MoveAnswerToMove.X)
    wrong = move.sync(client=service, body=MoveRequest(board=["XX"]))
    print(isinstance(wrong, Problem), wrong.errors[0].pointer)
    print(get_move.sync(client=service, game=GetMoveGame.TIC_TAC_TOE, moves="b2").to_move.value)
    print(len(analyse.sync(client=service, body=AnalysisRequest(board=["X.O", ".X.", "..O"], top=2)).moves))
    game = ReviewRequest(game=ReviewRequestGame.TIC_TAC_TOE, moves="b2 b3 a3 c1")
    print([each.grade.value for each in review.sync(client=service, body=game).moves])
    batch = MovesRequest(requests=[MoveRequest(board=["XX.", "OO.", "..."]), MoveRequest(board=["XX"])])
    print([(each.answer is None, each.problem is None) for each in moves.sync(client=service, body=batch).answers])
    small = TreeRequest(board=["XOX", "OXO", ".X."], to_move=TreeRequestToMove.O)
    print(tree.sync(client=service, body=small).root.value)
    print(solve.sync(client=service, pos="{WON}").score[3])
"""


@pytest.mark.release
def test_openapi_python_client_warns_of_pictures_alone_and_its_client_plays(tmp_path, live_server):
    command = (sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none")
    made = ended(*command, "--path", REPOSITORY / "openapi.yaml", "--output-path", tmp_path / "client")
    assert made.returncode == 0, made.stderr
    assert re.findall(r"WARNING parsing (.+)", made.stderr) == ["GET /board.svg within positions."]
    assert run(sys.executable, "-c", PYTHON_PROGRAM, live_server.url, folder=tmp_path).splitlines() == [
        "2 win True", "True /goal", "O", "2", "['best', 'mistake', 'best', 'best']", "[(False, True), (True, False)]",
        "-8", "100",
    ]  # fmt: skip


TYPED = Path(__file__).parent / "typed"
FIELDS = {
    "csharp": ("List<string>? Board", "CellOrNull? Move"),
    "dart": ("List<String> board;", "CellOrNull? move;"),
    "go": ("Board []string", "Move NullableCellOrNull"),
    "java": ("List<String> board", "private CellOrNull move;"),
    "kotlin": ("val board: kotlin.collections.List<kotlin.String>?", "val move: CellOrNull?"),
    "php": ("'board' => 'string[]'", r"'move' => '\OpenAPI\Client\Model\CellOrNull'"),
    "python": ("board: Optional[Annotated[List[Annotated[str,", "move: Optional[CellOrNull]"),
    "rust": ("board: Option<Vec<String>>", "r#move: Option<Box<models::CellOrNull>>"),
    "swift6": ("var board: [String]?", "var move: CellOrNull?"),
    "typescript-axios": ("'board'?: Array<string>;", "'move': CellOrNull | null;"),
}
"""How the generated code of each language declares the board of a request and the move of an answer."""


def generate(folder):
    """Make a client for each language, in one process, which validates the document."""
    package("openapi_generator_cli")
    parts = {f"{part}{kind}": "false" for part in ("api", "model") for kind in ("Docs", "Tests")}
    for name in (*FIELDS, "typescript-fetch"):
        files = {"inputSpec": str(REPOSITORY / "openapi.yaml"), "outputDir": str(folder / name)}
        js = {"importFileExtension": ".js"} if name == "typescript-fetch" else {}
        options = {"generatorName": name, **files, "globalProperties": parts, "additionalProperties": js}
        (folder / f"{name}.json").write_text(json.dumps(options))
    npm.program("java")
    generator = Path(sys.executable).with_name("openapi-generator-cli")
    run(generator, "batch", "--fail-fast", *folder.glob("*.json"), folder=folder, seconds=300)


def python(generated, url):
    return run(sys.executable, "-c", (TYPED / "play.py").read_text("utf-8"), url, folder=generated / "python")


def typescript(generated, url):
    node, folder = npm.node(), generated / "program"
    shutil.copytree(generated / "typescript-fetch", folder / "client")
    shutil.copy(TYPED / "play.ts", folder)
    settings = json.loads((TYPED / "tsconfig.json").read_text("utf-8"))
    settings["compilerOptions"]["noUncheckedIndexedAccess"] = False  # the generated code is not made for it
    (folder / "tsconfig.json").write_text(json.dumps({**settings, "files": ["play.ts"]}))
    (folder / "package.json").write_text('{"type": "module"}')
    tools = npm.installed(REPOSITORY / "clients" / "javascript")
    run(node, tools / "node_modules/typescript/bin/tsc", "--project", folder)
    return run(node, "--eval", f"import('{folder}/compiled/play.js').then(({{ play }}) => play('{url}'))")


def go(generated, url):
    (generated / "go" / "play").mkdir()
    shutil.copy(TYPED / "play.go", generated / "go" / "play")
    return run(npm.program("go"), "run", "-mod=mod", "./play", url, folder=generated / "go")


def test_generated_clients_have_typed_fields_and_play_a_whole_game(tmp_path, live_server):
    generate(tmp_path)
    for language, fields in FIELDS.items():
        files = [path for path in (tmp_path / language).rglob("*") if path.is_file()]
        text = "\n".join(path.read_text("utf-8", "ignore") for path in files)
        assert [(language, declared) for declared in fields if declared not in text] == []
    for play, nothing in ((python, "None"), (typescript, "null"), (go, "true")):
        *tiles, ended, batch = play(tmp_path, live_server.url).splitlines()
        assert sorted(map(int, tiles)) == list(range(1, 10))
        assert (ended.partition(" ")[0], batch) == ("drawn", f"{nothing} 422")
