import http.client
import json
import threading

import pytest

from emomem.inspection.server import HOST, InspectionServer, RefusedError

PRIVATE = "nobody may read this"


class Fake:
    def __init__(self):
        self.doomed = []

    def view(self):
        return {"memories": [PRIVATE]}

    def search(self, asked):
        if asked.query == "break":
            raise ValueError(PRIVATE)
        if asked.query == "refuse":
            raise RefusedError(asked.query)
        return {"asked": asked.model_dump()}

    def forget(self, ids):
        self.doomed.append(ids)
        return {"units": 1, "operations": 0}


@pytest.fixture
def server():
    with InspectionServer(Fake()) as running:
        thread = threading.Thread(target=running.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield running
        running.shutdown()
        thread.join()


@pytest.fixture
def ask(server):
    def ask(path, body=None, method="POST", **headers):
        connection = http.client.HTTPConnection(HOST, server.server_port, timeout=10)
        own = {"Authorization": f"Bearer {server.token}", **headers}
        given = {name: value for name, value in own.items() if value is not None}
        data = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        connection.request(method, path, body=data, headers=given)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer, text

    return ask


def test_the_page_holds_no_memory_and_no_token(server, ask):
    answer, text = ask("/", method="GET", Authorization=None)
    assert answer.status == 200
    assert PRIVATE not in text
    assert server.token not in text
    assert server.url == f"http://{HOST}:{server.server_port}/#{server.token}"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_with_the_token_it_shows_searches_and_forgets(server, ask):
    assert json.loads(ask("/api/view", {})[1]) == {"memories": [PRIVATE]}
    asked = {"query": "a", "feeling": "joy", "policy": "comfort", "k": 3}
    assert json.loads(ask("/api/search", asked)[1]) == {"asked": asked}
    assert json.loads(ask("/api/forget", {"ids": ["1"]})[1]) == {"units": 1, "operations": 0}
    ask("/api/forget", {"ids": None})
    assert server.inspected.doomed == [("1",), None]


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": None},
        {"Authorization": "Bearer wrong"},
        {"Authorization": "Bearer "},
        {"Host": "evil.example"},
        {"Host": f"{HOST}.evil.example"},
    ],
)
@pytest.mark.parametrize("path", ["/api/view", "/api/forget"])
def test_without_the_token_or_by_another_name_nothing_is_told_or_done(server, ask, headers, path):
    answer, text = ask(path, {"ids": None}, **headers)
    assert answer.status == 403
    assert PRIVATE not in text
    assert not server.inspected.doomed


def test_by_another_name_not_even_the_page_is_served(ask):
    assert ask("/", method="GET", Host="evil.example")[0].status == 403


@pytest.mark.parametrize(
    ("path", "body", "answer"),
    [
        ("/api/search", {"query": " "}, (400, "query: it must hold some text")),
        ("/api/search", {"query": "a" * 4001}, (400, "query")),
        ("/api/search", {"query": "a", "k": 0}, (400, "k: ")),
        ("/api/search", {"query": "a", "feeling": "blue"}, (400, "feeling must be one of")),
        ("/api/search", {"query": "a", "policy": "best"}, (400, "policy must be one of")),
        ("/api/search", {"query": "a", "user": "bob"}, (400, "user")),
        ("/api/search", b"no json", (400, "Invalid JSON")),
        ("/api/forget", {}, (400, "ids")),
        ("/api/forget", {"ids": []}, (400, "ids")),
        ("/api/forget", {"ids": "1"}, (400, "ids")),
        ("/api/nothing", {}, (404, "nothing here")),
        ("/api/search", {"query": "break"}, (500, "it failed with ValueError")),
        ("/api/search", {"query": "refuse"}, (409, "refuse")),
    ],
)
def test_what_is_wrong_is_told_and_never_a_memory(server, ask, path, body, answer):
    found, text = ask(path, body)
    status, says = answer
    assert found.status == status
    assert says in json.loads(text)["error"]
    assert PRIVATE not in text
    assert not server.inspected.doomed


def test_a_request_that_is_too_large_is_not_read(ask):
    assert ask("/api/search", None, **{"Content-Length": "1000001"})[0].status == 400


def test_another_path_and_another_method_get_nothing(ask):
    assert ask("/etc/passwd", method="GET")[0].status == 404
    assert ask("/api/view", method="GET")[0].status == 404
    assert ask("/api/view", method="DELETE")[0].status == 501


def test_it_listens_on_this_machine_alone(server):
    assert server.server_address[0] == "127.0.0.1"


def test_every_start_has_another_token(server):
    with InspectionServer(Fake()) as other:
        assert other.token != server.token
