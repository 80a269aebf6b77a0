"""What others generate from openapi.yaml: made by the real generators, compiled strictly, and played with."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest
import yaml

from tests.support import npm
from tests.support.commands import ended, run

pytestmark = pytest.mark.release
GENERATORS = Path(__file__).parent / "generators"
WON = "2634774315435467514624"  # A Connect Four position; on its fourth column no mark fits


@pytest.fixture(scope="module")
def node():
    return npm.node()


@pytest.fixture
def workshop(tmp_path):
    """An empty folder with the TypeScript programs, and the generators in its ``node_modules``."""
    for path in GENERATORS.iterdir():
        if path.name != "package-lock.json":
            shutil.copy(path, tmp_path)
    (tmp_path / "node_modules").symlink_to(npm.installed(GENERATORS) / "node_modules")
    return tmp_path


def compiled(node, workshop, program):
    """Compile a TypeScript program with all that it imports, and return the path of its JavaScript."""
    settings = json.loads((workshop / "tsconfig.json").read_text("utf-8"))
    (workshop / "tsconfig.json").write_text(json.dumps({**settings, "files": [f"{program}.ts"]}), "utf-8")
    run(node, workshop / "node_modules/typescript/bin/tsc", "--project", workshop)
    return workshop / "compiled" / f"{program}.js"


def played(node, workshop, program, url):
    path = compiled(node, workshop, program)
    return run(node, "--eval", f"import('{path}').then(({{ play }}) => play('{url}'))").splitlines()


def test_openapi_fetch_with_openapi_typescript(javascript_client, node, workshop, live_server):
    """The types are those of the JavaScript client."""
    shutil.copy(javascript_client / "api.d.ts", workshop)
    assert played(node, workshop, "openapi_fetch", live_server.url) == [
        "X 2 win", "XXX/OO./...", "422 /level", "200 book", "2", "2",
    ]  # fmt: skip


def test_hey_api(repository, node, workshop, live_server):
    generator = workshop / "node_modules/@hey-api/openapi-ts/bin/run.js"
    run(node, generator, "--input", repository / "openapi.yaml", folder=workshop)
    assert played(node, workshop, "hey_api", live_server.url) == ["2 win undefined", "2", "422", "100"]


def test_redocly_finds_no_error(repository, node, workshop):
    linter = workshop / "node_modules/@redocly/cli/bin/cli.js"
    found = json.loads(
        ended(node, linter, "lint", "--format=json", repository / "openapi.yaml", folder=workshop).stdout
    )
    assert found["totals"]["errors"] == 0, found["problems"]
    # Examples that do not fit their schemas are mere warnings of the linter.
    assert [each for each in found["problems"] if "example" in each["ruleId"]] == []


@pytest.fixture(scope="module")
def python_client(repository, tmp_path_factory):
    """The folder with the package ``client`` of openapi-python-client, and what the generator said."""
    folder = tmp_path_factory.mktemp("generated")
    command = (sys.executable, "-m", "openapi_python_client", "generate", "--meta", "none")
    made = ended(*command, "--path", repository / "openapi.yaml", "--output-path", folder / "client")
    assert made.returncode == 0, made.stderr
    return folder, made.stderr


def test_openapi_python_client_warns_of_pictures_alone(python_client):
    _, said = python_client
    warnings = re.findall(r"WARNING parsing (.+)", said)
    assert warnings == ["GET /board.svg within positions."]


def test_openapi_python_client_has_every_operation(repository, python_client):
    folder, _ = python_client
    document = yaml.safe_load((repository / "openapi.yaml").read_text("utf-8"))
    operations = {
        re.sub("(?<=[a-z])(?=[A-Z])", "_", operation["operationId"]).lower()
        for methods in document["paths"].values()
        for operation in methods.values()
    }
    made = {path.stem for path in (folder / "client" / "api").glob("*/*.py")} - {"__init__"}
    assert made == operations


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


def test_a_generated_python_client_plays(python_client, live_server):
    folder, _ = python_client
    assert run(sys.executable, "-c", PYTHON_PROGRAM, live_server.url, folder=folder).splitlines() == [
        "2 win True", "True /goal", "O", "2", "['best', 'mistake', 'best', 'best']", "[(False, True), (True, False)]",
        "-8", "100",
    ]  # fmt: skip
