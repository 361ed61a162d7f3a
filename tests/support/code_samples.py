"""A source in every language, and some names that it defines."""

from __future__ import annotations

SAMPLES = {
    "a.py": (
        "class A(B):\n    x = 1\n    def f(self): self.y = 2\nK = 3\n",
        "class A, field A::x, method A::f, field A::y, const K",
    ),
    "a.js": (
        "class A { #p = 1; m() {} }\nconst f = () => 1;\nexports.g = function() {}\n",
        "class A, field A::#p, method A::m, fn f, fn g",
    ),
    "a.ts": (
        "export interface I { m(): void; p: number }\nenum E { X, Y = 2 }\ntype T = I;\n"
        "namespace N { export const v = 1 }\n",
        "interface I, method I::m, field I::p, enum E, enum_member E::X, enum_member E::Y, type T, "
        "namespace N, variable N::v",
    ),
    "a.tsx": ("const C = (p: P) => <B a={p.x}/>;\n", "fn C"),
    "a.c": (
        "#define M 1\nstruct S { int a; };\nint f(struct S *s) { return s->a; }\ntypedef int I;\n",
        "macro M, struct S, field S::a, fn f, type I",
    ),
    "a.cpp": (
        "namespace n { class C { void m(); }; }\nvoid n::C::m() {}\n",
        "namespace n, class n::C, method n::C::m, method n::C::m",
    ),
    "a.rs": (
        "pub struct S { a: u8 }\nimpl S { fn m(&self) {} }\ntrait T { fn q(); }\nenum E { V }\n",
        "struct S, field S::a, method S::m, trait T, method T::q, enum E, enum_member E::V",
    ),
    "a.go": (
        "package p\ntype S struct { A int }\nfunc (s *S) M() {}\nfunc F() {}\nconst K = 1\n",
        "struct S, field S::A, method S::M, fn F, const K",
    ),
    "A.cs": (
        "namespace N { class A : B { int x; string P { get; } void M() {} } }\n",
        "class N::A, field N::A::x, property N::A::P, method N::A::M",
    ),
    "a.lua": (
        "function M.f() end\nfunction M:g() end\nlocal function h() end\n",
        "fn M::f, method M::g, fn h",
    ),
    "a.sh": ("X=1\nf() { g; }\nfunction h { f; }\n", "variable X, fn f, fn h"),
    "A.java": (
        "class A<T> extends B { int x; A() {} void m() {} enum K { V } }\n",
        "class A, field A::x, method A::A, method A::m, enum A::K, enum_member A::K::V",
    ),
    "a.rb": (
        "module M\n class A < B\n  K = 1\n  def m; @x = 1; end\n end\nend\n",
        "namespace M, class M::A, const M::A::K, method M::A::m, field M::A::@x",
    ),
    "a.php": (
        "<?php class A { const K = 1; public int $x; function m() {} }\nfunction f() {}\n",
        "class A, const A::K, field A::x, method A::m, fn f",
    ),
    "a.kt": (
        "class A(val x: Int) {\n fun m() {}\n}\nfun top() = 1\ninterface I\n",
        "class A, field A::x, method A::m, fn top, interface I",
    ),
    "a.swift": (
        "struct S { var x = 1; func m() {} }\nextension S { func e() {} }\nprotocol P {}\n",
        "struct S, field S::x, method S::m, method S::e, interface P",
    ),
    "a.vue": (
        "<p @click='save' />\n<script setup>\nconst x = 1\nfunction save() {}\n</script>\n",
        "variable x, fn save",
    ),
    "a.svelte": (
        "<script>\nexport let x = 1\nconst save = () => {}\n</script>\n<p on:click={save}>{x}</p>\n",
        "variable x, fn save",
    ),
}
