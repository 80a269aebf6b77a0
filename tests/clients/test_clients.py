"""The clients do what their pages say, against a real server and with the real packages."""

import json
import random
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from kinarow import engine, library
from kinarow.contract.answers import AnalysisAnswer, MoveAnswer
from kinarow.game.position import Position
from kinarow.game.rules import NAMES, PRESETS, Rules
from kinarow.game.size import MAX_SIDE
from kinarow.play import levels
from kinarow.reading.positions import read_position
from kinarow.search_types import Limits
from kinarow.solvers.common.capacity import WORD_BITS
from tests.support import npm
from tests.support.commands import ended, run
from tests.support.positions import composed_position, true_scores
from tests.support.written_boards import random_request, service_reads

HERE = Path(__file__).parent
LEVELS = range(1, 11)
PLAYED = [*PRESETS]
"""The games of the engine for browsers."""
LARGE = [name for name, rules in PRESETS.items() if rules.cells > WORD_BITS]
WITHOUT_DRAWS = Rules(7, 8, 5)
"""The library has a strategy of draws for this board, which the engine for browsers does not load."""
FIELDS = {
    "goal": [0, 1, 3, 4, 26, "3", True, None], "gravity": [True, False, 1, "true", None], "misere": [True, 0, None],
    "exact_goal": [True, "", None], "wrap": ["none", "rows", "x"], "caro": [True, 1], "renju": [True, 1],
    "marks": ["own", "shared", "x"], "directions": [["horizontal"], [], ["x"]], "layers": [1, 2, 0, "1", None],
    "level": [1, 10, 0, 11, "3", True, None], "seed": [0, -1, 2**53, None], "max_nodes": [1, 0, 1.5, "1", 2**53, None],
    "time_limit_ms": [1, 0, 0.5, 2**53, None], "first": ["X", 2, "R", True], "to_move": ["o", "1", 0, None],
    "composed": [True, 1, None], "only": [[1]], "unknown": [1], "game": ["hex", 5, None],
    "moves": [[1, 1], "12", "1. a1 2. b1", [[0, 0]], [{"column": 0}], [None], None, 5, "a1 1-0", "1122334", "445544"],
}  # fmt: skip
"""Fields of a request, with values that are right or wrong."""
TYPESCRIPT = {
    "compilerOptions": {
        "strict": True, "exactOptionalPropertyTypes": True, "module": "nodenext", "target": "es2022",
        "lib": ["es2022", "dom"], "types": [],
    },
    "files": ["user.ts"],
}  # fmt: skip


def test_the_javascript_client_asks_a_real_server(node, live_server):
    assert run(node, HERE / "check_client.mjs", live_server.url) == "ok\n"


def test_the_javascript_client_waits_for_a_busy_server_and_reports_a_dead_one(node):
    assert run(node, HERE / "check_retries.mjs") == "ok\n"


def test_the_packed_client_is_used_from_an_empty_folder(node, client_tools, javascript_client, live_server, tmp_path):
    """``npm pack`` builds it, ``npm install`` needs nothing else, and a strict TypeScript program plays with it."""
    run(npm.program("npm"), "pack", javascript_client, "--silent", folder=tmp_path)
    (packed,) = tmp_path.glob("*.tgz")
    user = tmp_path / "user"
    user.mkdir()
    (user / "package.json").write_text('{"type": "module"}', "utf-8")
    run(npm.program("npm"), "install", "--offline", "--no-audit", "--no-fund", packed, folder=user)
    files = {path.name for path in (user / "node_modules" / "kinarow-client").iterdir()}
    assert files == {"LICENSE", "README.md", "api.d.ts", "kinarow.d.ts", "kinarow.js", "package.json"}
    shutil.copy(HERE / "package_user.ts", user / "user.ts")
    (user / "tsconfig.json").write_text(json.dumps(TYPESCRIPT), "utf-8")
    run(node, client_tools / "node_modules" / "typescript" / "bin" / "tsc", "--project", user)
    program = f"import('./user.js').then(({{ play }}) => play('{live_server.url}'))"
    printed = run(node, "--eval", program, folder=user).splitlines()
    assert printed == [*(f"{level} true" for level in LEVELS), "422 /level"]


def test_the_boardgame_io_bot_plays_whole_games_with_the_real_package(repository, node, live_server):
    boardgame_io = npm.installed(repository / "clients" / "boardgame-io")
    assert run(node, HERE / "check_boardgame_io.mjs", live_server.url, boardgame_io) == "ok\n"


def test_the_discord_bot_plays_a_whole_game_with_the_real_package(repository, node, live_server, tmp_path):
    """Against a Discord of the test's own; nothing leaves the machine."""
    discord = npm.installed(repository / "clients" / "discord")
    for name in ("discord", "javascript"):
        shutil.copytree(repository / "clients" / name, tmp_path / name)
    shutil.copy(HERE / "check_discord.mjs", tmp_path)
    (tmp_path / "node_modules").symlink_to(discord / "node_modules")
    assert run(node, tmp_path / "check_discord.mjs", live_server.url) == "ok\n"


def test_the_python_example_plays_a_game_with_a_real_server(repository, live_server):
    example = repository / "clients" / "python" / "example.py"
    printed = run(sys.executable, "-I", example, live_server.url)
    assert printed.startswith("O plays tile 3: draw in 6 plies\n")
    assert "blocks_line [1, 2, 3]" in printed
    assert " wins\n" in printed or "a draw\n" in printed
    assert re.search(r"^grades: \d+ \w+(, \d+ \w+)*$", printed, re.MULTILINE)
    assert run(sys.executable, "-I", example, live_server.url) == printed


def test_the_python_example_needs_the_standard_library_alone(repository):
    source = (repository / "clients" / "python" / "example.py").read_text(encoding="utf-8")
    imported = {line.split()[1].split(".")[0] for line in source.splitlines() if line.startswith(("import ", "from "))}
    assert imported <= sys.stdlib_module_names


def test_the_python_example_tells_when_nothing_listens(repository):
    example = repository / "clients" / "python" / "example.py"
    told = ended(sys.executable, "-I", example, "http://127.0.0.1:9")
    assert told.returncode == 1
    assert told.stderr.startswith("No service at http://127.0.0.1:9")


def test_the_packed_client_has_the_licence_of_the_project(repository):
    assert (repository / "clients/javascript/LICENSE").read_text("utf-8") == (repository / "LICENSE").read_text("utf-8")


def test_every_call_of_the_javascript_client_is_declared(repository):
    folder = repository / "clients" / "javascript"
    code = (folder / "kinarow.js").read_text(encoding="utf-8")
    declared = (folder / "kinarow.d.ts").read_text(encoding="utf-8")
    calls = {
        line.split("(")[0].split()[-1] for line in code.splitlines() if line.startswith("  async ") and "#" not in line
    }
    assert calls
    missing = {name for name in calls if f"  {name}(" not in declared}
    assert missing == set()


@pytest.fixture(scope="module")
def ask_engine(repository, node, engine_files):
    """Puts ``[method, request]`` pairs to the engine for browsers, under Node; gives its games and the answers."""
    files = engine_files

    def ask(asked):
        module = (repository / "browser" / "kinarow-engine.js").as_uri()
        program = f"""
            import {{ createEngine }} from "{module}";
            import {{ readFileSync }} from "node:fs";
            const engine = await createEngine({{ baseUrl: "{files.as_uri()}" }});
            console.log(JSON.stringify(engine.games));
            for (const [name, request] of JSON.parse(readFileSync(process.argv[1])))
              console.log(JSON.stringify(await engine[name](request).catch((error) =>
                error instanceof RangeError ? error.message : {{ failed: String(error) }})));"""
        requests = files.with_name("requests.json")
        requests.write_text(json.dumps(asked), "utf-8")
        printed = run(node, "--input-type=module", "--eval", program, requests, seconds=500)
        games, *answers = map(json.loads, printed.splitlines())
        return games, answers

    return ask


@pytest.mark.parametrize("count", [pytest.param(100, marks=pytest.mark.everyday), 3000])
def test_the_engine_in_the_browser_answers_like_the_library(monkeypatch, ask_engine, count):
    """Random requests with node limits at all levels: every field but reasons, text and time, nodes too.

    Of the moves that a seed may choose, the library takes that of the browser. Half of the requests are about a plain
    board of any size, with any goal.
    """
    rng = random.Random(count)
    asked, questions = zip(*(_random_request(rng) for _ in range(count)), strict=True)
    known, answers = ask_engine(asked)
    assert known == PLAYED
    for (name, request), question, answer in zip(asked, questions, answers, strict=True):
        assert not isinstance(answer, str), answer
        assert answer["search"].pop("elapsed_ms") >= 0
        assert answer == _library_answer(monkeypatch, name, question, answer["move"]), request


def _plain_rules(rng):
    most = rng.choice([8, MAX_SIDE])
    rows, columns = rng.randint(1, most), rng.randint(1, most)
    longest = max(rows, columns)
    goal = rng.choice([rng.randint(1, longest), *[rng.randint(min(3, longest), min(6, longest))] * 2])
    switches = {name: rng.random() < 0.35 for name in ("gravity", "misere", "exact_goal")}
    rules = Rules(rows, columns, goal, **switches)
    return _plain_rules(rng) if rules == WITHOUT_DRAWS else rules


def _random_request(rng):
    """A method of the engine with a request, and the same as a question to the library."""
    game = rng.choice([rng.choice(PLAYED), None])
    rules = PRESETS[game] if game else _plain_rules(rng)
    position, moves = Position.empty(rules), []
    for _ in range(rng.randrange(min(rng.choice([3, 40, 200]), rules.cells))):
        if position.ending().state == "ongoing":
            moves.append(rng.choice(position.legal_moves()) + 1)
            position = position.play(moves[-1] - 1)
    level = rng.choice([*range(1, 10), *[10] * 5])
    seed = rng.randrange(2**53) if level < 10 or rng.random() < 0.5 else None
    request = {
        **({"game": game} if game else rules.short_fields()),
        "moves": moves,
        "max_nodes": rng.choice([1, 20, 500, 3000, 20_000, 60_000]),
        "level": level,
    }
    question = engine.Question(position, Limits(request["max_nodes"]), level, seed, wants_reasons=False)
    return [rng.choice(["analyse", "move"]), {**request, **({} if seed is None else {"seed": seed})}], question


def _library_answer(monkeypatch, name, question, move):
    """What the library answers if it makes this move, where it could choose it."""
    to_original = question.position.canonical().to_original
    chosen = None if move is None else to_original.index(move["tile"] - 1)
    among = lambda moves, usual: chosen if chosen in moves else usual  # noqa: E731
    monkeypatch.setattr(levels, "sample", lambda _, level, found, seed: among(dict(found.weights), None))
    monkeypatch.setattr(levels, "move_among_best", lambda _, found, seed: among(found.best_moves, found.move))
    ask, answer_of = (engine.analysis, AnalysisAnswer) if name == "analyse" else (engine.move, MoveAnswer)
    answer = answer_of.of(question.position, ask(question)[0], cached=False).model_dump(mode="json")
    del answer["reasons"], answer["text"], answer["search"]["elapsed_ms"]
    return answer


def test_wins_by_threats_in_the_browser_are_those_of_the_library(ask_engine):
    file = HERE.parent / "kinarow/solvers/large_boards/search/puzzles.json"
    games = [puzzle["moves"] for puzzle in json.loads(file.read_text("utf-8"))[::15]]
    _, answers = ask_engine(
        [["move", {"game": "gomoku", "moves": [cell + 1 for cell in moves], "max_nodes": 3000}] for moves in games]
    )
    found = [library.best_move(Position.from_moves(moves, game="gomoku"), Limits(3000)) for moves in games]
    told = [(each["move"]["tile"] - 1, each["search"]["nodes"], each["score"]) for each in answers]
    assert told == [(each.move, each.nodes, each.score.value) for each in found]


def test_a_seed_chooses_the_same_move_again_and_seeds_choose_every_move(ask_engine):
    asked = [["move", {"game": "tic-tac-toe", "level": 1, "seed": seed, "max_nodes": 1}] for seed in range(200)]
    _, answers = ask_engine(asked * 2)
    moves = [answer["move"]["tile"] for answer in answers]
    assert moves[:200] == moves[200:]
    assert {*moves} == {*range(1, 10)}


def test_the_engine_in_the_browser_reads_moves_and_boards_as_people_write_them(ask_engine):
    """And it says what it cannot read, and keeps a time limit."""
    forms = [{"moves": "b2 a1"}, {"moves": [5, 7]}, {"moves": [[1, 1], {"row": 2, "column": 0}]}]
    forms += [{"board": ".../.X./O.."}, {"board": ["...", ".X.", "O.."]}]
    wrong = {
        "move 1: 8 is no cell of this board; write 4453, h8h7 or a list of tiles": {
            "game": "connect-four",
            "moves": "8",
        },
        "the engine in the browser plays on boards without blocked cells": {"board": "#../.X./O.."},
        "tic-tac-toe means goal 3": {"goal": 4},
        "the engine in the browser does not take only": {"only": [1]},
        "level is a whole number from 1 to 10": {"level": 11},
        f"no such game: hex; the games are {', '.join(PRESETS)}": {"game": "hex"},
    }
    large = [{"game": "score-four"}, {"game": "gomoku"}, {"game": "qubic", "moves": [2, 3, 12, 5, 8, 50]}]
    large += [{"rows": 8, "columns": 8, "goal": 5, "misere": True, "moves": [1]}]
    late = [{**request, "max_nodes": 10**9, "time_limit_ms": 50} for request in large]
    small = [{"game": "tic-tac-toe", **request} for request in (*forms, *wrong.values())]
    _, answers = ask_engine([["move", request] for request in (*small, *late)])
    assert len({json.dumps({**answer, "search": None}) for answer in answers[: len(forms)]}) == 1
    assert answers[len(forms) : len(small)] == [*wrong]
    assert [answer["search"]["stopped_by"] for answer in answers[len(small) :]] == ["time"] * len(late)


def test_the_engine_in_the_browser_reads_boards_as_the_service_does_or_refuses_them(ask_engine):
    """Those of the tables: it reads the strict form, and refuses what the service refuses."""
    read, refused = (
        json.loads((HERE.parent / "support" / name).read_text("utf-8")) for name in ("accepted.json", "refused.json")
    )
    same = [row for row in read if _is_played(row["request"]) and _is_played(row["same_as"])]
    asked = [*(row["request"] for row in same), *(row["same_as"] for row in same), *(row["request"] for row in refused)]
    _, answers = ask_engine([["move", {"max_nodes": 1, **request}] for request in asked])
    seen = [answer if isinstance(answer, str) else [answer["board"], answer["to_move"]] for answer in answers]
    pairs = [each for each in zip(seen, seen[len(same) :], same, strict=False) if not isinstance(each[0], str)]
    assert len(pairs) > 30
    assert [why for one, other, why in pairs if one != other] == []
    assert [row for row, words in zip(refused, seen[2 * len(same) :], strict=True) if not isinstance(words, str)] == []


@pytest.mark.parametrize("count", [pytest.param(300, marks=pytest.mark.everyday), 4000])
def test_the_engine_in_the_browser_reads_a_request_as_the_service_does_or_refuses_it(ask_engine, count):
    rng = random.Random(count)
    requests = [rng.choice([_request_by_fields, random_request])(rng, PLAYED) for _ in range(count)]
    _, answers = ask_engine([["replay", request] for request in requests])
    for request, answer in zip(requests, answers, strict=True):
        expected = service_reads(request)
        if not isinstance(answer, str):
            assert answer.keys() >= {"boards", "sides"}, (request, answer)
            assert ["".join(answer["boards"][-1]), answer["sides"][-1]] == expected, request


def _request_by_fields(rng, games):
    """A position of a game or of a plain board, with fields that are right or wrong."""
    moves = rng.choice([[], [2], [5, 1], [3, 4, 5], "a1 b1 a2"])
    board = rng.choice(
        [{"game": rng.choice(games)}, {"rows": rng.randint(3, 9), "columns": rng.randint(3, 9), "goal": 3}]
    )
    some = rng.sample([*FIELDS], rng.randint(1, 2))
    return {**board, "moves": moves, **{name: rng.choice(FIELDS[name]) for name in some}}


@pytest.mark.parametrize("count", [pytest.param(20, marks=pytest.mark.everyday), 500])
def test_every_move_of_a_composed_position_has_the_value_of_brute_force(ask_engine, count):
    rng, names = random.Random(count), {PRESETS[name]: name for name in PLAYED if name not in LARGE}
    positions = []
    while len(positions) < count:
        position = composed_position(rng, rng.choice([*names]), rng.randint(1, 8))
        if position is not None and position.empties < 9:
            positions.append(position)
    fields = [{"board": each.board, "to_move": NAMES[each.to_move], "composed": True} for each in positions]
    asked = [{"game": names[each.rules], **sent} for each, sent in zip(positions, fields, strict=True)]
    for position, answer in zip(positions, ask_engine([["analyse", each] for each in asked])[1], strict=True):
        true = true_scores(position)
        assert {move["tile"] - 1: move["score"] for move in answer["moves"]} == true, position
        assert answer["score"] == max(true.values()), position


def _is_played(request):
    """Whether a request is for the engine in the browser."""
    others = request.keys() - {"board", "moves", "first", "to_move", "composed", "game", "rows", "columns", "goal"}
    return not others and request.get("game") in (None, *PLAYED) and "#" not in json.dumps(request)


WORKER = """
let engine;
export default {
  async fetch(request) {
    engine ??= await createEngine({ baseUrl: "https://engine.invalid/", modules, load });
    return Response.json(await engine.move(await request.json()));
  },
};
"""
NODES = 2000
ASKED = [
    {"game": "connect-four", "moves": "4455"},
    {"game": "gomoku", "moves": "h8 i9"},
    {"game": "qubic", "moves": [1, 64]},
    {"game": "score-four", "moves": [1, 2, 3]},
    {"game": "notakto", "moves": [1]},
    {"rows": 9, "columns": 9, "goal": 4, "misere": True, "moves": "e5"},
    {"rows": 6, "columns": 5, "goal": 4, "moves": "c3"},
    *({"game": game, "moves": [Position.empty(rules).legal_moves()[0] + 1]} for game, rules in PRESETS.items()),
]


def _declared(files):
    """The worker and its configuration, with each file as a module of its kind."""
    kinds = {".wasm": "wasm", ".json": "data", ".bin": "data", ".js": "esModule"}
    modules = {file.name: kinds[file.suffix] for file in files}
    numbered = {name: f"file{index}" for index, (name, kind) in enumerate(modules.items()) if kind != "esModule"}
    imports = [f'import {word} from "./{name}";' for name, word in numbered.items()]
    imports.append('import { createEngine } from "./kinarow-engine.js";')
    compiled = [f"{name[:-5]}: {word}" for name, word in numbered.items() if modules[name] == "wasm"]
    stored = [f'"{name}": {word}' for name, word in numbered.items() if modules[name] == "data"]
    imports.append(f"const modules = {{ {', '.join(compiled)} }};\nconst files = {{ {', '.join(stored)} }};")
    imports.append("const load = async ({ pathname }) => files[pathname.slice(1)];")
    listed = ",\n".join(f'(name = "{name}", {kind} = embed "{name}")' for name, kind in modules.items())
    config = f"""using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "engine", worker = .worker)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "engine")]);
const worker :Workerd.Worker = (compatibilityDate = "2026-01-01",
  modules = [(name = "worker.js", esModule = embed "worker.js"), {listed}]);"""
    return "\n".join(imports) + WORKER, config


@pytest.fixture
def edge_worker(repository, engine_files, tmp_path):
    """The address of an edge worker with the engine."""
    folder = npm.installed(repository / "tests" / "clients" / "workerd")
    programs = [*folder.glob("node_modules/@cloudflare/workerd-*/bin/workerd")]
    if not programs:
        pytest.skip("there is no workerd for this machine")
    files = sorted(engine_files.iterdir())
    for file in files:
        (tmp_path / file.name).symlink_to(file)
    worker, config = _declared(files)
    (tmp_path / "worker.js").write_text(worker, "utf-8")
    (tmp_path / "config.capnp").write_text(config, "utf-8")
    words = [programs[0], "serve", tmp_path / "config.capnp", "--control-fd=1"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield f"http://127.0.0.1:{json.loads(process.stdout.readline())['port']}"
        finally:
            process.kill()


def test_an_edge_worker_answers_as_the_library(edge_worker):
    answers, expected = [], []
    for asked in ASKED:
        body = json.dumps({**asked, "max_nodes": NODES}).encode()
        with urllib.request.urlopen(urllib.request.Request(edge_worker, body), timeout=60) as response:
            answer = json.load(response)
        answers.append((answer["move"]["tile"], answer["score"], answer["search"]["nodes"]))
        found = library.best_move(read_position(asked), Limits(NODES))
        expected.append((found.move + 1, found.score.value, found.nodes))
    assert answers == expected
