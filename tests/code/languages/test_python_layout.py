"""Which file an import means, in projects of several packages."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_namespace_is_shared_by_what_is_published_apart(project: Project) -> None:
    written = project(
        """
        === parts-core/pyproject.toml
        [project]
        name = "parts-core"
        === parts-core/parts/core/__init__.py
        === parts-core/parts/core/schema.py
        class Node: ...  # <def Node>
        === plugins/parts-store/setup.py
        setup(name="parts-store")
        === plugins/parts-store/parts/store/__init__.py
        from parts.core.schema import Node  # <Node>
        import parts.core.schema
        parts.core.schema.Node()  # <Node>
        from parts import core
        core.schema.Node()  # <Node>
        """
    )
    written.check("Node")


def test_a_package_of_a_namespace_is_not_what_is_installed_by_its_last_name(project: Project) -> None:
    written = project(
        """
        === parts-redis/pyproject.toml
        [project]
        name = "parts-redis"
        === parts-redis/parts/redis/__init__.py
        from parts.redis.base import Redis  # <Redis>
        === parts-redis/parts/redis/base.py
        from redis import Redis as Theirs
        class Redis:  # <def Redis>
            made = Theirs()
        === parts-redis/tests/test_redis.py
        from redis import Redis as Theirs
        from parts.redis import Redis  # <Redis>
        Theirs(), Redis()  # <Redis>
        """
    )
    written.check("Redis")


def test_a_namespace_may_lie_in_src(project: Project) -> None:
    written = project(
        """
        === setup.cfg
        [metadata]
        name = parts.flask
        === src/parts/flask/__init__.py
        import flask
        class Flask(flask.Flask): ...  # <def Flask>
        === tests/test_flask.py
        import flask
        import parts.flask
        flask.Flask()
        parts.flask.Flask()  # <Flask>
        """
    )
    written.check("Flask")


def test_a_folder_that_is_not_published_may_hold_what_imports_begin_with(project: Project) -> None:
    written = project(
        """
        === pyproject.toml
        [project]
        name = "shop"
        === backend/app/__init__.py
        === backend/app/models.py
        class Item: ...  # <def Item>
        === backend/app/main.py
        from app.models import Item  # <Item>
        === tools/app_tools.py
        from app.models import Item  # <Item>
        """
    )
    written.check("Item")


def test_a_package_in_a_folder_of_its_own_name(project: Project) -> None:
    written = project(
        """
        === pyproject.toml
        [project]
        name = "lane"
        === lane/lane/__init__.py
        from .errors import Error as Error  # <Error>
        === lane/lane/errors.py
        class Error(Exception): ...  # <def Error>
        === tests/test_lane.py
        import lane
        lane.Error()  # <Error>
        """
    )
    written.check("Error")


def test_a_folder_that_holds_a_package_of_its_own_name_is_no_namespace(project: Project) -> None:
    written = project(
        """
        === pyproject.toml
        [project]
        name = "crates"
        === crates/manage.py
        === crates/crates/__init__.py
        === crates/crates/models.py
        from tools.scales import weigh  # <weigh>
        weigh()  # <weigh>
        === crates/tools/__init__.py
        === crates/tools/scales.py
        def weigh(): ...  # <def weigh>
        """
    )
    written.check("weigh")


def test_a_file_that_imports_its_own_name_is_not_what_that_name_means(project: Project) -> None:
    written = project(
        """
        === plugins/cache/yaml.py
        import yaml
        def load(text):  # <def load>
            return yaml.load(text)
        === plugins/cache/other.py
        import yaml
        yaml.load("")
        === plugins/callback/dense.py
        import yaml
        yaml.load("")
        === plugins/use.py
        from cache.yaml import load  # <load>
        """
    )
    written.check("load")


def test_the_tests_around_a_file_come_before_those_of_another_package(project: Project) -> None:
    written = project(
        """
        === one/tests/__init__.py
        === one/tests/helpers.py
        def make(): ...  # <def theirs>
        === one/tests/test_one.py
        from tests.helpers import make  # <theirs>
        === two/tests/helpers.py
        def make(): ...  # <def ours>
        === two/tests/unit/test_two.py
        from tests.helpers import make  # <ours>
        make()  # <ours>
        """
    )
    written.check("theirs", "make")
    written.check("ours", "make")


def test_a_package_around_a_file_is_no_place_where_imports_begin(project: Project) -> None:
    written = project(
        """
        === tools/common.py
        def run(): ...  # <def run>
        === app/__init__.py
        === app/common.py
        def run(): ...
        === app/parts/__init__.py
        === app/parts/one.py
        from common import run  # <run>
        """
    )
    written.check("run")


def test_a_package_comes_before_the_module_of_its_name_beside_it(project: Project) -> None:
    written = project(
        """
        === shop.py
        from shop.main import run  # <run>
        run()  # <run>
        === shop/__init__.py
        log = object()  # <def log>
        === shop/main.py
        from . import log  # <log>
        from shop import log as again  # <log>
        import shop
        def run():  # <def run>
            return log, shop.log  # <log>
        === tests/test_run.py
        from shop import log  # <log>
        """
    )
    written.check("run")
    written.check("log")


def test_a_package_may_be_nothing_but_stubs(project: Project) -> None:
    written = project(
        """
        === typings/Base/__init__.pyi
        class Text: ...  # <def Text>
        === typings/Radio/__init__.pyi
        from Base import Text  # <Text>
        import Radio.parts
        from . import parts
        name: Text  # <Text>
        def one() -> Radio.parts.Wheel: ...  # <Wheel>
        def other() -> parts.Wheel: ...  # <Wheel>
        === typings/Radio/parts/__init__.pyi
        class Wheel: ...  # <def Wheel>
        === app/__init__.py
        from Base import Text  # <Text>
        from Radio.parts import Wheel  # <Wheel>
        """
    )
    written.check("Text")
    written.check("Wheel")
