"""Completes ``dist/`` for a release and tries it: the last step of ``make release``.

    python release/files.py SBOM-COMMAND

``dist/`` has the sdist and the wheels already. The sdist and this machine's wheel each play a move in an empty
environment. The bill of materials lists what the wheel and serving need; the client's package asks that service for a
move. Notes and checksums come last.
"""

import hashlib
import json
import platform
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
BOARD = "X.O/.X./..."
TILE = 9
ASK = f"""
import {{ Kinarow }} from "kinarow-client";
const answer = await new Kinarow(process.argv.at(-1)).move({{ board: "{BOARD}" }});
console.log(answer.move.tile);
"""


def run(*command: object, folder: Path = ROOT) -> str:
    """The output of a command.

    Raises:
        SystemExit: it failed; it has said why.
    """
    done = subprocess.run([str(word) for word in command], cwd=folder, stdout=subprocess.PIPE, text=True)  # noqa: S603
    if done.returncode:
        sys.exit(f"failed: {' '.join(map(str, command))}")
    return done.stdout


def notes(changelog: str, version: str) -> str:
    """The section of a version in the changelog; where there is none yet, what is not released."""
    sections = dict(re.findall(r"^## \[([^]]+)\][^\n]*\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL))
    return (sections.get(version) or sections["Unreleased"]).strip() + "\n"


def install(file: Path, folder: Path, *, locked: bool) -> Path:
    """The interpreter of a new environment in which a distribution has played a move.

    Args:
        locked: install first what serving needs, as locked, and nothing else.
    """
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    if locked:
        run(*pip, "--require-hashes", "--no-deps", "-r", ROOT / "requirements" / "serve.txt")
    run(*pip, *(["--no-deps"] if locked else []), file, folder=folder)
    if json.loads(run(folder / "bin" / "kinarow", "move", BOARD, "--json", folder=folder))["move"]["tile"] != TILE:
        sys.exit(f"{file.name}: not the best move")
    return python


@contextmanager
def service(kinarow: Path) -> Iterator[str]:
    """The address of ``kinarow serve``, once it is ready."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    process = subprocess.Popen([kinarow, "serve", "--port", url.rpartition(":")[2], "--workers", "1"])  # noqa: S603
    try:
        while process.poll() is None:
            with suppress(OSError):
                urllib.request.urlopen(f"{url}/readyz").close()  # noqa: S310
                break
            time.sleep(0.1)
        yield url
    finally:
        process.terminate()
        process.wait()


def pack_client(folder: Path, url: str) -> None:
    """The package of the JavaScript client, installed into an empty folder, where it asks a service for a move."""
    run("npm", "pack", "--silent", "--pack-destination", DIST, ROOT / "clients" / "javascript")
    (package,) = DIST.glob("kinarow-client-*.tgz")
    folder.mkdir()
    (folder / "package.json").write_text("{}", "utf-8")
    run("npm", "install", "--silent", "--offline", "--no-audit", "--no-fund", package, folder=folder)
    if int(run("node", "--input-type=module", "--eval", ASK, url, folder=folder)) != TILE:
        sys.exit(f"{package.name}: not the best move")


def main(sbom: list[str]) -> None:
    """Try the distributions and add the other files, the checksums last."""
    (sdist,), (wheel,) = DIST.glob("kinarow-*.tar.gz"), DIST.glob(f"kinarow-*-manylinux_*_{platform.machine()}.whl")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        install(sdist, folder / "sdist", locked=False)
        python = install(wheel, folder / "wheel", locked=True)
        (DIST / "kinarow-sbom.cdx.json").write_text(run(*sbom, python), "utf-8")
        with service(python.with_name("kinarow")) as url:
            urllib.request.urlopen(f"{url}/guide/").close()  # noqa: S310
            pack_client(folder / "client", url)
    version = sdist.name.removeprefix("kinarow-").removesuffix(".tar.gz")
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    (DIST / "RELEASE_NOTES.md").write_text(notes(text, version), "utf-8")
    sums = DIST / "SHA256SUMS"
    files = sorted(file for file in DIST.iterdir() if file != sums)
    sums.write_text("".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files))


if __name__ == "__main__":
    main(sys.argv[1:])
