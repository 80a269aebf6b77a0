"""The table of settings that the README shows, made from the code."""

from typing import Any

BEGIN = "<!-- settings -->"
END = "<!-- /settings -->"


def settings_table(settings: Any, prefix: str) -> str:
    """A Markdown table: variable, default, meaning."""
    lines = ["| variable | default | meaning |", "| --- | --- | --- |"]
    for name, field in settings.model_fields.items():
        default = "" if field.default_factory or field.default is None else f"`{field.default}`"
        lines.append(f"| `{prefix}{name.upper()}` | {default} | {field.description} |")
    return "\n".join(lines)
