"""References in Vue and Svelte components."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cuedeck.code.languages.components import svelte, vue

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_scripts_and_templates_of_vue(project: Project) -> None:
    written = project(
        """
        === src/format.ts
        export function money(n: number) { return n } // <def money>
        export interface Row { price: number } // <def price>
        === src/Cell.vue
        <script setup lang="ts" generic="T extends Record<string, number>">
        defineProps<{ value: number }>()
        </script>
        <template><b>{{ value }}</b></template>
        === src/Table.vue
        <template>
          <Cell v-for="(row, at) in rows" :key="at" :value="money(row.price)" @click="chosen = row; save()" />
          <p :class="{ open: isOpen, 'is-money': money }">money</p> <!-- <money> <isOpen> -->
          <p>{{ rows.length }}</p> <!-- <rows> -->
        </template>
        <script setup lang="ts">
        import Cell from './Cell.vue'
        import { money, type Row } from './format' // <money>
        const rows: Row[] = [] // <def rows>
        const isOpen = true // <def isOpen>
        let chosen: Row | undefined // <def chosen>
        function save() { return money(rows[0].price) } // <def save> <money> <rows> <price>
        </script>
        <style>.money { color: red }</style>
        """
    )
    [loop] = [("src/Table.vue", 2)]
    for name in ("money", "rows", "isOpen", "chosen", "save", "price"):
        [(path, line)] = written.marked(f"def {name}")
        used = written.referring(path, line, name) - {(path, line)}
        assert used - {loop} == written.marked(name) - {(path, line)}, name
        assert (loop in used) == (name in ("money", "rows", "chosen", "save")), name


def test_scripts_and_markup_of_svelte(project: Project) -> None:
    written = project(
        """
        === src/stores.ts
        export const user = { name: '' } // <def user>
        export function tooltip(node: Element) {} // <def tooltip>
        === src/App.svelte
        <script context="module">
          export const limit = 3 // <def limit>
        </script>
        <script lang="ts">
          import { user, tooltip } from './stores' // <user> <tooltip>
          import Item from './Item.svelte'
          let items = [{ label: '' }] // <def items>
          let state = $state(1) // <def state>
          function pick(given: { label: string }) { return $user.name } // <def pick> <user>
        </script>
        {#if items.length > limit}<!-- <items> <limit> -->
          {#each items as item (item.label)}<!-- <items> -->
            <Item {...item} on:click={() => pick({ label: `{}` })} /><!-- <pick> -->
          {:else}
            <p use:tooltip>{$user.name}</p><!-- <tooltip> <user> -->
          {/each}
        {/if}
        === src/Item.svelte
        <p>item</p>
        """
    )
    for name in ("user", "tooltip", "limit", "items", "pick", "state"):
        written.check(name)


def test_an_imported_component_is_its_file(project: Project) -> None:
    written = project(
        """
        === src/Cell.vue
        <template><b /></template>
        === src/Table.vue
        <script setup>
        import Cell from './Cell.vue'
        </script>
        <template><Cell /></template>
        """
    )
    links = written.links("src/Table.vue")
    for site in links.sites.get(links.string_numbers["Cell"]):
        assert [t.path for t in written.linker.targets("src/Table.vue", site)] == ["src/Cell.vue"]


@pytest.mark.parametrize("rewrite", [vue, svelte])
def test_what_is_rewritten_keeps_its_length_and_lines(rewrite: Callable[[bytes], bytes]) -> None:
    for source in (b"", b"<script>", b"<script", b"{{", b"{", b"<A", b'<p :a="', b"{#each", b"\r\n{a}\n<B/>"):
        made = rewrite(source)
        assert [len(line) for line in made.splitlines()] == [len(line) for line in source.splitlines()]
