from __future__ import annotations

from html.parser import HTMLParser

import pytest
from web_demo import EVIL, OWN_SECRET, SECRET

PAGES = [
    "/",
    "/search",
    "/search?q=backoff&explain=1",
    "/search?q=%3Cscript%3Ealert(1)%3C/script%3E",
    "/cards",
    "/cards/{first}",
    "/cards/{second}",
    "/tasks",
    "/tasks?status=pending&project=core",
    "/tasks/{task}",
    "/tasks/{epic}",
    "/memory",
    "/memory?type=decision",
    "/memory/{memory}",
    "/memory/changes",
    "/workflows",
    "/workflows?status=failed",
    "/workflows/slow",
    "/code",
    "/code/file?path=app.py",
    "/code/symbol?name=wait",
    "/code/symbol?name=extra",
    "/code/diff?base=main&head=feature",
    "/documents",
    "/document?path=docs/guide.md",
    "/document?path=app.py",
]


class Elements(HTMLParser):
    """What a browser would take as markup."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs


@pytest.mark.parametrize("path", PAGES)
def test_every_page_shows_hostile_text_as_text(demo, client, path):
    answer = client.get(path.format(**demo.ids))
    assert answer.status_code == 200, answer.text
    page = Elements()
    page.feed(answer.text)
    assert page.tags.count("script") == 1
    assert "img" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "style"]
    assert not [
        v for n, v in page.attributes if n == "href" and v and v.strip().lower().startswith("javascript")
    ]
    assert SECRET not in answer.text and OWN_SECRET not in answer.text


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/nowhere", 404),
        ("/cards/zzzzzz", 404),
        ("/cards/..%2f..%2fetc", 404),
        ("/tasks/none", 404),
        ("/memory/memory:none", 404),
        ("/memory?type=poem", 400),
        ("/tasks?status=poem", 400),
        ("/workflows/none", 404),
        ("/workflows/runs/none", 404),
        ("/code/file?path=../secret.py", 400),
        ("/code/file?path=none.py", 404),
        ("/code/symbol?name=wait&line=²", 400),
        ("/code/symbol?name=nothing_has_this_name", 404),
        ("/code/diff?base=none", 404),
        ("/document", 400),
        ("/document?path=../../etc/passwd", 400),
        ("/document?path=.cuedeck/state.db", 400),
        ("/document?path=.git/config", 400),
        ("/document?path=a%00b.md", 404),
        ("/static/../app.py", 404),
        ("/memory?page=99999999999999999999", 200),
        ("/memory?page=" + "9" * 5000, 200),
        ("/documents?page=-1&folder=../..", 400),
    ],
)
def test_what_cannot_be_shown_is_said_on_a_page(client, path, status):
    answer = client.get(path)
    assert answer.status_code == status, answer.text
    assert "Internal error" not in answer.text


def test_the_overview_tells_who_works_on_what(demo, client):
    page = client.get("/").text
    assert "healthy" in page
    assert "A task" in page and "agent &lt;img" in page and "ends" in page
    assert "First card" in page and "Memory" in page


def test_search_finds_in_every_kind(demo, client):
    page = client.get("/search?q=backoff").text
    assert "docs/setup.md" in page and "Use backoff always" in page
    assert "app::extra" in client.get("/search?q=extra").text
    assert f"/cards/{demo.ids['second']}" in client.get("/search?q=Second+card").text


def test_why_a_result_was_ranked_is_told_on_demand(client):
    assert "keyword" not in client.get("/search?q=backoff").text
    assert "keyword" in client.get("/search?q=backoff&explain=1").text
    assert "definition_boost" in client.get("/search?q=extra&explain=1").text


def test_links_of_a_document_lead_into_the_dashboard(client):
    page = client.get("/document?path=docs/guide.md").text
    assert 'href="/document?path=docs%2Fsetup.md#second-part"' in page
    assert 'href="https://example.org/"' in page
    assert "[MASKED:aws-access-key]" in page
    assert '<h2 id="second-part">' in client.get("/document?path=docs/setup.md").text


def test_a_symbol_shows_who_calls_it_and_refs_what_they_differ_in(client):
    assert "return wait()" in client.get("/code/symbol?name=wait").text
    difference = client.get("/code/diff?base=main&head=feature").text
    assert "app::extra" in difference and "added" in difference


def test_a_symbol_shows_apart_what_is_likely_and_what_shares_its_name(client):
    page = client.get("/code/symbol?name=tick_once").text
    likely, same = page.index("Likely by convention (1)"), page.index("Same name, not resolved (1)")
    assert likely < page.index(">clock.tick_once()<") < same < page.index(">other.tick_once()<")


def test_a_memory_is_drawn_with_its_links_and_not_counted_as_read(demo, client):
    page = client.get(f"/memory/{demo.ids['memory']}").text
    assert "<svg" in page and "Use backoff always" in page
    assert demo.workspace.memory.peek(demo.ids["memory"])[1].count == 0
    assert "insert" in client.get("/memory/changes").text


def test_the_feed_names_what_somebody_changed_and_nothing_that_follows_from_it(demo, client):
    demo.workspace.memory.update(demo.ids["memory"], {"confidence": 0.5}, actor="test")
    page = client.get("/memory/changes").text
    assert ">confidence</td>" in page
    assert "updated_at" not in page and "duplicate_key" not in page


def test_a_card_that_is_not_moved_to_a_status_is_refused(demo, client):
    answer = client.post(f"/cards/{demo.ids['second']}/move", data={"status": EVIL})
    assert answer.status_code == 400
    assert EVIL not in answer.text


def test_tasks_are_released_and_completed(demo, client):
    at = f"/tasks/{demo.ids['task']}"
    assert client.post(f"{at}/release").headers["location"] == at
    assert demo.workspace.agent_tasks.get(demo.ids["task"]).status == "pending"
    demo.workspace.agent_tasks.claim("somebody")
    assert client.post(f"{at}/complete").status_code == 303
    assert demo.workspace.agent_tasks.get(demo.ids["task"]).status == "done"
    assert "50%" in client.get("/tasks").text


@pytest.mark.parametrize("text", ["[1]", "nonsense", '"x"', "[" * 50_000])
def test_a_workflow_takes_only_an_object(client, text):
    answer = client.post("/workflows/slow/run", data={"input": text})
    assert answer.status_code == 400
    assert "JSON object" in answer.text
