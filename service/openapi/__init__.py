"""Builds ``openapi.yaml`` from the models."""
