"""Requests and answers: their models, problems, strict JSON, and what an action does with a request."""
