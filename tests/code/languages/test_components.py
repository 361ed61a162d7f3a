"""References in Vue and Svelte components."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from cuedeck.code.languages.markup import svelte, vue

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
          <Cell v-for="(row, at) in rows || []" :value="money(row.price)" @click="chosen = row; save()" />
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
        assert (loop in used) == (name != "isOpen"), name


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


def test_names_that_a_vue_template_binds(project: Project) -> None:
    written = project(
        """
        === src/rows.ts
        export interface Part { label: string } // <def label>
        export interface Row {
          price: number // <def price>
          parts: Part[] // <def parts>
        }
        === src/List.vue
        <script setup lang="ts">
        import type { Row } from './rows'
        defineProps<{ rows: Row[] }>()
        const label = 1 // <def outer>
        for (const row of [1]) {}
        </script>
        <template>
          <my-list
            v-for="row in rows"
            class="[&>li]:p-2"
            :key="row.price"><!-- <price> -->
            <li v-for="{ label, unknown } of row.parts">{{ label }}</li><!-- <label> <parts> -->
            <img v-for="row in row.parts" :src="row.price"><!-- <parts> -->
            <template #item="{ label }">{{ label.price }}</template>
          </my-list
          >
          <p v-for="label in 3">{{ label }} <!-- <outer> -->
          <p>{{ row.price }}</p>
        </template>
        """
    )
    for name in ("price", "parts", "label"):
        written.check(name)
    written.check("outer", "label")


def test_names_that_svelte_binds(project: Project) -> None:
    written = project(
        """
        === src/rows.ts
        export interface Row {
          price: number // <def price>
          rows: Row[] // <def rows>
        }
        === src/List.svelte
        <script lang="ts">
          import type { Row } from './rows'
          const value = 1 // <def value>
          let { list }: { list: Row[] } = $props()
          async function load(): Promise<Row> { return list[0] }
        </script>
        {#each list as row, at (row.price)}<!-- <price> -->
          {@const value = row.price}<!-- <price> -->
          {value} {at.price}
          {#each row.rows as { price, ...others }}<!-- <price> <rows> -->
            {others.rows} {price}<!-- <rows> -->
          {/each}
        {:else}
          {row.price}
        {/each}
        {#await load() then value}{value.price}{:catch value}{value.price}{/await}
        {#snippet cell(row: Row)}{row.price}{/snippet}<!-- <price> -->
        {@render cell(list[0])}
        {value}<!-- <value> -->
        {#if unclosed}
        """
    )
    for name in ("price", "rows", "value"):
        written.check(name)


def test_references_of_vue_are_unwrapped_by_templates(project: Project) -> None:
    written = project(
        """
        === src/rows.ts
        export interface Row { price: number } // <def price>
        === src/Box.vue
        <script setup lang="ts">
        import { computed, reactive, ref, type Ref } from 'vue'
        import type { Row } from './rows'
        const rows = ref<Row[]>([])
        const first = computed(() => rows.value[0])
        const kept = reactive(first.value)
        function show(given: Ref<Row>) {
          return given.value.price // <price>
        }
        const sum = kept.price + rows.value[1].price // <price>
        </script>
        <template>
          {{ first.price }} <!-- <price> -->
          <p v-for="row in rows">{{ row.price }}</p> <!-- <price> -->
        </template>
        """
    )
    written.check("price")


def test_attributes_are_properties_of_components(project: Project) -> None:
    written = project(
        """
        === src/Icon.vue
        <script setup lang="ts">
        withDefaults(defineProps<{ kind: string, maxSize?: 1 }>(), {}) // <def kind> <def maxSize>
        </script>
        <template>{{ kind }}</template><!-- <kind> -->
        === src/Bar.vue
        <script setup lang="ts">
        import Icon from './Icon.vue'
        </script>
        <template>
          <Icon kind="a" @kind="b" v-kind="c" /><!-- <kind> -->
          <icon :kind="a" />
          <Icon v-model:kind="d" :max-size="2"><p kind="e" /></Icon><!-- <kind> <maxSize> -->
        </template>
        """
    )
    written.check("kind")
    written.check("maxSize")


def test_a_component_is_its_file(project: Project) -> None:
    written = project(
        """
        === src/TableCell.vue
        <template><b /></template>
        === src/Table.vue
        <script setup>
        import TableCell from './TableCell.vue'
        </script>
        <template><TableCell /><table-cell></table-cell></template>
        === src/Page.vue
        <template><table-cell /><Unknown /></template>
        """
    )
    for path, count in (("src/Table.vue", 4), ("src/Page.vue", 1)):
        links = written.links(path)
        sites = links.sites.get(links.string_numbers["TableCell"])
        assert len(sites) == count
        for site in sites:
            assert [t.path for t in written.linker.targets(path, site)] == ["src/TableCell.vue"]


@pytest.mark.parametrize("rewrite", [vue, svelte])
def test_what_is_rewritten_keeps_its_length_and_lines(rewrite: Callable[[bytes], bytes]) -> None:
    for source in (
        b"",
        b"<script>",
        b"<script",
        b"{{",
        b"{",
        b"<A",
        b'<p :a="',
        b"{#each",
        b"\r\n{a}\n<B/>",
        b"{#if a}\n{/if}\n{/if}{:else}",
        b"{\n...a}",
        b'<a v-for="b\nin c"\n/>',
        b'<a #b="c" #d="e" v-for="f in g"></a',
        # Looked at once, however many begin and never end.
        b"{{\n" * 100_000,
        b"<script \n" * 100_000,
    ):
        made = rewrite(source)
        assert [len(line) for line in made.splitlines()] == [len(line) for line in source.splitlines()]


def test_names_that_an_application_of_nuxt_offers_to_all_its_files(project: Project) -> None:
    written = project(
        """
        === nuxt.config.ts
        export default defineNuxtConfig({ imports: { dirs: ['./services/deep', './consts/index.ts'] } })
        === app/composables/users.ts
        export const currentUser = 1  // <def currentUser>
        export function useUser() { return currentUser }  // <def useUser> <currentUser>
        === app/services/deep/mail.ts
        export function sendMail() {}  // <def sendMail>
        === app/services/other.ts
        export function unseen() {}  // <def unseen>
        === shared/types.ts
        export interface Draft { text: string }  // <def Draft>
        === app/plain.ts
        export const mine = 2  // <def mine>
        === app/components/Card.vue
        <script setup lang="ts">
        import type { Draft } from '#shared/types'  // <Draft>
        import { mine } from '~/plain'  // <mine>
        const { title } = defineProps<{ title: string }>()
        const user = useUser()  // <useUser>
        unseen()
        </script>
        <template>
          <b :title="currentUser + title" @click="sendMail">{{ mine }}</b> // <currentUser> <sendMail> <mine>
        </template>
        === app/other.ts
        useUser()  // <useUser>
        === docs/outside.ts
        const currentUser = 3
        currentUser
        """
    )
    for name in ("currentUser", "useUser", "sendMail", "unseen", "Draft", "mine"):
        written.check(name)
