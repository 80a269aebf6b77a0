"""Bundles JavaScript modules into scripts without comments and spaces, parsed by tree-sitter."""

import posixpath
import re
from collections.abc import Callable, Iterator
from functools import cached_property

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

_PARSER = Parser(Language(tree_sitter_javascript.language()))
_WHOLE = frozenset({"string", "template_string", "regex"})  # nodes that are one token, although they have children
_APART = re.compile(r"[\w$]{2}|\d\.|[-+/]{2}")  # pairs of characters that need the space between them


class Module:
    """A module whose imports are all of the form ``import { a } from "./b.js";``."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path = path
        self._root = _PARSER.parse(source).root_node
        if self._root.has_error:
            raise SyntaxError(f"{path} is not JavaScript that tree-sitter reads")

    @cached_property
    def imports(self) -> dict[str, str]:
        """The destructuring pattern of the imported names, by the path of their module."""
        folder = posixpath.dirname(self.path)
        return {
            posixpath.normpath(posixpath.join(folder, _text(_field(each, "source"))[1:-1])): (
                f"{{ {', '.join(map(_pattern, _children_of_type(each, 'import_specifier')))} }}"
            )
            for each in self._root.named_children
            if each.type == "import_statement"
        }

    @cached_property
    def exports(self) -> list[str]:
        """The exported names."""
        declared = [_field(each, "declaration") for each in self._export_statements()]
        named = [child for each in declared for child in (each, *_children_of_type(each, "variable_declarator"))]
        return [_text(name) for each in named if (name := each.child_by_field_name("name")) is not None]

    def _export_statements(self) -> Iterator[Node]:
        return (each for each in self._root.named_children if each.type == "export_statement")

    @property
    def minified(self) -> str:
        """The module without comments and spaces."""
        return _join(_tokens(self._root, set()))

    def wrapped(self) -> str:
        """Return the module as a function call that reads its imports from ``modules`` and stores its exports there."""
        takes = "".join(f'const {names} = modules["{path}"];\n' for path, names in self.imports.items())
        skipped = {each.children[0] for each in self._export_statements()}
        skipped |= {each for each in self._root.named_children if each.type == "import_statement"}
        inner = _join(_tokens(self._root, skipped))
        exports = ", ".join(self.exports)
        return f'modules["{self.path}"] = await (async () => {{\n{takes}{inner}\nreturn {{ {exports} }};\n}})();'


def bundles(entries: dict[str, str], read: Callable[[str], bytes]) -> dict[str, str]:
    """Return the scripts of the entry modules; a module is only in the first script that needs it."""
    modules: dict[str, Module] = {}

    def needed(path: str) -> tuple[str, ...]:
        if path not in modules:
            modules[path] = Module(path, read(path))
        return (*dict.fromkeys(each for imported in modules[path].imports for each in needed(imported)), path)

    texts: dict[str, str] = {}
    sent: list[str] = []
    for name, entry in entries.items():
        own = [path for path in needed(entry) if path not in sent]
        shared = f'import {{ modules }} from "./{next(iter(texts))}";' if sent else "export const modules = {};"
        exported = ", ".join(modules[entry].exports)
        exports = f'export const {{ {exported} }} = modules["{entry}"];' if exported else ""
        texts[name] = "\n".join((shared, *(modules[path].wrapped() for path in own), exports))
        sent += own
    return texts


def _tokens(node: Node, skipped: set[Node]) -> Iterator[Node]:
    if node.type == "comment" or node in skipped:
        return
    if node.child_count == 0 or node.type in _WHOLE:
        yield node
        return
    for child in node.children:
        yield from _tokens(child, skipped)


def _join(tokens: Iterator[Node]) -> str:
    """Return the tokens with their line ends, and a space where two tokens would become one."""
    parts: list[str] = []
    last: Node | None = None
    for token in tokens:
        text = _text(token)
        if last is not None and token.start_point.row > last.end_point.row:
            parts.append("\n")
        elif last is not None and token.start_byte > last.end_byte and _APART.match(parts[-1][-1] + text[0]):
            parts.append(" ")
        parts.append(text)
        last = token
    return "".join(parts)


def _pattern(specifier: Node) -> str:
    alias = specifier.child_by_field_name("alias")
    name = _text(_field(specifier, "name"))
    return name if alias is None else f"{name}: {_text(alias)}"


def _children_of_type(node: Node, kind: str) -> Iterator[Node]:
    """Yield the children of a type, also those inside import clauses."""
    for child in node.named_children:
        if child.type == kind:
            yield child
        elif child.type in ("import_clause", "named_imports"):
            yield from _children_of_type(child, kind)


def _field(node: Node, name: str) -> Node:
    found = node.child_by_field_name(name)
    assert found is not None, f"{node.type} without {name}"
    return found


def _text(node: Node) -> str:
    return (node.text or b"").decode()
