"""The service as an operator starts it: ready soon, ended by a signal without loss, reloaded, limited, quiet."""

import json
import os
import signal
import socket
import sys

import pytest

from service.server import application
from service.settings import Settings
from tests.support.commands import ended
from tests.support.processes import wait_for, workers
from tests.support.server import REPOSITORY, Server, free_port

BOARD = {"board": ["X.O", ".X.", "..."]}


def test_the_options_follow_from_the_settings():
    options = application.options(Settings(host="::1", port=1234, workers=3, max_time_ms=20_000))
    assert (options["bind"], options["workers"]) == (["[::1]:1234"], 3)
    assert (options["graceful_timeout"], options["control_socket_disable"]) == (55, True)
    limits = ("limit_request_line", "limit_request_fields", "limit_request_field_size")
    assert [options[name] for name in limits] == [4094, 64, 8190]


def test_the_service_answers_and_every_worker_is_ready_at_once(live_server):
    """Each worker inherits what the master loaded: a hundred requests on new connections, no 503 among them."""
    answer = live_server.post("/move", BOARD)
    assert (answer.status, answer.json["move"]["tile"]) == (200, 9)
    assert {live_server.get("/readyz").status for _ in range(100)} == {200}
    for path in ("/healthz", "/nowhere"):
        assert not any(digit in live_server.get(path).headers.get("server", "") for digit in "0123456789")


def test_it_says_where_it_listens_and_opens_the_kernels_before_anything_is_answered(live_server):
    log = live_server.log
    assert f"listening at {live_server.url} with 2 workers" in log
    assert log.lower().count("listening at") == 1
    assert log.index("loading") < log.index("listening at") < log.index("Booting worker")


@pytest.mark.skipif(not hasattr(socket, "TCP_CORK"), reason="only Linux holds the head of an answer back")
@pytest.mark.parametrize("path", ["/move?board=X.O/.X./...", "/healthz", "/move?board=x"])
def test_head_and_body_of_an_answer_arrive_together(live_server, path):
    """So a worker that is killed has sent all of an answer or nothing."""
    with socket.create_connection(("127.0.0.1", live_server.port), timeout=10) as connection:
        for _ in range(50):
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            head, _, body = connection.recv(65_536).partition(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].split()[0])
            assert len(body) == length > 0


GUNICORN = ("sh", "-c", 'exec "$0" -m gunicorn --bind "127.0.0.1:$KINAROW_PORT" $1 service.wsgi:app', sys.executable)


@pytest.mark.slow
@pytest.mark.parametrize("worker", ["sync", "gevent"])
def test_under_any_server_requests_are_answered(worker):
    with Server.started((*GUNICORN, f"--worker-class={worker}")) as server:
        for path in ("/readyz", "/move?board=X.O/.X./..O", "/solve?pos=2322343466715461761243"):
            assert server.get(path).status == 200


@pytest.mark.slow
def test_a_hangup_reads_the_keys_again(tmp_path):
    """A new key opens, the old one no longer does; a file that went wrong changes nothing and is logged."""
    first, second, keys = "the-first-key-0123456789", "the-second-key-0123456789", tmp_path / "keys"
    keys.write_text(f"{first}\n")

    def statuses() -> tuple[int, int]:
        return tuple(server.post("/move", BOARD, Authorization=f"Bearer {key}").status for key in (first, second))

    def after_a_hangup(text: str) -> tuple[int, int]:
        """What a new worker answers, once the old one has gone."""
        keys.write_text(text)
        before = set(workers(server))
        server.process.send_signal(signal.SIGHUP)
        wait_for(lambda: len(workers(server)) == 1 and not before & set(workers(server)), 30)
        return statuses()

    environment = {"KINAROW_WORKERS": "1", "KINAROW_API_KEYS_FILE": str(keys)}
    with Server.started(**environment) as server:
        assert statuses() == (200, 401)
        assert after_a_hangup(f"{second}\n") == (401, 200)
        assert after_a_hangup("short\n") == (401, 200)
        assert "the API keys were not changed" in server.log
        assert "line 1 is not a key" in server.log
        (worker,) = workers(server)
        os.kill(worker, signal.SIGKILL)
        wait_for(lambda: workers(server) not in ([], [worker]), 30)
        assert statuses() == (401, 200), "a new worker has the old keys too"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "environment", "status"),
    [
        ("", {}, 400), ("", {"KINAROW_TRUSTED_HOSTS": "attacker.example"}, 200), ("", {"KINAROW_HOST": "0.0.0.0"}, 200),
        ("--bind 0.0.0.0:{port}", {}, 200),
        ("--bind 127.0.0.1:{port} --bind [::1]:{port}", {"KINAROW_HOST": "0.0.0.0"}, 400),
    ],
    ids=["loopback", "named", "everywhere", "everywhere, as gunicorn is told", "loopback, as gunicorn is told"],
)  # fmt: skip
def test_where_only_this_machine_can_ask_requests_must_name_it(options, environment, status):
    """A page whose name leads to a visitor's own machine (DNS rebinding) gets nothing from a service there."""
    port = free_port()
    environment = {**environment, "GUNICORN_CMD_ARGS": options.format(port=port), "KINAROW_WORKERS": "1"}
    with Server.started(port=port, **environment) as server:
        assert server.get("/version", Host="attacker.example").status == status
        assert server.get("/healthz", Host="attacker.example").status == 200
        if "KINAROW_TRUSTED_HOSTS" not in environment:
            assert server.get("/version").status == 200
            assert server.get("/version", Host="localhost:1").status == 200
            assert server.get("/version", Host="10.0.2.2:8000").status == 200


@pytest.mark.slow
def test_systemd_may_open_the_socket():
    """Socket activation: the service answers on the socket that it inherits, not at its own address."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        inherited = listener.fileno()
        script = (
            f"import os, sys; os.dup2({inherited}, 3); os.environ |= dict(LISTEN_PID=str(os.getpid()), LISTEN_FDS='1');"
            "os.execv(sys.executable, [sys.executable, '-m', 'kinarow', 'serve'])"
        )
        command = (sys.executable, "-c", script)
        with Server.started(command, ready=False, pass_fds=(inherited,), KINAROW_WORKERS="1") as server:
            own_port, server.port = server.port, listener.getsockname()[1]
            server.url = f"http://127.0.0.1:{server.port}"
            server.wait_until_ready()
            assert server.post("/move", BOARD).json["move"]["tile"] == 9
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", own_port), timeout=5)


def test_gevent_warns_of_nothing():
    """Its warning says that a module was imported too early to be patched as a whole."""
    with Server.started((sys.executable, "-W", "default", "-m", "kinarow", "serve"), KINAROW_WORKERS="1") as server:
        assert server.post("/move", BOARD).status == 200
        assert "MonkeyPatchWarning" not in server.log


def test_a_port_in_use_is_told_and_ends_it(live_server):
    taken = {**os.environ, "KINAROW_PORT": str(live_server.port), "KINAROW_HOST": "127.0.0.1"}
    done = ended(sys.executable, "-m", "kinarow.commands.cli", "serve", environment=taken)
    assert done.returncode == 2
    assert "in use" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.slow
def test_every_line_of_the_log_is_json(tmp_path):
    """What a library warns of too: here that compiled kernels cannot be kept where they should be."""
    (tmp_path / "file").write_text("")
    with Server.started(ready=False, KINAROW_KERNEL_CACHE_DIR=str(tmp_path / "file" / "cache")) as server:
        server.wait_until_ready(path="/healthz")
        server.post("/move", BOARD)
        lines = server.log.splitlines()
    assert {json.loads(line)["level"] for line in lines} >= {"info", "warning"}


@pytest.mark.slow
def test_without_a_temporary_folder_it_says_so():
    mounts = "".join(f"mount -t tmpfs -o ro none {path} && " for path in ("/tmp", "/var/tmp", "/dev/shm"))
    if ended("unshare", "--mount", "--map-root-user", "sh", "-c", f"{mounts}true").returncode != 0:
        pytest.skip("this system lets no process have mounts of its own")
    command = f"{mounts}cd /proc && exec '{sys.executable}' -m kinarow.commands.cli serve"
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "KINAROW_PORT": "0"}
    environment.pop("TMPDIR", None)
    done = ended("unshare", "--mount", "--map-root-user", "sh", "-c", command, environment=environment)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no temporary folder can be written" in done.stderr
