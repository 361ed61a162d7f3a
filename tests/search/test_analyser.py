"""What text becomes in an index and in a query."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor
from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuedeck.search import analyser, normal
from cuedeck.search.analyser import (
    MAX_QUERY_TERMS,
    MAX_TOKEN,
    analyse,
    analyse_bytes,
    query_terms,
    scope_token,
    spaced,
    word_tokens,
)
from cuedeck.search.normal import fold_marks


@pytest.mark.parametrize(
    "spelling", ["parseHttpRequest", "parse_http_request", "ParseHTTPRequest", "parse-http-request"]
)
def test_every_spelling_of_a_name_gives_the_same_tokens(spelling: str) -> None:
    assert analyse(spelling) == ["parsehttprequest", "pars", "http", "request"]


def test_numbers_inside_names_are_parts() -> None:
    assert analyse("sha256sum utf8") == ["sha256sum", "sha", "256", "sum", "utf8", "utf", "8"]
    assert analyse("x1") == ["x1", "1"]


def test_words_are_stemmed() -> None:
    assert analyse("Running runs") == ["run", "run"]
    assert analyse("organization generic generate") == ["organiz", "generic", "generat"]


def test_possessives_and_contractions_lose_their_tail() -> None:
    assert analyse("the user's don't we’ll") == ["the", "user", "don", "we"]
    assert analyse("f'string' 'd'") == ["f", "string", "d"]


def test_accents_widths_and_invisible_characters_do_not_matter() -> None:
    assert analyse("Cafés") == analyse("cafe\u0301s") == analyse("ｃａｆｅｓ") == ["cafe"]
    assert analyse("soft\u00adware") == ["softwar"]
    assert analyse("Straße İstanbul") == ["strass", "istanbul"]


def test_text_without_spaces_is_found_by_any_part_of_it() -> None:
    indexed = set(analyse("東京都の天気 カタカナ 한국어 สวัสดี"))
    for query in ("東京", "天気", "都", "ｶﾀｶﾅ", "한국", "สวัส"):
        assert query_terms(query)
        assert set(query_terms(query)) <= indexed


def test_mixed_scripts_in_one_run_are_separated() -> None:
    assert analyse("Python入門") == ["python", "入", "門", "入門"]


def test_other_scripts_are_words_with_their_marks() -> None:
    assert analyse("Привет мир") == ["привет", "мир"]
    assert analyse("हिन्दी भाषा") == ["हिन्दी", "भाषा"]
    assert analyse("ПриветМир_snake") == ["приветмирsnake", "привет", "мир", "snake"]


def test_a_query_keeps_each_term_once_and_in_order() -> None:
    assert query_terms("cache invalidation of the cache") == ["cach", "invalid"]


def test_words_without_meaning_go_from_a_query_but_never_all() -> None:
    assert query_terms("how does the parser work") == ["parser", "work"]
    assert query_terms("who is it") == ["who", "is", "it"]
    assert "how" in analyse("how does it work")


def test_nothing_searchable_is_no_tokens() -> None:
    for text in ("", " \n\t", "___", "!?-'", "\x00", "\ud800", "🚀"):
        assert analyse(text) == query_terms(text) == []


def test_a_long_query_keeps_what_it_repeats() -> None:
    text = " ".join(f"filler{letter}{n}" for letter in "abcd" for n in range(200)) + " parser" * 3
    terms = query_terms(text)
    assert len(terms) == MAX_QUERY_TERMS
    assert "parser" in terms


@given(st.text(st.characters(), max_size=300))
def test_tokens_are_safe_for_every_engine(text: str) -> None:
    tokens = analyse(text)
    assert tokens == analyse(text)
    for token in tokens:
        assert 0 < len(token) <= MAX_TOKEN
        assert not re.search(r"[\x00-/:-@A-Z\[-`{-\x7f\s]", token)
        token.encode()


@given(st.text(st.characters(), max_size=300))
def test_what_a_query_asks_for_the_same_text_has(text: str) -> None:
    assert set(query_terms(text)) <= set(analyse(text))


LETTERS = st.text(
    st.characters(categories=["L"]) | st.sampled_from("aZéßйאعΩ中ไก한\u02bcﬁ"), min_size=1, max_size=8
)


def _unaccented(word: str) -> bool:
    marked = analyser._LATIN.search(word) or analyser._RUN.search(word)
    return word.isalpha() and not marked and normalize("NFKC", word) == word


@given(st.text("abzABZ", min_size=1, max_size=80) | st.text(st.characters(categories=["L"]), min_size=1))
def test_words_of_one_part_take_a_shorter_way_to_the_same_tokens(word: str) -> None:
    if word.isascii():
        assert list(analyser._letter_tokens(word)) == analyser._word_tokens(word)
    elif _unaccented(word):
        assert list(analyser._unaccented_tokens(word)) == analyser._word_tokens(word)


def test_every_letter_that_is_not_latin_is_its_own_stem() -> None:
    for code in range(0x80, 0x20000):
        letter = chr(code)
        if _unaccented(letter):
            assert list(analyser._unaccented_tokens(letter * 5)) == analyser._word_tokens(letter * 5)


@given(st.text(st.characters(max_codepoint=0x2100) | st.sampled_from("aé\u0301\u02bcǆﬁ²ª"), max_size=8))
def test_accents_are_lost_letter_by_letter_as_in_the_whole(text: str) -> None:
    rewritten = text.translate(normal._REWRITE)
    assert fold_marks(text) == normalize("NFKC", normal._LATIN_ACCENT.sub("", normalize("NFKD", rewritten)))


def test_every_accented_letter_is_folded_as_unicode_takes_it_apart() -> None:
    for code in range(0x80, normal._BEYOND_LATIN):
        if (letter := chr(code)) not in normal.INVISIBLE + normal.APOSTROPHES:
            whole = normalize("NFKC", normal._LATIN_ACCENT.sub("", normalize("NFKD", letter)))
            assert fold_marks(letter) == whole


@given(LETTERS)
def test_letters_take_a_shorter_way_to_the_same_tokens(word: str) -> None:
    parts = analyser._words(analyser._CONTRACTION.sub("", word))
    folded = [analyser._INDEX_TOKENS._folded_tokens(fold_marks(part)) for part in parts]
    assert list(analyser.word_tokens(word)) == [token for tokens in folded for token in tokens]


@given(st.text(st.characters() | st.sampled_from(" -_'\u00a0\u3000\u2028\u2019s"), max_size=300))
def test_the_words_of_spaced_text_have_the_tokens_of_all_of_it(text: str) -> None:
    written = text.encode("utf-8", "replace")
    words = [word.decode() for word in spaced(written).split()]
    assert [token for word in words for token in word_tokens(word)] == analyse(text)
    assert analyse_bytes(written).decode().split() == analyse(text)


HOSTILE = ["a", "aB", "a-", "a_", "_", "-", "'s", "é", "a\u0301", "\u0301", "中", "1a", "aé_"]


@pytest.mark.parametrize("unit", HOSTILE)
def test_a_megabyte_without_a_space_is_harmless(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    started = time.process_time()
    analyse(text)
    assert time.process_time() - started < 5


def test_scope_tokens_are_plain_where_they_can_be() -> None:
    assert scope_token("p", "my_project2") == "p_my_project2"


@pytest.mark.parametrize("value", ["My-Project", "", "_x", "a b", "é", "x" * 100, "\ud800", "p_'; drop"])
def test_other_scope_values_are_hashed_apart(value: str) -> None:
    token = scope_token("p", value)
    assert re.fullmatch(r"p__[0-9a-f]{24}", token)
    assert token == scope_token("p", value) != scope_token("p", value + "!")


def test_scope_values_may_ignore_case() -> None:
    assert scope_token("t", "Bug", fold=True) == scope_token("t", "bug", fold=True) == "t_bug"
    assert scope_token("t", "Bug") != scope_token("t", "bug")
    assert scope_token("t", "É", fold=True) == scope_token("t", "é", fold=True)


def test_folding_a_scope_does_not_confuse_accented_values() -> None:
    assert scope_token("t", "résumé", fold=True) != scope_token("t", "resume", fold=True)


def test_many_threads_get_the_same_tokens() -> None:
    words = [
        f"{stem}{ending}" for stem in ("pars", "index", "cach", "migrat") for ending in ("ing", "ed", "es")
    ]
    texts = [" ".join(f"{word}{number}" for word in words) for number in range(300)]
    expected = [analyse(text) for text in texts]
    analyser._INDEX_TOKENS.clear()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(analyse, texts * 4)) == expected * 4
