"""The clients do what their pages say, against a real server and with the real packages."""

import json
import re
import shutil
import sys
from pathlib import Path

import pytest

from tests.support import npm
from tests.support.commands import ended, run

HERE = Path(__file__).parent
LEVELS = range(1, 11)
TYPESCRIPT = {
    "compilerOptions": {
        "strict": True,
        "exactOptionalPropertyTypes": True,
        "module": "nodenext",
        "target": "es2022",
        "lib": ["es2022", "dom"],
        "types": [],
    },
    "files": ["user.ts"],
}


@pytest.fixture(scope="module")
def node():
    return npm.node()


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
