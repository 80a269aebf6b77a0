"""Writes api.d.ts, the TypeScript types of requests and answers, from openapi.yaml.

python clients/javascript/generate_types.py
"""

import json
import re
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
SOURCE = HERE.parent.parent / "openapi.yaml"
TARGET = HERE / "api.d.ts"

HEAD = "// Written by generate_types.py from openapi.yaml; do not edit.\n"
SIMPLE = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def types(specification: dict[str, Any]) -> str:
    """The text of api.d.ts."""
    schemas = specification["components"]["schemas"]
    return HEAD + "".join(f"\n{_declaration(name, schema)}\n" for name, schema in sorted(schemas.items()))


def _declaration(name: str, schema: dict[str, Any]) -> str:
    comment = _comment(schema, "")
    if "properties" in schema:
        return f"{comment}export interface {name} {_object(schema, '')}"
    return f"{comment}export type {name} = {_type(schema, '')};"


def _type(schema: dict[str, Any] | bool, indent: str) -> str:
    """The TypeScript type of a schema."""
    if isinstance(schema, bool):
        return "unknown" if schema else "never"
    if "$ref" in schema:
        return schema["$ref"].rpartition("/")[2]
    for word in ("anyOf", "oneOf"):
        if word in schema:
            return " | ".join(dict.fromkeys(_type(each, indent) for each in schema[word]))
    if "allOf" in schema:
        return " & ".join(dict.fromkeys(_type(each, indent) for each in schema["allOf"]))
    if "const" in schema:
        return json.dumps(schema["const"], ensure_ascii=False)
    if "enum" in schema:
        return " | ".join(json.dumps(value, ensure_ascii=False) for value in schema["enum"])
    kind = schema.get("type")
    if isinstance(kind, list):
        return " | ".join(_type({**schema, "type": each}, indent) for each in kind)
    if kind == "array":
        item = _type(schema.get("items", True), indent)
        return f"({item})[]" if " " in item and not item.startswith("{") else f"{item}[]"
    if kind == "object" or "properties" in schema:
        return _object(schema, indent)
    return SIMPLE.get(kind or "", "unknown")


def _object(schema: dict[str, Any], indent: str) -> str:
    properties = schema.get("properties", {})
    if not properties:
        values = schema.get("additionalProperties", True)
        return f"Record<string, {_type(values, indent)}>"
    required = set(schema.get("required", ()))
    inner = f"{indent}  "
    lines = []
    for name, value in properties.items():
        key = name if re.fullmatch(r"\w+", name) else json.dumps(name)
        optional = "" if name in required else "?"
        lines.append(f"{_comment(value, inner)}{inner}{key}{optional}: {_type(value, inner)};")
    return "{\n" + "\n".join(lines) + f"\n{indent}}}"


def _comment(schema: dict[str, Any] | bool, indent: str) -> str:
    text = "" if isinstance(schema, bool) else " ".join(schema.get("description", "").split())
    return f"{indent}/** {text.replace('*/', '* /')} */\n" if text else ""


def main() -> None:
    """Write the file."""
    TARGET.write_text(types(yaml.safe_load(SOURCE.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
