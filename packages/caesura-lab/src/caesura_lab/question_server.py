"""The page of `serve` and its answers over HTTP, for browsers on this machine only."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from functools import partial
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseRequestHandler, TCPServer
from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit

from caesura import CaesuraError, SettingError
from caesura_lab.question_site import QuestionSite

ADDRESS = "127.0.0.1"
_OWN_HOST = re.compile(r"(?:127\.0\.0\.1|localhost|\[::1\])(?::\d{1,5})?", re.IGNORECASE)
"""Any port, as that of a tunnel. A name that somebody's DNS points here is none of these."""
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


def check_port(port: int) -> None:
    """Raises `OSError` where another program has the port: before texts are indexed for it."""
    with TCPServer((ADDRESS, port), BaseRequestHandler, bind_and_activate=False) as tried:
        tried.allow_reuse_address = QuestionServer.allow_reuse_address
        tried.server_bind()


class QuestionServer(ThreadingHTTPServer):
    """Serves a `QuestionSite` on 127.0.0.1, each request in a thread. port: 0 takes a free one. Raises `OSError`."""

    daemon_threads = True
    allow_reuse_address: bool = os.name != "nt"  # where it would share the port with another program
    request_queue_size = 64

    def __init__(self, site: QuestionSite, port: int = 0) -> None:
        self.site = site
        self.page: bytes = site.html().encode()
        super().__init__((ADDRESS, port), _Handler)

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{ADDRESS}:{self.server_port}/"

    def server_bind(self) -> None:
        """Binds without asking DNS for the name of the machine."""
        TCPServer.server_bind(self)
        self.server_name: str = ADDRESS
        self.server_port: int = self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Says what went wrong, but not that a browser has gone."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class _RefusedError(Exception):
    """A request that gets no answer, by its status."""

    def __init__(self, status: HTTPStatus, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    """GET and nothing else; every answer but the page is JSON, an error as `{"error": …}`."""

    protocol_version = "HTTP/1.1"
    server_version, sys_version = "caesura", ""
    timeout = 30
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        sizes = self.headers.get_all("Content-Length", [])
        if any(size.strip() != "0" for size in sizes) or "Transfer-Encoding" in self.headers:
            self.close_connection = True  # nobody reads a body
        try:
            self._check_sender()
            ask = self._read_request()
            if ask is None:
                return self._write(HTTPStatus.OK, "text/html; charset=utf-8", self._server.page)
            answer = ask()
        except _RefusedError as error:
            return self._write_json(error.status, {"error": str(error)})
        except SettingError as error:
            return self._write_json(HTTPStatus.BAD_REQUEST, {"error": str(error)})
        except LookupError as error:
            return self._write_json(HTTPStatus.NOT_FOUND, {"error": str(error.args[0])})
        except (CaesuraError, OSError) as error:  # as of an embedder that does not answer
            return self._write_json(HTTPStatus.BAD_GATEWAY, {"error": str(error)})
        except Exception as error:
            self._write_json(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": f"{type(error).__name__}: {error}"})
            raise
        return self._write_json(HTTPStatus.OK, answer)

    def _refuse_method(self) -> None:
        self.close_connection = True
        self._write_json(HTTPStatus.METHOD_NOT_ALLOWED, {"error": "only GET is answered"}, {"Allow": "GET"})

    do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_HEAD = _refuse_method  # noqa: N815 - as the base class has it

    @property
    def _server(self) -> QuestionServer:
        return cast(QuestionServer, self.server)

    def _check_sender(self) -> None:
        """Refuses what another site makes a browser ask."""
        hosts = self.headers.get_all("Host", [])
        if len(hosts) != 1 or not _OWN_HOST.fullmatch(hosts[0].strip()):
            raise self._misdirected()
        if self.headers.get("Sec-Fetch-Site") == "cross-site" and self.headers.get("Sec-Fetch-Mode") != "navigate":
            raise _RefusedError(HTTPStatus.FORBIDDEN, "another site may not ask")

    def _misdirected(self) -> _RefusedError:
        return _RefusedError(HTTPStatus.MISDIRECTED_REQUEST, f"open {self._server.url}, by no other name")

    def _read_request(self) -> Callable[[], dict[str, Any]] | None:
        """The address -> what answers it; None is the page."""
        site = self._server.site
        routes: dict[str, tuple[Callable[..., dict[str, Any]], dict[str, type], set[str]]] = {
            "/search": (site.search, {"question": str, "budget": int, "most": int}, {"question"}),
            "/document": (site.document, {"number": int}, {"number"}),
            "/section": (site.section, {"number": int, "section": int}, {"number", "section"}),
            "/sheet": (site.sheet, {"number": int, "page": int}, {"number", "page"}),
        }
        try:
            address = urlsplit(self.path)
            if address.netloc and not _OWN_HOST.fullmatch(address.netloc):  # as a proxy is asked
                raise self._misdirected()
            if address.path == "/":
                return None
            if address.path not in routes:
                raise _RefusedError(HTTPStatus.NOT_FOUND, "there is no such page")
            answer, known, needed = routes[address.path]
            pairs = parse_qsl(address.query, keep_blank_values=True, errors="strict", max_num_fields=10)
            given = dict(pairs)
            if len(given) < len(pairs) or not needed <= given.keys() <= known.keys():
                names = f"{', '.join(known)}, each once, and needs {', '.join(sorted(needed))}"
                raise ValueError(f"{address.path} takes {names}")
            return partial(answer, **{name: _read_value(name, value, known[name]) for name, value in given.items()})
        except ValueError as error:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from error

    def _write_json(self, status: HTTPStatus, answer: dict[str, Any], more: dict[str, str] | None = None) -> None:
        self._write(status, "application/json", json.dumps(answer, allow_nan=False).encode(), more)

    def _write(self, status: HTTPStatus, kind: str, body: bytes, more: dict[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **_HEADERS, **(more or {})}.items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """What is no request of HTTP, or has another method, is answered as every error is."""
        self.close_connection = True
        self._write_json(HTTPStatus(code), {"error": message or HTTPStatus(code).phrase})

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing: questions stay with who asks."""


def _read_value(name: str, value: str, kind: type) -> str | int:
    if kind is str:
        return value
    if not re.fullmatch(r"[0-9]{1,9}", value):
        raise ValueError(f"{name} must be a whole number, got {value!r:.40}")
    return int(value)
