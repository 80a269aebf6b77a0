"""Turns every failed request into a problem response: application/problem+json (RFC 9457)."""

import logging
from typing import Any
from urllib.parse import quote

from flask import Flask, Response, current_app, render_template, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from kinarow.contract import answers, problems
from kinarow.contract.json_text import dump
from kinarow.contract.problems import Problem
from kinarow.errors import InputError
from service.http import words
from service.http.responses import NO_STORE
from service.searches.limiter import ClientDisconnected, Overloaded
from service.telemetry import logs

MAX_INSTANCE = 200
HTML = "text/html"
_log = logging.getLogger(__name__)

CLIENT_DISCONNECTED = 499  # status in logs and metrics when the client left, as in nginx

# Reversed: of two kinds with the same status the first one counts.
_BY_STATUS = {kind.status: kind for kind in reversed(problems.KINDS)}


def _with_instance(fields: dict[str, Any], part: str = "") -> answers.Problem:
    """Return the problem; its ``instance`` is the request's path and the fragment ``part``."""
    instance = quote(request.path[:MAX_INSTANCE], errors="replace") + part
    # Validation would refuse a detail that quotes a lone surrogate.
    return answers.Problem.model_construct(**fields, instance=instance)


def _respond(fields: dict[str, Any], headers: dict[str, str]) -> Response:
    """Return a problem as a response that no cache may store."""
    response = Response(dump(_with_instance(fields)) + b"\n", fields["status"], content_type=problems.MEDIA_TYPE)
    response.headers["Cache-Control"] = NO_STORE
    response.headers.update(headers)
    return response


def problem_response(problem: Problem) -> Response:
    """Return a problem as the response to the current request."""
    return _respond(problem.fields(), problem.headers)


def problem_of(error: Exception) -> Problem:
    """Return the problem for an exception. Unexpected exceptions are logged, and the client gets no details."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, InputError):
        return problems.invalid(error.problems)
    if isinstance(error, Overloaded):
        return Problem(problems.UNAVAILABLE, str(error), headers={"Retry-After": str(problems.BUSY_RETRY_AFTER_S)})
    fields = {"path": request.path[:MAX_INSTANCE], "request_id": logs.request_id()}
    _log.error("unexpected failure", exc_info=error, extra=fields)
    return Problem(problems.INTERNAL_ERROR, "The failure has been logged under the X-Request-ID of this response.")


def problem_answer(error: Exception, part: str = "") -> answers.Problem:
    """Return the model of the problem for an exception; ``part`` is a URL fragment such as ``#/requests/2``."""
    return _with_instance(problem_of(error).fields(), part)


def _on_http_exception(error: HTTPException) -> Response:
    """Return the problem for an error of Flask: unknown path, wrong method, body too large and the like."""
    status = error.code or problems.INTERNAL_ERROR.status
    headers = {}
    detail = error.description or error.name
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        headers["Allow"] = ", ".join(sorted(error.valid_methods))
        detail = f"This path takes {headers['Allow']}."
    kind = _BY_STATUS.get(status)
    if kind is None:
        return _respond({"type": "about:blank", "title": error.name, "status": status, "detail": detail}, headers)
    if kind is problems.NOT_FOUND:
        known = _without_slash(request.path)
        hint = f"did you mean {known}?" if known else "/docs lists all paths."
        detail = f"No resource has this path; {hint}"
        return _not_found(Problem(kind, detail))
    return problem_response(Problem(kind, detail, headers=headers))


def _on_exception(error: Exception) -> Response:
    problem = problem_of(error)
    return _not_found(problem) if problem.kind is problems.NOT_FOUND else problem_response(problem)


def _not_found(problem: Problem) -> Response:
    """Return the 404: a page for browsers, a problem for programs."""
    response = problem_response(problem)
    if request.accept_mimetypes.best_match((problems.MEDIA_TYPE, "application/json", HTML)) == HTML:
        language, root = words.language(), "../" * (request.path.count("/") - 1)
        say = words.translator(language)
        page = render_template("missing.html", root=root, language=language, say=say, detail=problem.detail)
        response.data, response.content_type = page, f"{HTML}; charset=utf-8"
        response.vary.add("Accept-Language")
    response.vary.add("Accept")
    return response


def _without_slash(path: str) -> str | None:
    """Return the path without its final slashes if a resource has that path, or None."""
    shorter, routes = path.rstrip("/"), current_app.create_url_adapter(request)
    return shorter if shorter != path and routes and routes.allowed_methods(shorter) else None


def init_app(app: Flask) -> None:
    """Answer every failure of the app with a problem."""
    app.register_error_handler(ClientDisconnected, lambda _: Response(status=CLIENT_DISCONNECTED))
    app.register_error_handler(HTTPException, _on_http_exception)
    app.register_error_handler(Exception, _on_exception)
