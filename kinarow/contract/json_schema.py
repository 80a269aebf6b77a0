"""The JSON schemas of requests and answers, in the dialect of OpenAPI 3.0."""

from copy import deepcopy
from typing import Any

from pydantic.json_schema import GenerateJsonSchema
from pydantic_core import core_schema

from kinarow.contract.model import Model

Schema = dict[str, Any]


class ModelSchema(GenerateJsonSchema):
    """Pydantic's schemas without what 3.0 lacks, such as unions and ``const``; descriptions give the defaults."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Return False: fields need no titles."""
        return False

    def default_schema(self, schema: core_schema.WithDefaultSchema) -> Schema:
        """Return the field's schema without its default."""
        return self.generate_inner(schema["schema"])

    def nullable_schema(self, schema: core_schema.NullableSchema) -> Schema:
        """Return the schema with ``nullable``; OpenAPI 3.0 needs a ``type`` beside it, and null in an ``enum``."""
        inner = deepcopy(self.resolve_ref_schema(self.generate_inner(schema["schema"])))
        if "title" in inner:
            inner["title"] += "OrNull"  # code generators name the class by it
        return {**inner, "nullable": True, **({"enum": [*inner["enum"], None]} if "enum" in inner else {})}

    def literal_schema(self, schema: core_schema.LiteralSchema) -> Schema:
        """Return an ``enum``, also for a single value, which Pydantic writes as ``const``."""
        made = super().literal_schema(schema)
        return {"enum": [made.pop("const")], **made} if "const" in made else made

    def generate_inner(self, schema: Any) -> Schema:
        """Return the schema with its description in one line and at most one example."""
        made = super().generate_inner(schema)
        if "$ref" in made:
            return {"$ref": made["$ref"]}
        if "description" in made:
            made["description"] = " ".join(made["description"].split())
        if "examples" in made:
            made["example"] = made.pop("examples")[0]
        return made


def json_schema(model: type[Model]) -> Schema:
    """Return the JSON schema of a model."""
    return model.model_json_schema(schema_generator=ModelSchema)
