"""Settings: from the environment, with safe defaults; an impossible one is refused in one line that names it."""

import pytest

from kinarow.game.rules import PRESETS
from kinarow.game.size import MAX_SIDE
from kinarow.settings import PREFIX, SettingsError
from service.app import create_app
from service.settings import Settings, default_settings, load_settings, unknown_variables


@pytest.fixture(autouse=True)
def no_environment(monkeypatch):
    for name in Settings.model_fields:
        monkeypatch.delenv(PREFIX + name.upper(), raising=False)


def test_the_defaults_are_those_of_the_contract():
    settings = load_settings()
    assert (settings.host, settings.port, settings.max_time_ms) == ("127.0.0.1", 8000, 10_000)
    assert settings.max_side == MAX_SIDE
    assert settings.workers >= 1
    assert settings == default_settings()


def test_the_environment_is_read(monkeypatch):
    monkeypatch.setenv("KINAROW_PORT", "9000")
    monkeypatch.setenv("KINAROW_MAX_TIME_MS", "250")
    monkeypatch.setenv("KINAROW_LOG_LEVEL", "WARNING")
    settings = load_settings(host="::1")
    assert (settings.host, settings.port, settings.max_time_ms, settings.log_level) == ("::1", 9000, 250, "warning")
    assert default_settings().port == 8000


def test_an_empty_variable_is_as_good_as_none(monkeypatch):
    monkeypatch.setenv("KINAROW_PORT", "")
    assert load_settings().port == 8000


@pytest.mark.parametrize(
    ("name", "value", "part"),
    [
        ("PORT", "abc", "must be a valid integer"),
        ("PORT", "70000", "must be less than or equal to 65535"),
        ("PORT", "tcp://10.0.0.1:8000", "enableServiceLinks: false"),
        ("WORKERS", "0", "must be greater than or equal to 1"),
        ("SEARCHES", "1.5", "must be a valid integer"),
        ("MAX_TIME_MS", "-5", "must be greater than or equal to 1"),
        ("MAX_SIDE", "26", "must be less than or equal to 25"),
        ("MAX_BODY_BYTES", "0", "must be greater than or equal to 1"),
        ("LOG_LEVEL", "loud", "must be 'debug', 'info', 'warning' or 'error', not 'loud'"),
        ("DEFAULT_NODES", "999999999999", "must not be more than KINAROW_MAX_NODES"),
        ("CACHE_SIZE", "x" * 5000, "not 'xxx"),
        ("SEARCHES", "0", "greater than or equal to 1"),
        ("SEARCH_QUEUE", "-1", "greater than or equal to 0"),
        ("REDIS_HMAC_KEY", "short", "at least 16"),
    ],
)
def test_an_impossible_setting_is_one_line_that_names_it(monkeypatch, name, value, part):
    monkeypatch.setenv(f"KINAROW_{name}", value)
    with pytest.raises(SettingsError) as failure:
        load_settings()
    line = str(failure.value)
    assert line.startswith(f"KINAROW_{name}")
    assert part in line
    assert "\n" not in line
    assert len(line) < 300
    with pytest.raises(SettingsError):
        create_app()


def test_all_that_is_impossible_is_told_at_once(monkeypatch):
    monkeypatch.setenv("KINAROW_PORT", "abc")
    monkeypatch.setenv("KINAROW_WORKERS", "none")
    with pytest.raises(SettingsError, match=r"KINAROW_PORT: .*; KINAROW_WORKERS: .*"):
        load_settings()


def test_a_setting_there_is_not_is_refused():
    with pytest.raises(SettingsError, match="KINAROW_COLOUR: no such setting"):
        load_settings(colour="red")


def test_every_setting_is_described():
    for name, field in Settings.model_fields.items():
        assert (field.description or "").endswith("."), name


def test_settings_cannot_be_changed():
    with pytest.raises(ValueError, match="frozen"):
        default_settings().port = 1


def test_a_variable_that_is_no_setting_is_told_with_the_nearest_that_is():
    told = unknown_variables({"KINAROW_WORKRES": "2", "KINAROW_PORT": "1", "OTHER": "3", "KINAROW_XYZZY": ""})
    assert told == [
        "'KINAROW_WORKRES' is not a setting and changes nothing; did you mean KINAROW_WORKERS?",
        "'KINAROW_XYZZY' is not a setting and changes nothing",
    ]


def test_variables_of_a_kubernetes_service_named_kinarow_are_not_typos():
    names = (
        "KINAROW_SERVICE_HOST", "KINAROW_SERVICE_PORT", "KINAROW_SERVICE_PORT_HTTP", "KINAROW_PORT_8000_TCP",
        "KINAROW_PORT_8000_TCP_ADDR", "KINAROW_REDIS_SERVICE_HOST", "KINAROW_REDIS_PORT",
    )  # fmt: skip
    assert unknown_variables(dict.fromkeys(names, "tcp://10.0.0.1:80")) == []


@pytest.mark.parametrize(
    ("game", "nodes"),
    [("connect-four", 20_000_000), ("torus-tic-tac-toe", 20_000_000), ("gomoku", 1_000_000)]
    + [("score-four", 2_500_000), ("qubic", 2_500_000)],
)
def test_the_default_budget_follows_the_board(game, nodes):
    assert default_settings().nodes_by_default(PRESETS[game]) == nodes
    assert default_settings(default_nodes=1, default_nodes_large=1).nodes_by_default(PRESETS[game]) == 1
