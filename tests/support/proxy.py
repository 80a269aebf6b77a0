"""A real nginx with the shipped configuration, without privileges, in a folder of its own, on a loopback port."""

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.commands import ended
from tests.support.server import REPOSITORY, Server, end_group, free_port

CONFIGURATION = REPOSITORY / "deploy" / "nginx"
READY_WITHIN_S = 10
NOBODY = 65_534
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
"""Debian keeps it where only root looks."""


@dataclass(frozen=True)
class Proxy:
    """A running proxy."""

    port: int  # where it listens on 127.0.0.1
    process: "subprocess.Popen[bytes]"  # its master process
    folder: Path  # all that it writes

    @property
    def log(self) -> str:
        """All that it has written: one line a request, and its errors."""
        return (self.folder / "log").read_text("utf-8", errors="replace")


def configure(folder: Path, ports: Sequence[int], port: int, *, unlimited: bool = False) -> None:
    """Copy the shipped configuration into a folder, with the instances' ports and the port of a test, all on 127.0.0.1.

    ``unlimited``: one address may ask as often as it likes. nginx reads its clock every few milliseconds, and what
    comes in between counts as a burst.
    """
    shutil.copytree(CONFIGURATION, folder, dirs_exist_ok=True)
    site = (folder / "site.conf").read_text("utf-8")
    instances = [line for line in site.splitlines() if re.match(r"\s*server ", line)]
    assert instances, "site.conf names no instance"
    options = instances[0].split(maxsplit=2)[2]
    times = len(instances) // len(set(instances))
    own = "\n".join(f"    server 127.0.0.1:{each} {options}" for each in [*ports] * times)
    site = site.replace("\n".join(instances), own)
    main = (folder / "nginx.conf").read_text("utf-8")
    if unlimited:
        site, rates = re.subn(r"(zone=\S+ rate=)\S+;", r"\g<1>1000000r/s;", site)
        main, bursts = re.subn(r"burst=\d+", "burst=100000", main)
        assert rates, "site.conf has no rate"
        assert bursts, "nginx.conf has no burst"
    (folder / "site.conf").write_text(site, "utf-8")
    listen = (folder / "listen.conf").read_text("utf-8")
    (folder / "listen.conf").write_text(listen.replace("listen 8080", f"listen 127.0.0.1:{port}"), "utf-8")
    # A test has no pipe that another user could open for writing.
    (folder / "nginx.conf").write_text(main.replace("/dev/stdout", str(folder / "log")), "utf-8")


@contextlib.contextmanager
def started(
    instances: Sequence[Server], *, unlimited: bool = False, change: Callable[[Path], None] = lambda folder: None
) -> Iterator[Proxy]:
    """Start nginx in front of instances, and stop it at the end; as nobody where this process is root.

    ``unlimited`` is as for ``configure``; ``change`` changes the files of its configuration.
    """
    assert NGINX, "nginx is not installed"
    with tempfile.TemporaryDirectory(prefix="kinarow-proxy-") as name:
        folder, port = Path(name), free_port()
        configure(folder, [instance.port for instance in instances], port, unlimited=unlimited)
        change(folder)
        (folder / "log").touch()
        privileged = os.geteuid() == 0
        if privileged:
            for path in (folder, *folder.rglob("*")):
                os.chown(path, NOBODY, NOBODY)
        with (folder / "log").open("ab") as log:
            process = subprocess.Popen(
                [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", "daemon off;"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                process_group=0,
                **({"user": NOBODY, "group": NOBODY, "extra_groups": []} if privileged else {}),
            )
        proxy = Proxy(port, process, folder)
        try:
            _wait_until_it_listens(proxy)
            yield proxy
        finally:
            end_group(process)


def check(folder: Path, output: Any = subprocess.PIPE) -> "subprocess.CompletedProcess[str]":
    """What ``nginx -t`` says of a configuration; ``output`` is its standard output."""
    assert NGINX, "nginx is not installed"
    return ended(NGINX, "-t", "-p", folder, "-c", folder / "nginx.conf", output=output)


def _wait_until_it_listens(proxy: Proxy) -> None:
    end = time.monotonic() + READY_WITHIN_S
    while not (proxy.folder / "nginx.pid").exists():
        if proxy.process.poll() is not None or time.monotonic() > end:
            raise RuntimeError(f"nginx does not run:\n{proxy.log}")
        time.sleep(0.01)
