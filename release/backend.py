"""The build backend: setuptools, after the kernels are built and what lies beside the packages is copied into them.

A wheel has the kernels for the machine that builds it. Two settings change that; ``make wheels`` and the Dockerfile use
them:

    --config-setting platform=TAG       the wheel's platform, with the kernels for it
    --config-setting targets=NAME,…     the targets of kernels (kinarow/kernels/targets.py), or ``family``: each level
                                        of this machine's processor family
"""

import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403

ROOT = Path(__file__).parents[1]
COMPILED = ROOT / "kinarow" / "kernels" / "compiled"
SCRIPTS = ("judge-board.js", "lines.js", "read-board.js", "read-moves.js")
"""Scripts of the page and of the engine in the browser."""
COPIED = ("openapi.yaml", "clients/javascript/kinarow.js", *(f"browser/{name}" for name in SCRIPTS))
CHECKER = "checker/check_proof.py", "kinarow/proofs/check_proof.py"  # a file, and its copy in the package
COPIES = ROOT / "service" / "copies"  # where service/http/responses.py looks for them


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    """What builds the kernels, with Zig's linker where the system has none."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    linkers = {"linux": ("cc", "ld", "ld.lld"), "darwin": ("cc",)}.get(sys.platform, ())
    linker = [] if any(map(shutil.which, linkers)) else ["ziglang"]
    return [*project["optional-dependencies"]["kernels"], *linker]


def build_wheel(wheel_directory: str, config_settings: dict[str, Any] | None = None, *more: Any) -> str:
    """Build the kernels into the package, and then the wheel: one for every Python."""
    settings = config_settings or {}
    for kept in (COMPILED, ROOT / "build" / "lib"):  # perhaps of other targets
        shutil.rmtree(kept, ignore_errors=True)
    targets = settings.get("targets") or settings.get("platform", "")
    options = [word for name in filter(None, targets.split(",")) for word in ("--target", name)]
    subprocess.run([sys.executable, "-m", "kinarow.kernels.build", *options], cwd=ROOT, check=True)  # noqa: S603
    platform = settings.get("platform") or sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = {"--build-option": ["--python-tag=py3", f"--plat-name={platform}"]}
    try:
        for name in COPIED:
            (COPIES / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, COPIES / name)
        shutil.copyfile(*(ROOT / name for name in CHECKER))
        return str(build_meta.build_wheel(wheel_directory, tag, *more))
    finally:
        (ROOT / CHECKER[1]).unlink(missing_ok=True)
        shutil.rmtree(COPIES, ignore_errors=True)
