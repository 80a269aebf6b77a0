"""The engine for browsers in the runtime of edge workers, which forbids compiling and reads no file."""

import json
import subprocess
import urllib.request

import pytest

from kinarow import library
from kinarow.game.position import Position
from kinarow.game.rules import PRESETS
from kinarow.reading.positions import read_position
from kinarow.search_types import Limits
from tests.support import npm

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
