"""What TypeScript declares for a whole project."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_global_declarations(project: Project) -> None:
    written = project(
        """
        === globals.d.ts
        declare const VERSION: string // <def VERSION>
        === augment.ts
        export {}
        declare global { interface Shared { id: number } } // <def id>
        === use.ts
        export const shown = VERSION // <VERSION>
        export function f(s: Shared) { return s.id } // <id>
        """
    )
    written.check("VERSION")
    written.check("id")


def test_a_type_by_import_leaves_a_declaration_file_global(project: Project) -> None:
    written = project(
        """
        === shown.ts
        export class Shown {}
        === globals.d.ts
        interface Layout { shown: import('./shown').Shown; size: number } // <def Layout> <def size>
        === own.d.ts
        import { Shown } from './shown'
        interface Own { shown: Shown } // <def Own>
        === use.ts
        import './shown'
        export const far = (layout: Layout) => layout.size // <Layout> <size>
        export const foreign = (own: Own) => own
        """
    )
    written.check("Layout")
    written.check("size")
    written.check("Own")
