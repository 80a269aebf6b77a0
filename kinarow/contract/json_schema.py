"""The JSON schemas of requests and answers."""

from typing import Any

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from kinarow.contract.model import Model


class ModelSchema(GenerateJsonSchema):
    """Schemas without defaults, which descriptions give, and without titles that repeat the names of fields."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Never."""
        return False

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> dict[str, Any]:
        """The schema of the field itself."""
        return self.generate_inner(schema["schema"])

    def generate_inner(self, schema: Any) -> dict[str, Any]:
        """The schema, its description in one line."""
        made = super().generate_inner(schema)
        if "description" in made:
            made["description"] = " ".join(made["description"].split())
        return made


def json_schema(model: type[Model]) -> dict[str, Any]:
    """The JSON schema of a model."""
    return model.model_json_schema(schema_generator=ModelSchema)
