"""A real browser: what a person sees, does, and is protected from."""

from __future__ import annotations

import http.server
import os
import shutil
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from web_demo import TOKEN

CHROMIUM = (
    os.environ.get("CUEDECK_TEST_CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
if not CHROMIUM:
    pytest.skip(
        "no chromium: apt-get install chromium, or CUEDECK_TEST_CHROMIUM=PATH", allow_module_level=True
    )

SECTIONS = [
    "/",
    "/search?q=backoff&explain=1",
    "/cards",
    "/tasks",
    "/memory",
    "/workflows",
    "/code",
    "/documents",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        # Inside a container there is no sandbox to be had; names below .test lead to this machine.
        arguments = ["--no-sandbox", "--host-resolver-rules=MAP *.test 127.0.0.1"]
        opened = started.chromium.launch(executable_path=CHROMIUM, args=arguments)
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def context(demo: Any, browser: Any) -> Iterator[Any]:
    entered = browser.new_context(viewport={"width": 1280, "height": 900})
    entered.set_default_timeout(15_000)
    page = entered.new_page()
    page.goto(f"{demo.address}/?token={TOKEN}")
    assert page.url == demo.address + "/"
    page.close()
    yield entered
    entered.close()


@pytest.fixture
def page(context: Any) -> Iterator[Any]:
    opened = context.new_page()
    said: list[str] = []
    opened.on("console", lambda message: said.append(message.text))
    opened.on("pageerror", lambda error: said.append(str(error)))
    yield opened
    opened.close()
    assert said == []


def test_pages_load_without_a_complaint_and_fit_a_screen_and_a_phone(demo, page):
    for path in [*SECTIONS, f"/memory/{demo.ids['memory']}", "/document?path=docs/guide.md"]:
        page.goto(demo.address + path)
        for width in (1280, 390):
            page.set_viewport_size({"width": width, "height": 844})
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), (path, width)
        assert page.title() != "owned"
        assert page.locator("main img, main script").count() == 0


def test_the_keyboard_is_enough_to_search(demo, page):
    page.goto(demo.address + "/")
    page.keyboard.press("/")
    page.keyboard.type("backoff")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search?q=backoff")
    page.get_by_role("link", name="docs/setup.md").click()
    page.wait_for_selector("article h2#second-part")
    page.keyboard.press("g")
    page.keyboard.press("c")
    page.wait_for_url("**/cards")


def test_a_card_moves(demo, page):
    page.goto(demo.address + "/cards")
    tile = page.locator(f"#card-{demo.ids['second']}")
    tile.get_by_role("button", name="→ active").click()
    page.wait_for_selector(f"section[data-status=active] #card-{demo.ids['second']}")
    assert demo.workspace.cards.get(demo.ids["second"]).status == "active"


def test_a_page_follows_what_agents_do(demo, page):
    page.goto(demo.address + "/tasks")
    page.wait_for_selector("text=Next task")
    from cuedeck.tasks.agent_task import TaskDraft

    page.wait_for_timeout(1000)
    demo.workspace.agent_tasks.create(TaskDraft("core", "Appeared meanwhile"))
    page.wait_for_selector("text=Appeared meanwhile")


def test_a_workflow_runs_with_live_progress(demo, page):
    page.goto(demo.address + "/workflows/slow")
    page.get_by_label("Input as JSON").fill('{"note": "<b>x</b>"}')
    page.get_by_role("button", name="Run").click()
    page.wait_for_url("**/workflows/runs/**")
    page.wait_for_selector("dd .badge:text('running')")
    page.wait_for_selector("td:text('first step')")
    page.wait_for_selector("text=40%")
    demo.gate.go_on.set()
    page.wait_for_selector("dd .badge:text('completed')")
    page.wait_for_selector("td:text('second step')")
    demo.gate.go_on.clear()


def test_a_run_is_cancelled(demo, page):
    page.goto(demo.address + "/workflows/slow")
    page.get_by_role("button", name="Run").click()
    page.wait_for_selector("dd .badge:text('running')")
    page.get_by_role("button", name="Cancel this run").click()
    page.wait_for_selector("dd .badge:text('cancelled')")


def test_without_a_token_and_under_a_foreign_name_nothing_is_shown(demo, browser):
    stranger = browser.new_context()
    page = stranger.new_page()
    assert page.goto(demo.address + "/cards").status == 401
    rebound = demo.address.replace("127.0.0.1", "evil.test")
    assert page.goto(f"{rebound}/?token={TOKEN}").status == 421
    stranger.close()


def test_a_page_of_another_local_port_changes_nothing(demo, context):
    """The browser sends it our cookie, because cookies ignore ports; the origin gives it away."""
    target = f"{demo.address}/cards/{demo.ids['first']}/move"
    form = f'<form method=post action="{target}"><input name=status value=archived></form>'
    form += "<script>document.forms[0].submit()</script>"

    class Attack(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(form.encode())

        def log_message(self, *_words: object) -> None:
            """Quiet."""

    server = http.server.HTTPServer(("127.0.0.1", 0), Attack)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    page = context.new_page()
    with page.expect_response(lambda answer: answer.url == target) as answer:
        page.goto(f"http://127.0.0.1:{server.server_port}/")
    assert answer.value.status == 403
    assert demo.workspace.cards.get(demo.ids["first"]).status == "active"
    page.close()
    server.shutdown()
