"""Reads a Dockerfile and carries its steps out in a folder, for want of a container engine where tests run."""

import json
import os
import re
import shlex
import shutil
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.commands import run

_VARIABLE = re.compile(r"\$\{(\w+)\}")


@dataclass
class Stage:
    """One stage: its name and its instructions as ``(word, rest of the line)``."""

    name: str
    base: str
    steps: list[tuple[str, str]] = field(default_factory=list)

    def all(self, word: str) -> list[str]:
        """What follows each instruction of this kind."""
        return [rest for name, rest in self.steps if name == word]


def read_stages(text: str) -> list[Stage]:
    """The stages of a Dockerfile; what stands before the first (arguments with defaults) is filled in."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    arguments: dict[str, str] = {}
    stages: list[Stage] = []
    for line in filter(None, map(str.strip, joined.splitlines())):
        word, rest = line.split(None, 1)
        if word == "FROM":
            base, _, name = rest.partition(" AS ")
            stages.append(Stage(name, _filled(base, arguments)))
        elif stages:
            stages[-1].steps.append((word, rest))
        else:
            assert word == "ARG", f"{word} before the first FROM"
            arguments.update([rest.split("=", 1)])
    return stages


def _filled(text: str, variables: dict[str, str]) -> str:
    return _VARIABLE.sub(lambda found: variables[found[1]], text)


@dataclass
class Rehearsal:
    """Carries out stages below a folder that stands for the root of the image's file system."""

    root: Path  # where ``/opt`` and the like of the image lie
    context: Path  # the folder that COPY takes from
    environment: dict[str, str]  # what ENV has set, beginning with what the base image has
    cwd: Path = Path()

    def carry_out(self, stage: Stage) -> None:
        """All steps that build; CMD, HEALTHCHECK and the like only describe the result."""
        self.cwd = self.root
        for word, rest in stage.steps:
            step = getattr(self, f"_{word.lower()}", None)
            if step is not None:
                step(rest)

    def placed(self, text: str) -> str:
        """A text with the image's folders moved below the root."""
        return re.sub(r"(?<![\w./-])/(opt|src)\b", lambda found: f"{self.root}/{found[1]}", text)

    def _env(self, rest: str) -> None:
        for setting in shlex.split(rest):
            name, _, value = setting.partition("=")
            self.environment[name] = self.placed(_filled(value, self.environment))

    def _workdir(self, rest: str) -> None:
        self.cwd = Path(self.placed(rest))
        self.cwd.mkdir(parents=True, exist_ok=True)

    def _copy(self, rest: str) -> None:
        if rest.startswith("--from="):
            return  # both stages share the root here
        *sources, target = rest.split()
        for source in sources:
            wanted = self.context / source
            if wanted.is_dir():
                ignore = shutil.ignore_patterns("__pycache__", "*.pyc")
                shutil.copytree(wanted, self.cwd / target, dirs_exist_ok=True, ignore=ignore)
            else:
                (self.cwd / target).mkdir(parents=True, exist_ok=True)
                shutil.copy(wanted, self.cwd / target)

    def _run(self, rest: str) -> None:
        if rest.startswith("useradd"):
            return  # the rehearsal changes nothing outside its folder
        run("/bin/sh", "-e", "-c", self.placed(rest), folder=self.cwd, environment=self.environment, seconds=580)


def command_of(stage: Stage) -> list[str]:
    """What CMD starts."""
    (command,) = stage.all("CMD")
    return list(json.loads(command))


def health_command_of(stage: Stage) -> list[str]:
    """What HEALTHCHECK runs."""
    (check,) = stage.all("HEALTHCHECK")
    return list(json.loads(check.partition("CMD ")[2]))


def base_environment(python: str, folder: Path) -> dict[str, str]:
    """What a Python base image offers: ``python`` on the path, and a home."""
    folder.mkdir()
    wrapper = folder / "python"
    wrapper.write_text(f'#!/bin/sh\nexec "{python}" "$@"\n')
    wrapper.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "SSL_", "REQUESTS_"))}
    return {**kept, "PATH": f"{folder}:/usr/local/bin:/usr/bin:/bin", "HOME": str(folder), "LANG": "C.UTF-8"}
