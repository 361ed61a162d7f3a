"""TypeScript: what stores of a state hold and give."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_store_gives_its_state_or_what_a_function_takes_out_of_it(project: Project) -> None:
    written = project(
        """
        === stores.ts
        import { create } from 'zustand';
        import { persist } from 'zustand/middleware';
        export interface User { label: string }  // <def label>
        interface Store { user: User; count: number; label: number }  // <def user> <def count>
        export const useOne = create<Store>()((set, get) => ({
          user: { label: '' },  // <user> <label>
          count: get().count,  // <count>
          label: 1,
          bump: () => set((state) => ({ count: state.count })),  // <count>
        }));
        export const useTwo = create<Store>()(persist((set, get) => ({
          count: 0,  // <count>
          load: () => set({ count: get().user.label.length }),  // <count> <user> <label>
        }), { name: 'two' }));
        export const useThree = create<Store>((set) => ({ count: 1 }));  // <count>
        === use.ts
        import { useShallow } from 'zustand/react/shallow';
        import { create } from 'other';
        import { useOne, useThree, useTwo } from './stores';
        const user = useOne((state) => state.user);  // <user>
        user.label;  // <label>
        useTwo().count;  // <count>
        const { count } = useThree();  // <count>
        useOne.getState().count;  // <count>
        useOne.setState({ count: 1 });  // <count>
        useTwo(useShallow((state) => state.user)).label;  // <user> <label>
        create<{ count: number }>()((set) => ({ count: 1 }));
        """
    )
    for name in ("user", "label", "count"):
        written.check(name)


def test_a_store_that_a_function_sets_up_holds_what_that_returns(project: Project) -> None:
    written = project(
        """
        === cart.ts
        import { defineStore } from 'pinia';
        import { ref } from 'vue';
        interface Item { price: number }  // <def price>
        export const useCart = defineStore('cart', () => {
          const rows = ref<Item[]>([]);
          return { rows, clear() {} };  // <def clear>
        });
        === use.ts
        import { useCart } from './cart';
        const cart = useCart();
        cart.clear();  // <clear>
        cart.rows[0].price;  // <price>
        """
    )
    for name in ("price", "clear"):
        written.check(name)
