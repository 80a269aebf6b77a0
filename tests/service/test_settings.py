"""Settings: from the environment, with safe defaults; an impossible one is refused in one line that names it."""

import pytest

from kinarow.errors import SettingsError
from kinarow.game.rules import PRESETS
from kinarow.settings import PREFIX
from service.app import create_app
from service.settings import Settings, default_settings, load_settings, unknown_variables


@pytest.fixture(autouse=True)
def no_environment(monkeypatch):
    for name in Settings.model_fields:
        monkeypatch.delenv(PREFIX + name.upper(), raising=False)


def test_without_an_environment_the_settings_are_the_defaults():
    assert load_settings() == default_settings()
    assert load_settings().workers >= 1


def test_the_environment_is_read(monkeypatch):
    for name, value in {"MAX_TIME_MS": "250", "LOG_LEVEL": "WARNING", "PORT": ""}.items():
        monkeypatch.setenv(f"KINAROW_{name}", value)
    settings = load_settings(host="::1")
    assert (settings.host, settings.max_time_ms, settings.log_level) == ("::1", 250, "warning")
    assert settings.port == 8000, "an empty variable is as good as none"
    monkeypatch.setenv("KINAROW_PORT", "9000")
    assert (load_settings().port, default_settings().port) == (9000, 8000)


KEY = "a-key-0123456789abc"
IMPOSSIBLE = [
    ("PORT", "must be a valid integer", "abc"), ("PORT", "must be less than or equal to 65535", "70000"),
    ("PORT", "enableServiceLinks: false", "tcp://10.0.0.1:8000"), ("WORKERS", "greater than or equal to 1", "0"),
    ("SEARCHES", "must be a valid integer", "1.5"), ("SEARCHES", "greater than or equal to 1", "0"),
    ("MAX_TIME_MS", "greater than or equal to 1", "-5"), ("MAX_SIDE", "less than or equal to 25", "26"),
    ("MAX_BODY_BYTES", "greater than or equal to 1", "0"), ("SEARCH_QUEUE", "greater than or equal to 0", "-1"),
    ("LOG_LEVEL", "must be 'debug', 'info', 'warning' or 'error', not 'loud'", "loud"),
    *((f"DEFAULT_NODES{kind}", "must not be more than KINAROW_MAX_NODES", "9" * 12) for kind in ("", "_LARGE")),
    ("CACHE_BYTES", "not 'xxx", "x" * 5000),
    ("CACHE_SIZE", "set KINAROW_CACHE_BYTES", "20000"), ("RESPONSE_CACHE_BYTES", "KINAROW_CACHE_BYTES", "20000"),
    ("API_KEYS", "set KINAROW_API_KEYS_FILE", KEY), ("METRICS", "always", "false"), ("STREAMS", "16", "8"),
    ("MAX_TREE_NODES", "50,000", "1000"),
    *(("CORS_ORIGINS", "must be origins", origin) for origin in (
        "example.org", "https://example.org/", "https://a b", "https://example.org/path", "null", "file://",
    )),
    *(("TRUSTED_HOSTS", "", host) for host in (
        "example.org:80", "https://example.org", "a b", "ex\u00e4mple.org", "*.example.org",
    )),
]  # fmt: skip
SECRET = [
    ("REDIS_HMAC_KEY", "at least 16", "short"),
    *(("REDIS_URL", "redis://HOST", url) for url in (
        "localhost", "http://localhost", "redis://:password@host:x", "redis://host?what=1",
    )),
]  # fmt: skip


@pytest.mark.parametrize(("name", "part", "value"), [*IMPOSSIBLE, *SECRET])
def test_an_impossible_setting_is_one_line_that_names_it_and_shows_no_secret(monkeypatch, name, part, value):
    monkeypatch.setenv(f"KINAROW_{name}", value)
    with pytest.raises(SettingsError) as failure:
        load_settings()
    line = str(failure.value)
    assert line.startswith(f"KINAROW_{name}")
    assert part in line
    assert "\n" not in line
    assert "password" not in line
    assert len(line) < 300
    assert (name, part, value) not in SECRET or value not in line
    with pytest.raises(SettingsError):
        create_app()


def test_secrets_are_not_shown_with_the_settings():
    assert "secret@" not in repr(default_settings(redis_url="redis://:secret@127.0.0.1"))


def test_all_that_is_impossible_is_told_at_once(monkeypatch):
    monkeypatch.setenv("KINAROW_PORT", "abc")
    monkeypatch.setenv("KINAROW_WORKERS", "none")
    with pytest.raises(SettingsError, match=r"KINAROW_PORT: .*; KINAROW_WORKERS: .*"):
        load_settings()


def test_a_setting_there_is_not_is_refused_and_none_can_be_changed():
    with pytest.raises(SettingsError, match="KINAROW_COLOUR: no such setting"):
        load_settings(colour="red")
    with pytest.raises(ValueError, match="frozen"):
        default_settings().port = 1


def test_a_variable_that_is_no_setting_is_told_with_the_nearest_that_is():
    """But none that Kubernetes sets for a service named kinarow."""
    names = "SERVICE_HOST SERVICE_PORT SERVICE_PORT_HTTP PORT_8000_TCP PORT_8000_TCP_ADDR REDIS_SERVICE_HOST REDIS_PORT"
    kubernetes = dict.fromkeys([f"KINAROW_{name}" for name in names.split()], "tcp://10.0.0.1:80")
    told = unknown_variables(
        {"KINAROW_WORKRES": "2", "KINAROW_PORT": "1", "WEB_CONCURRENCY": "3", "KINAROW_XYZZY": "", **kubernetes}
    )
    assert told == [
        "WEB_CONCURRENCY changes nothing; set KINAROW_WORKERS",
        "'KINAROW_WORKRES' is not a setting and changes nothing; did you mean KINAROW_WORKERS?",
        "'KINAROW_XYZZY' is not a setting and changes nothing",
    ]


@pytest.mark.parametrize(
    ("game", "nodes"),
    [("connect-four", 20_000_000), ("torus-tic-tac-toe", 20_000_000), ("gomoku", 1_000_000)]
    + [("score-four", 2_500_000), ("qubic", 2_500_000)],
)
def test_the_default_budget_follows_the_board(game, nodes):
    assert default_settings().nodes_by_default(PRESETS[game]) == nodes
    assert default_settings(default_nodes=1, default_nodes_large=1).nodes_by_default(PRESETS[game]) == 1
