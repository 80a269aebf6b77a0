"""What the fields of requests and answers mean: by the model that defines a field, as ``fields.toml`` says.

The declarations of the rules say what theirs mean.
"""

import tomllib
from importlib.resources import files

from kinarow.game.rules import RULES

WORDS: dict[str, dict[str, str]] = {
    **tomllib.loads(files("kinarow.contract").joinpath("fields.toml").read_text("utf-8")),
    "RuleFields": {name: rule.description for name, rule in RULES.items()},
}
