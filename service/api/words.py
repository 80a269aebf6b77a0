"""What the fields of requests and answers mean: by the model that defines a field, as ``fields.toml`` says."""

import tomllib
from importlib.resources import files

WORDS: dict[str, dict[str, str]] = tomllib.loads(files("service.api").joinpath("fields.toml").read_text("utf-8"))
