"""Makes foreign tasks fit: links that lead nowhere or in circles go, long titles are cut, all of it noted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import pairwise

from cuedeck.graph import DependencyGraph, dependency_graph, find_cycle, ordered
from cuedeck.tasks.imports.foreign import ForeignTask, ForeignTasks, Misfit

MAX_TITLE = 200


def plan_import(found: ForeignTasks, *, with_parents: bool) -> ForeignTasks:
    """Tasks that fit together, each after what it needs; a parent waits for its children ``with_parents``."""
    misfits = list(found.misfits)
    tasks = {task.key: _fitting(task, misfits) for task in found.tasks}
    _drop_missing(tasks, misfits)
    _break_cycles(tasks, misfits, with_parents)
    order = ordered(_graph(tasks, with_parents=False))
    return ForeignTasks(found.source, tuple(tasks[key] for key in order), tuple(misfits))


def parents_of(tasks: Collection[ForeignTask]) -> frozenset[str]:
    """The tasks that others belong to."""
    return frozenset(task.parent for task in tasks if task.parent is not None)


def _fitting(task: ForeignTask, misfits: list[Misfit]) -> ForeignTask:
    title = " ".join(_storable(task.title).split()) or task.key
    changed = replace(task, title=title, description=_storable(task.description))
    if len(title) > MAX_TITLE:
        misfits.append(
            Misfit(task.key, f"title of {len(title)} characters; cut, the whole is in the description")
        )
        return replace(
            changed,
            title=title[: MAX_TITLE - 1] + "…",
            description=f"{title}\n\n{changed.description}".strip(),
        )
    return changed


def _storable(text: str) -> str:
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _drop_missing(tasks: dict[str, ForeignTask], misfits: list[Misfit]) -> None:
    for key, task in tasks.items():
        gone = [target for target in task.depends_on if target not in tasks]
        misfits += [Misfit(key, f"depends on {target}, which is not there; dropped") for target in gone]
        kept = tuple(target for target in task.depends_on if target in tasks)
        parent = task.parent
        if parent is not None and parent not in tasks:
            misfits.append(Misfit(key, f"belongs to {parent}, which is not there; dropped"))
            parent = None
        tasks[key] = replace(task, depends_on=kept, parent=parent)


def _break_cycles(tasks: dict[str, ForeignTask], misfits: list[Misfit], with_parents: bool) -> None:
    while cycle := find_cycle(_graph(tasks, with_parents=with_parents)):
        steps = list(pairwise(cycle))
        for key, target in steps:
            if target in tasks[key].depends_on:
                kept = tuple(other for other in tasks[key].depends_on if other != target)
                tasks[key] = replace(tasks[key], depends_on=kept)
                misfits.append(Misfit(key, f"depends on {target} in a circle ({' → '.join(cycle)}); dropped"))
                break
        else:
            child = steps[0][1]
            tasks[child] = replace(tasks[child], parent=None)
            misfits.append(Misfit(child, f"belongs to itself in a circle ({' → '.join(cycle)}); dropped"))


def _graph(tasks: Mapping[str, ForeignTask], *, with_parents: bool) -> DependencyGraph:
    needs = {key: list(task.depends_on) for key, task in tasks.items()}
    if with_parents:
        for key, task in tasks.items():
            if task.parent is not None:
                needs[task.parent].append(key)
    return dependency_graph(needs.items())
