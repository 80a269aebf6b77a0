"""``kinarow sbom``: what this installation is made of, as a software bill of materials in CycloneDX JSON."""

import argparse
import json
import re
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from typing import Any

ROOT = "kinarow"
ROOT_EXTRAS = frozenset({"redis"})
"""Those that serving may use; they are listed where they are installed."""

SPEC_VERSION = "1.6"
_SCHEMA = f"http://cyclonedx.org/schema/bom-{SPEC_VERSION}.schema.json"

SHIPPED: tuple[dict[str, Any], ...] = (
    {
        "type": "library",
        "bom-ref": "pkg:npm/swagger-ui-dist@5.35.0",
        "name": "swagger-ui-dist",
        "version": "5.35.0",
        "purl": "pkg:npm/swagger-ui-dist@5.35.0",
        "description": "Shows the API at /docs",
        "licenses": [{"expression": "Apache-2.0"}],
    },
)
"""What others have made and kinarow's own package holds; ``THIRD_PARTY_NOTICES.md`` says more."""

_LICENCE_CLASSIFIER = "License :: "
_LONGEST_NAME = 100
"""A longer text in the field for the licence's name is the licence itself."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of the command: none."""
    parser.epilog = (
        "Lists every installed package that kinarow needs, with its version, licence and own needs."
    )


def run(arguments: argparse.Namespace) -> int:
    """Print the bill."""
    print(json.dumps(bill(), indent=2, ensure_ascii=False))
    return 0


def bill() -> dict[str, Any]:
    """The bill of materials of what is installed here; the same for the same packages."""
    needs = _needs()
    found = {name: distribution(name) for name in needs}
    graph = {
        _reference(found[name]): [_reference(found[each]) for each in sorted(needs[name])] for name in needs
    }
    for each in SHIPPED:
        graph[_reference(found[ROOT])].append(each["purl"])
        graph[each["purl"]] = []
    libraries = [_component(found[name], "library") for name in sorted(needs) if name != ROOT]
    return {
        "$schema": _SCHEMA,
        "bomFormat": "CycloneDX",
        "specVersion": SPEC_VERSION,
        "version": 1,
        "metadata": {"component": _component(found[ROOT], "application")},
        "components": [*libraries, *SHIPPED],
        "dependencies": [{"ref": reference, "dependsOn": graph[reference]} for reference in sorted(graph)],
    }


def _needs() -> dict[str, set[str]]:
    """For kinarow and all that it needs the installed packages that each needs directly."""
    needs: dict[str, set[str]] = {}
    waiting = [ROOT]
    while waiting:
        name = waiting.pop()
        if name not in needs:
            needs[name] = set(_direct(name))
            waiting.extend(needs[name])
    return needs


def _direct(name: str) -> Iterator[str]:
    """The installed packages that a package asks for; conditions but extras are met where one is installed."""
    for line in distribution(name).requires or ():
        extra = _EXTRA.search(line)
        if extra is not None and (name != ROOT or extra[1] not in ROOT_EXTRAS):
            continue
        needed = _NAME.match(line)
        if needed is not None and _is_installed(needed[0]):
            yield _normal(needed[0])


_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_EXTRA = re.compile(r"""extra\s*==\s*["']([^"']+)["']""")


def _is_installed(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def _component(package: Distribution, kind: str) -> dict[str, Any]:
    """One entry of the bill."""
    entry: dict[str, Any] = {
        "type": kind,
        "bom-ref": _reference(package),
        "name": package.metadata["Name"],
        "version": package.version,
        "purl": _reference(package),
    }
    summary = _field(package, "Summary")
    if summary:
        entry["description"] = summary
    licences = list(_licences(package))
    if licences:
        entry["licenses"] = licences
    return entry


def _licences(package: Distribution) -> Iterator[dict[str, Any]]:
    """The licence as an SPDX expression where the package says it so, else by the name it gives."""
    expression = _field(package, "License-Expression")
    if expression:
        yield {"expression": expression}
        return
    classifiers = package.metadata.get_all("Classifier") or []
    names = [each.rpartition(" :: ")[2] for each in classifiers if each.startswith(_LICENCE_CLASSIFIER)]
    stated = _field(package, "License")
    if not names and stated and len(stated) <= _LONGEST_NAME:
        names = [stated]
    for name in names:
        yield {"license": {"name": name}}


def _field(package: Distribution, name: str) -> str:
    """A field of a package's description, empty where it has none."""
    values = package.metadata.get_all(name) or [""]
    return str(values[0]).strip()


def _reference(package: Distribution) -> str:
    """The package URL."""
    return f"pkg:pypi/{_normal(package.metadata['Name'])}@{package.version}"


def _normal(name: str) -> str:
    """The name as indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()
