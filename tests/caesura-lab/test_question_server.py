"""The server of `serve` at the wire: what it answers, what it refuses, and that many may ask at once."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPResponse
from typing import Any
from urllib.parse import urlencode

import pytest
from fakes.lab import BREAD, TIDE

from caesura import EmbeddingError
from caesura_lab.question_server import QuestionServer
from caesura_lab.question_site import QuestionSite

pytestmark = pytest.mark.enable_socket
EVIL = "</script><script>alert(1)</script>\n\x1b[2J The ferry is late \u202e today.\0"


@pytest.fixture(scope="module")
def site() -> QuestionSite:
    return QuestionSite({"bread.md": BREAD, "tide.txt": TIDE, "<b>evil</b>.md": EVIL})


@pytest.fixture
def server(site: QuestionSite) -> Iterator[QuestionServer]:
    with QuestionServer(site) as own:
        thread = threading.Thread(target=own.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield own
        own.shutdown()
        thread.join()


def request(
    server: QuestionServer, path: str, headers: dict[str, str] | None = None, method: str = "GET"
) -> tuple[HTTPResponse, bytes]:
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    try:
        connection.request(method, path, headers=headers or {})
        response = connection.getresponse()
        return response, response.read()
    finally:
        connection.close()


def get(server: QuestionServer, path: str, **values: object) -> tuple[int, Any]:
    response, body = request(server, f"{path}?{urlencode(values)}")
    return response.status, json.loads(body)


def send(server: QuestionServer, data: bytes) -> bytes:
    """Bytes as they are to the server -> all that comes back until it hangs up."""
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as connection:
        connection.sendall(data)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65536), b""))


def test_it_listens_on_this_machine_alone(server: QuestionServer) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert server.url == f"http://127.0.0.1:{server.server_port}/"


def test_the_page_comes_with_the_rules_of_what_it_may_do(server: QuestionServer) -> None:
    response, body = request(server, "/?question=anything")
    assert response.status == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert response.headers["Cache-Control"] == "no-store"
    assert "Access-Control-Allow-Origin" not in response.headers
    assert body.decode() == server.site.html()


def test_an_answer_is_that_of_the_site_every_time(server: QuestionServer) -> None:
    question = "What makes dough rise? 北京 🌍 & = + %"
    wanted = json.loads(json.dumps(server.site.search(question, 100, 2)))
    for _ in range(3):
        status, answer = get(server, "/search", question=question, budget=100, most=2)
        assert (status, answer["passages"], answer["found"]) == (200, wanted["passages"], wanted["found"])


def test_markup_and_control_characters_of_a_document_are_text_in_json(server: QuestionServer) -> None:
    response, body = request(server, f"/search?{urlencode({'question': 'Is the ferry late?'})}")
    assert response.headers["Content-Type"] == "application/json"
    assert body.isascii()
    passage = next(one for one in json.loads(body)["passages"] if one["document"] == 2)
    assert "␛[2J" in passage["text"]
    assert "\x1b" not in passage["text"]
    assert get(server, "/section", number=2, section=0)[1]["text"] == EVIL.replace("\x1b", "␛").replace("\0", "␀")
    assert b"<b>evil" not in request(server, "/")[1]


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("/search", 400, "/search takes question, budget, most"),
        ("/search?question=", 400, "not blank"),
        ("/search?question=a&question=b", 400, "each once"),
        ("/search?question=a&k=1", 400, "/search takes"),
        ("/search?question=a&budget=", 400, "budget must be a whole number, got ''"),
        ("/search?question=a&budget=-1", 400, "budget must be a whole number"),
        ("/search?question=a&budget=1e9", 400, "budget must be a whole number"),
        ("/search?question=a&budget=%D9%A3", 400, "budget must be a whole number"),
        ("/search?question=a&budget=0", 400, "budget must be"),
        ("/search?question=a&most=999999999", 400, "at most 200000 characters and 100 passages"),
        ("/search?question=%FF", 400, "codec can't decode"),
        (f"/search?question={'a' * 10_001}", 400, "at most 10000 characters"),
        (f"/search?{'&' * 50}", 400, "Max number of fields exceeded"),
        ("/section?number=0&section=9", 404, "there is no section 9 of document 0"),
        ("/section?number=9&section=0", 404, "there is no section 0 of document 9"),
        ("/document?number=9", 404, "there is no document 9"),
        ("/sheet?number=0&page=1", 404, "there is no page 1 of document 0"),
        ("/search/", 404, "there is no such page"),
        ("/bread.md", 404, "there is no such page"),
        ("/../../../../etc/passwd", 404, "there is no such page"),
        ("/..%2f..%2fetc%2fpasswd", 404, "there is no such page"),
        ("//127.0.0.1/etc/passwd", 404, "there is no such page"),
        ("/section?number=../../etc/passwd&section=0", 400, "number must be a whole number"),
    ],
)
def test_what_is_asked_wrongly_is_refused_with_the_reason(
    server: QuestionServer, path: str, status: int, said: str
) -> None:
    response, body = request(server, path)
    assert response.status == status
    assert said in json.loads(body)["error"]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:1234", "LOCALHOST", "[::1]:80"])
def test_any_name_of_this_machine_may_be_used(server: QuestionServer, host: str) -> None:
    assert request(server, "/", {"Host": host})[0].status == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "evil.example:80", "", "localhost@evil.example", "127.0.0.1:x"]
)
def test_a_name_that_somebody_points_here_is_refused(server: QuestionServer, host: str) -> None:
    for path in ("/", "/search?question=dough"):
        response, body = request(server, path, {"Host": host})
        assert response.status == 421
        assert json.loads(body) == {"error": f"open {server.url}, by no other name"}


def test_a_request_has_one_host(server: QuestionServer) -> None:
    for hosts in (b"", b"Host: localhost\r\nHost: evil.example\r\n"):
        assert send(server, b"GET / HTTP/1.1\r\n" + hosts + b"\r\n").startswith(b"HTTP/1.1 421 ")
    for target, status in (
        (b"http://evil.example/", b"421"),
        (b"http://localhost/", b"200"),
    ):
        assert send(server, b"GET " + target + b" HTTP/1.1\r\nHost: localhost\r\n\r\n").startswith(
            b"HTTP/1.1 " + status
        )


def test_another_site_may_lead_here_but_not_ask(server: QuestionServer) -> None:
    path = "/search?question=dough"
    cross = {"Sec-Fetch-Site": "cross-site"}
    assert request(server, path, {**cross, "Sec-Fetch-Mode": "no-cors"})[0].status == 403
    assert request(server, "/", {**cross, "Sec-Fetch-Mode": "navigate"})[0].status == 200
    assert request(server, path, {"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"})[0].status == 200


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"])
def test_only_get_is_answered(server: QuestionServer, method: str) -> None:
    response, body = request(server, "/", method=method)
    assert (response.status, response.headers["Allow"]) == (405, "GET")
    assert body == (b"" if method == "HEAD" else b'{"error": "only GET is answered"}')


@pytest.mark.parametrize(
    "data", [b"BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n", b"\x16\x03\x01\r\n\r\n", b"GET <b>\r\n"]
)
def test_what_is_no_request_gets_no_markup(server: QuestionServer, data: bytes) -> None:
    said = send(server, data)
    assert b"<html" not in said.lower()
    assert b'{"error": "' in said


@pytest.mark.parametrize("before", [b"", b"Content-Length: 0\r\n"])
def test_a_body_is_not_taken_for_the_next_request(server: QuestionServer, before: bytes) -> None:
    inner = b"GET /bread.md HTTP/1.1\r\nHost: localhost\r\n\r\n"
    size = b"Content-Length: %d\r\n\r\n" % len(inner)
    said = send(server, b"GET / HTTP/1.1\r\nHost: localhost\r\n" + before + size + inner)
    assert said.count(b"HTTP/1.1 ") == 1


def test_one_connection_takes_several_questions(server: QuestionServer) -> None:
    connection = HTTPConnection("127.0.0.1", server.server_port, timeout=30)
    for question in ("dough", "tides", "dough"):
        connection.request("GET", f"/search?question={question}")
        assert connection.getresponse().read().startswith(b'{"passages": [')
        assert connection.sock is not None
    connection.close()


def test_many_ask_at_once_and_each_gets_the_answer_to_its_own(server: QuestionServer) -> None:
    questions = ["What makes dough rise?", "Why are there tides?", "Is the ferry late?"] * 12
    wanted = {one: json.loads(json.dumps(server.site.search(one, 200)))["passages"] for one in set(questions)}
    with ThreadPoolExecutor(12) as pool:
        answers = pool.map(lambda one: get(server, "/search", question=one, budget=200), questions)
        assert [answer["passages"] for _, answer in answers] == [wanted[one] for one in questions]


def test_nothing_is_logged(server: QuestionServer, capfd: pytest.CaptureFixture[str]) -> None:
    get(server, "/search", question="a secret")
    request(server, "/nothing")
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (EmbeddingError("the model does not answer"), 502, "the model does not answer"),
        (ZeroDivisionError("oh"), 500, "ZeroDivisionError: oh"),
    ],
)
def test_an_error_of_the_search_is_told_and_the_server_goes_on(
    server: QuestionServer, monkeypatch: pytest.MonkeyPatch, error: Exception, status: int, said: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(server.site.index, "find", fail)
        assert get(server, "/search", question="dough") == (status, {"error": said})
    assert get(server, "/search", question="dough")[0] == 200
