"""Compiled functions live in kernel modules, and kernel modules hold nothing else that runs."""

import ast
import re
from pathlib import Path

import pytest

import kinarow
from kinarow.kernels.sources import kernel_sources

PACKAGE = Path(kinarow.__file__).parent
DECLARED = re.compile(r"(entry|part|inlined)\b")
OTHERS = sorted(set(PACKAGE.rglob("*.py")) - set(kernel_sources()))


def functions(tree: ast.AST) -> list[ast.FunctionDef]:
    """All functions of a module, those within `if` statements too."""
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]


def is_compiled(function: ast.FunctionDef) -> bool:
    """Whether Numba compiles the function, or the instructions that it generates."""
    decorators = [ast.unparse(decorator) for decorator in function.decorator_list]
    return any(DECLARED.match(decorator) or is_intrinsic(decorator) for decorator in decorators)


def is_intrinsic(decorator: str) -> bool:
    return decorator.partition("(")[0] == "intrinsic"


def writes_instructions(function: ast.FunctionDef, found: list[ast.FunctionDef]) -> bool:
    """Whether it is a private helper in a module of intrinsics."""
    decorators = [ast.unparse(decorator) for each in found for decorator in each.decorator_list]
    return function.name.startswith("_") and any(map(is_intrinsic, decorators))


@pytest.mark.parametrize("source", kernel_sources(), ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_a_kernel_module_holds_compiled_functions_only(source):
    """Interpreted Python there would be seen by no type checker, and each edit of it would build the kernels again."""
    found = functions(ast.parse(source.read_text("utf-8")))
    # A function within a compiled one belongs to it.
    compiled = {part.name for function in found if is_compiled(function) for part in functions(function)}
    # A function that is not compiled is the plain twin of a compiled one, for NUMBA_DISABLE_JIT.
    others = [function for function in found if function.name not in compiled]
    assert [function.name for function in others if not writes_instructions(function, found)] == []


@pytest.mark.parametrize("source", OTHERS, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_nothing_is_compiled_elsewhere(source):
    assert not any(map(is_compiled, functions(ast.parse(source.read_text("utf-8")))))
