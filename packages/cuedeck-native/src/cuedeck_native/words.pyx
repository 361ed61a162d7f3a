# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The words of a blob's symbols, looked up in its bytes without a copy of any of them.

The reference is ``cuedeck.code.extraction.wording``: the results are the same, word for word and in the same
order. What an identifier says is asked of it, once for each identifier.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_Check, PyTuple_GET_ITEM, PyTuple_GET_SIZE
from cpython.unicode cimport PyUnicode_Compare
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memmove, memset

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object)
    void *PyUnicode_DATA(object)
    Py_ssize_t PyUnicode_GET_LENGTH(object)

cdef enum:
    # The marks of a posting: in which part of a symbol a word stands.
    NAME = 1
    ABOUT = 2
    BODY = 4
    MARK_BITS = 3
    # A symbol's kind and how many words its name has share a byte.
    KIND_BITS = 5
    MANY = 7
    MAX_LENGTH = 255
    # Of so many bytes of identifiers the table is emptied before the next blob.
    MAX_ARENA = 1 << 24
    MAX_SOURCE = 1 << 28
    FIRST_SLOTS = 1 << 12
    # After so many symbols all is emptied, and stamps begin anew.
    MAX_STAMP = 1 << 30
    FEW_STEMS = 3
    SHORT = 32
    # Where a definition has what.
    D_NAME = 0
    D_KIND = 1
    D_PARENT = 2
    D_START = 4
    D_END = 5
    D_DOC_START = 10
    D_DOC_END = 11
    D_CONTENT = 12
    D_WITHIN = 14
    D_FIELDS = 15

# One line of a processor's cache: what is looked up is mostly short and says little.
cdef struct Word:
    uint32_t hash
    uint32_t size
    uint32_t count
    uint32_t first  # in the stems of words, if they are more than fit here
    int32_t stems[FEW_STEMS]
    uint32_t at  # in the arena, if it is longer than fits here
    uint8_t text[SHORT]

cdef struct Stem:
    PyObject *text  # owned by the list of stems
    uint32_t length
    uint32_t symbol  # the stamps of the last symbol, surroundings and blob that held it
    uint32_t about
    uint32_t blob
    uint32_t place  # where in the postings the symbol holds it
    uint32_t number  # among the blob's words

cdef struct Piece:
    int64_t start
    int64_t end
    int64_t next

cdef struct Span:
    int64_t start
    int64_t end
    int64_t doc_start
    int64_t doc_end
    int64_t first  # of its pieces
    int64_t last

cdef struct Open:
    int64_t number
    int64_t end

cdef uint8_t IN_WORD[256]
cdef int _code
for _code in range(256):
    IN_WORD[_code] = _code >= 128 or chr(_code).isalnum() or _code == 95


cdef inline void *_grown(void *held, int64_t count, size_t size) except NULL:
    cdef void *found = realloc(held, <size_t>count * size)
    if found == NULL:
        raise MemoryError
    return found


cdef inline object _field(object definition, Py_ssize_t number):
    """A field of a definition that was seen to have it."""
    return <object>PyTuple_GET_ITEM(definition, number)


cdef inline int64_t _within(int64_t at, int64_t size) noexcept:
    """Where a slice begins or ends."""
    if at < 0:
        at += size
    return 0 if at < 0 else size if at > size else at


cdef inline uint64_t _mixed(uint64_t found) noexcept:
    found ^= found >> 33
    found *= <uint64_t>0xff51afd7ed558ccd
    found ^= found >> 33
    found *= <uint64_t>0xc4ceb9fe1a85ec53
    return found ^ (found >> 33)


cdef inline bint _same(const uint8_t *one, const uint8_t *other, int64_t size) noexcept:
    cdef int64_t k
    for k in range(size):
        if one[k] != other[k]:
            return False
    return True


cdef inline bint _before(Stem *one, Stem *other) noexcept:
    """Whether of two words the first is kept rather than the second."""
    if one.length != other.length:
        return one.length > other.length
    return PyUnicode_Compare(<object>one.text, <object>other.text) < 0


cdef class _Lexicon:
    """What identifiers say, and the room in which one blob at a time is read."""

    cdef object parts, name_words
    cdef dict kinds
    cdef object unhashed
    cdef int64_t max_body, max_doc_words, max_doc, max_words
    cdef uint64_t seed
    cdef uint32_t stamp

    cdef int32_t *slots
    cdef int64_t slot_count
    cdef Word *words
    cdef int64_t word_count, word_room
    cdef uint8_t *arena
    cdef int64_t arena_size, arena_room
    cdef int32_t *said
    cdef int64_t said_count, said_room

    cdef list texts
    cdef dict numbers
    cdef dict names
    cdef Stem *stems
    cdef uint32_t *seen  # the stamp of the last text that held each stem
    cdef int32_t *found
    cdef int32_t *kept
    cdef int64_t stem_count, stem_room, found_count

    cdef Piece *pieces
    cdef int64_t piece_count, piece_room
    cdef Span *spans
    cdef Open *opened
    cdef int64_t span_room

    cdef uint32_t *held
    cdef uint32_t *places
    cdef int64_t held_count, held_room
    cdef uint32_t blob
    cdef list blob_words

    def __init__(self, parts, name_words, dict kinds, unhashed, max_body, max_doc_words, max_doc, max_words):
        self.parts = parts
        self.name_words = name_words
        self.kinds = kinds
        self.unhashed = unhashed
        self.max_body = max_body
        self.max_doc_words = max_doc_words
        self.max_doc = max_doc
        self.max_words = max_words
        # No file can be written so that its identifiers meet in the table.
        self.seed = <uint64_t>(hash(b"words of a blob") & 0xFFFFFFFFFFFFFFF)
        self.texts = []
        self.numbers = {}
        self.names = {}
        self.kept = <int32_t *>_grown(self.kept, max(self.max_body, self.max_doc_words) + 1, sizeof(int32_t))
        self.sized(FIRST_SLOTS)

    def __dealloc__(self):
        free(self.slots)
        free(self.words)
        free(self.arena)
        free(self.said)
        free(self.stems)
        free(self.seen)
        free(self.found)
        free(self.kept)
        free(self.pieces)
        free(self.spans)
        free(self.opened)
        free(self.held)
        free(self.places)

    cdef int sized(self, int64_t count) except -1:
        """Give the table so many slots, and place every word anew."""
        cdef int64_t number, slot, mask = count - 1
        self.slots = <int32_t *>_grown(self.slots, count, sizeof(int32_t))
        self.slot_count = count
        memset(self.slots, 0xFF, <size_t>count * sizeof(int32_t))
        for number in range(self.word_count):
            slot = <int64_t>self.words[number].hash & mask
            while self.slots[slot] >= 0:
                slot = (slot + 1) & mask
            self.slots[slot] = <int32_t>number
        return 0

    cdef int emptied(self) except -1:
        self.word_count = self.arena_size = self.said_count = self.stem_count = self.stamp = 0
        self.texts = []
        self.numbers = {}
        self.names = {}
        return self.sized(FIRST_SLOTS)

    cdef int32_t stem_of(self, object text) except -1:
        """The number of a stem."""
        cdef Stem *made
        cdef int64_t room
        known = self.numbers.get(text)
        if known is not None:
            return known
        if not isinstance(text, str):
            raise TypeError("a word is a text")
        if self.stem_count == self.stem_room:
            room = max(1024, self.stem_room * 2)
            self.stems = <Stem *>_grown(self.stems, room, sizeof(Stem))
            self.seen = <uint32_t *>_grown(self.seen, room, sizeof(uint32_t))
            self.found = <int32_t *>_grown(self.found, room, sizeof(int32_t))
            self.stem_room = room
        self.texts.append(text)
        self.numbers[text] = self.stem_count
        made = &self.stems[self.stem_count]
        memset(made, 0, sizeof(Stem))
        made.text = <PyObject *>text
        made.length = <uint32_t>PyUnicode_GET_LENGTH(text)
        self.seen[self.stem_count] = 0
        self.stem_count += 1
        return <int32_t>(self.stem_count - 1)

    cdef Word *word_of(self, const uint8_t *text, int64_t size, uint64_t mixed) except NULL:
        """What is known of an identifier, until the next is asked for."""
        cdef int64_t mask = self.slot_count - 1
        cdef uint32_t hashed = <uint32_t>mixed
        cdef int64_t slot = <int64_t>hashed & mask
        cdef int32_t number = self.slots[slot]
        cdef Word *word
        while number >= 0:
            word = &self.words[number]
            if word.hash == hashed and word.size == size and _same(
                &word.text[0] if size <= SHORT else self.arena + word.at, text, size
            ):
                return word
            slot = (slot + 1) & mask
            number = self.slots[slot]
        return self.new_word(text, size, hashed)

    cdef Word *new_word(self, const uint8_t *text, int64_t size, uint32_t hashed) except NULL:
        cdef Word *word
        cdef int32_t *said
        cdef int64_t room, count, k, slot, mask
        cdef tuple stems = self.parts(PyBytes_FromStringAndSize(<const char *>text, size))
        count = len(stems)
        if size > MAX_SOURCE or count > MAX_SOURCE or self.word_count > MAX_SOURCE:
            raise OverflowError("a source that is too large")
        if self.word_count == self.word_room:
            room = max(1024, self.word_room * 2)
            self.words = <Word *>_grown(self.words, room, sizeof(Word))
            self.word_room = room
        if self.arena_size + size > self.arena_room:
            room = max(16384, self.arena_size + size, self.arena_room * 2)
            self.arena = <uint8_t *>_grown(self.arena, room, 1)
            self.arena_room = room
        if self.said_count + count > self.said_room:
            room = max(2048, self.said_count + count, self.said_room * 2)
            self.said = <int32_t *>_grown(self.said, room, sizeof(int32_t))
            self.said_room = room
        word = &self.words[self.word_count]
        memset(word, 0, sizeof(Word))
        word.hash = hashed
        word.size = <uint32_t>size
        word.count = <uint32_t>count
        if size <= SHORT:
            memcpy(word.text, text, <size_t>size)
        else:
            word.at = <uint32_t>self.arena_size
            memcpy(self.arena + self.arena_size, text, <size_t>size)
            self.arena_size += size
        if count <= FEW_STEMS:
            said = word.stems
        else:
            word.first = <uint32_t>self.said_count
            said = self.said + self.said_count
            self.said_count += count
        for k in range(count):
            said[k] = self.stem_of(stems[k])
        self.word_count += 1
        if self.word_count * 2 > self.slot_count:
            self.sized(self.slot_count * 2)
        else:
            mask = self.slot_count - 1
            slot = <int64_t>hashed & mask
            while self.slots[slot] >= 0:
                slot = (slot + 1) & mask
            self.slots[slot] = <int32_t>(self.word_count - 1)
        return word

    cdef inline const int32_t *stems_of(self, Word *word) noexcept:
        return &word.stems[0] if word.count <= FEW_STEMS else self.said + word.first

    cdef int read(self, const uint8_t *text, int64_t at, int64_t end) except -1:
        """Add the stems of a text that are not yet among those found."""
        cdef int64_t begin
        cdef uint64_t hashed
        cdef uint32_t k, stamp = self.stamp
        cdef Word *word
        cdef const int32_t *stems
        while True:
            while at < end and not IN_WORD[text[at]]:
                at += 1
            if at >= end:
                return 0
            begin = at
            hashed = self.seed
            while at < end and IN_WORD[text[at]]:
                hashed = (hashed ^ text[at]) * <uint64_t>0x100000001b3
                at += 1
            word = self.word_of(text + begin, at - begin, _mixed(hashed))
            stems = self.stems_of(word)
            for k in range(word.count):
                if self.seen[stems[k]] != stamp:
                    self.seen[stems[k]] = stamp
                    self.found[self.found_count] = stems[k]
                    self.found_count += 1

    cdef void begin(self) noexcept:
        self.stamp += 1
        self.found_count = 0

    cdef void limit(self, int64_t most) noexcept:
        """Of too many words found keep the longest."""
        cdef int64_t number, low, high, middle, count = 0
        cdef int32_t stem
        cdef int32_t *kept = self.kept
        if self.found_count <= most:
            return
        for number in range(self.found_count):
            stem = self.found[number]
            if count == most and not _before(&self.stems[stem], &self.stems[kept[count - 1]]):
                continue
            low = 0
            high = count
            while low < high:
                middle = (low + high) >> 1
                if _before(&self.stems[stem], &self.stems[kept[middle]]):
                    high = middle
                else:
                    low = middle + 1
            # There is room for one more than are kept.
            memmove(kept + low + 1, kept + low, <size_t>(count - low) * sizeof(int32_t))
            kept[low] = stem
            if count < most:
                count += 1
        memcpy(self.found, kept, <size_t>count * sizeof(int32_t))
        self.found_count = count

    cdef int hold(self, int32_t number, uint32_t place) except -1:
        """Add a posting."""
        cdef Stem *stem = &self.stems[number]
        cdef int64_t room
        if stem.blob != self.blob:
            stem.blob = self.blob
            stem.number = <uint32_t>len(self.blob_words)
            self.blob_words.append(<object>stem.text)
        if self.held_count == self.held_room:
            room = max(4096, self.held_room * 2)
            self.held = <uint32_t *>_grown(self.held, room, sizeof(uint32_t))
            self.places = <uint32_t *>_grown(self.places, room, sizeof(uint32_t))
            self.held_room = room
        stem.place = <uint32_t>self.held_count
        self.held[self.held_count] = stem.number
        self.places[self.held_count] = place
        self.held_count += 1
        return 0

    cdef int mark(self, int32_t number, uint32_t symbol, uint32_t first, uint32_t part) except -1:
        """Say that a symbol holds a word in one more part."""
        if self.stems[number].symbol == symbol:
            self.places[self.stems[number].place] |= part
            return 0
        self.stems[number].symbol = symbol
        return self.hold(number, first | part)

    cdef int owns(self, int64_t number, int64_t size, int64_t start, int64_t end) except -1:
        """Give a symbol a piece of the source."""
        cdef Piece *made
        cdef Span *span = &self.spans[number]
        cdef int64_t room
        start = _within(start, size)
        end = _within(end, size)
        if start >= end:
            return 0
        if self.piece_count == self.piece_room:
            room = max(256, self.piece_room * 2)
            self.pieces = <Piece *>_grown(self.pieces, room, sizeof(Piece))
            self.piece_room = room
        made = &self.pieces[self.piece_count]
        made.start = start
        made.end = end
        made.next = -1
        if span.last < 0:
            span.first = self.piece_count
        else:
            self.pieces[span.last].next = self.piece_count
        span.last = self.piece_count
        self.piece_count += 1
        return 0

    cdef int cut(self, int64_t count, int64_t size) except -1:
        """The pieces of source that belong to each symbol and to none inside it; the last are the file's."""
        cdef int64_t number, depth = 1, at = 0
        cdef Span *span
        cdef Open *top
        self.piece_count = 0
        self.spans[count].first = self.spans[count].last = -1
        self.opened[0].number = count
        self.opened[0].end = size + 1
        for number in range(count):
            span = &self.spans[number]
            span.first = span.last = -1
            # The file's own end is behind every start that there can be; without it nothing would be open.
            while depth and self.opened[depth - 1].end <= span.start:
                depth -= 1
                top = &self.opened[depth]
                self.owns(top.number, size, at, top.end)
                at = max(at, top.end)
            if not depth:
                raise IndexError("a symbol starts behind its file")
            self.owns(self.opened[depth - 1].number, size, at, span.start)
            at = max(at, span.start)
            self.opened[depth].number = number
            self.opened[depth].end = span.end
            depth += 1
            if (
                span.start < span.doc_start
                and span.doc_end <= span.end
                and not (number + 1 < count and self.spans[number + 1].start < span.doc_start)
            ):
                self.owns(number, size, at, span.doc_start)
                at = max(at, span.doc_end)
        while depth:
            depth -= 1
            top = &self.opened[depth]
            self.owns(top.number, size, at, top.end)
            at = max(at, top.end)
        return 0

    cdef int body(self, int64_t number, const uint8_t *text) except -1:
        """Find the words of a symbol's own text."""
        cdef int64_t piece = self.spans[number].first
        self.begin()
        while piece >= 0:
            self.read(text, self.pieces[piece].start, self.pieces[piece].end)
            piece = self.pieces[piece].next
        self.limit(self.max_body)
        return 0

    cdef Word *word_of_text(self, str name) except NULL:
        """What is known of the identifier that a name is."""
        cdef bytes encoded
        cdef const uint8_t *text
        cdef int64_t size, k
        cdef uint64_t hashed = self.seed
        if PyUnicode_IS_ASCII(name):
            text = <const uint8_t *>PyUnicode_DATA(name)
            size = PyUnicode_GET_LENGTH(name)
        else:
            encoded = name.encode("utf-8", "surrogatepass")
            text = <const uint8_t *>PyBytes_AS_STRING(encoded)
            size = PyBytes_GET_SIZE(encoded)
        for k in range(size):
            hashed = (hashed ^ text[k]) * <uint64_t>0x100000001b3
        return self.word_of(text, size, _mixed(hashed))

    cdef tuple name_stems(self, str name):
        """The numbers of the words of a symbol's name."""
        found = self.names.get(name)
        if found is None:
            found = self.names[name] = tuple([self.stem_of(word) for word in self.name_words(name)])
        return <tuple>found

    cdef tuple read_blob(self, tuple definitions, bytes source):
        cdef int64_t count = len(definitions), size = PyBytes_GET_SIZE(source)
        cdef const uint8_t *text = <const uint8_t *>PyBytes_AS_STRING(source)
        cdef int64_t number, k, parent, about_count, body_count, doc_end
        cdef uint32_t symbol, about, first
        cdef Word *word
        cdef const int32_t *stems
        cdef int32_t stem
        cdef object d
        cdef tuple name
        cdef str owner
        cdef bytes lengths, kinds
        cdef uint8_t *length_of
        cdef uint8_t *kind_of
        cdef Span *span
        if size > MAX_SOURCE or count > MAX_SOURCE:
            raise OverflowError("a source that is too large")
        if (
            self.word_count + len(self.names) > self.max_words
            or self.arena_size > MAX_ARENA
            or self.stamp > MAX_STAMP
        ):
            self.emptied()
        if count + 2 > self.span_room:
            self.spans = <Span *>_grown(self.spans, count + 2, sizeof(Span))
            self.opened = <Open *>_grown(self.opened, count + 2, sizeof(Open))
            self.span_room = count + 2
        for number in range(count):
            d = definitions[number]
            if not PyTuple_Check(d) or PyTuple_GET_SIZE(d) != D_FIELDS:
                raise ValueError("a definition of another form")
            span = &self.spans[number]
            span.start = _field(d, D_START)
            span.end = _field(d, D_END)
            span.doc_start = _field(d, D_DOC_START)
            span.doc_end = _field(d, D_DOC_END)
        self.cut(count, size)
        lengths = PyBytes_FromStringAndSize(NULL, count + 1)
        kinds = PyBytes_FromStringAndSize(NULL, count + 1)
        length_of = <uint8_t *>PyBytes_AS_STRING(lengths)
        kind_of = <uint8_t *>PyBytes_AS_STRING(kinds)
        self.blob_words = []
        self.held_count = 0
        self.stamp += 1
        self.blob = self.stamp
        self.body(count, text)
        for k in range(self.found_count):
            self.hold(self.found[k], BODY)
        length_of[0] = <uint8_t>min(MAX_LENGTH, self.found_count)
        kind_of[0] = <uint8_t>(<int64_t>self.kinds["module"])
        for number in range(1, count + 1):
            d = definitions[number - 1]
            span = &self.spans[number - 1]
            name = self.name_stems(_field(d, D_NAME))
            kind = _field(d, D_KIND)
            kind_of[number] = <uint8_t>(<int64_t>self.kinds[kind] | min(MANY, len(name)) << KIND_BITS)
            length_of[number] = 0
            if kind in self.unhashed:
                continue
            first = <uint32_t>(number << MARK_BITS)
            self.body(number - 1, text)
            body_count = self.found_count
            self.stamp += 1
            symbol = self.stamp
            for k in range(body_count):
                stem = self.found[k]
                self.stems[stem].symbol = symbol
                self.hold(stem, first | BODY)
            owner = _field(d, D_WITHIN)
            if not owner:
                parent = _field(d, D_PARENT)
                if parent >= count:
                    raise IndexError("a symbol in none")
                if parent >= 0:
                    owner = _field(definitions[parent], D_NAME)
            self.stamp += 1
            about = self.stamp
            about_count = 0
            if owner:
                word = self.word_of_text(owner)
                stems = self.stems_of(word)
                for k in range(word.count):
                    stem = stems[k]
                    if self.stems[stem].about != about:
                        self.stems[stem].about = about
                        about_count += 1
                        self.mark(stem, symbol, first, ABOUT)
            if span.doc_end:
                self.begin()
                doc_end = min(span.doc_end, span.doc_start + self.max_doc)
                self.read(text, _within(span.doc_start, size), _within(doc_end, size))
                self.limit(self.max_doc_words)
                for k in range(self.found_count):
                    stem = self.found[k]
                    if self.stems[stem].about != about:
                        self.stems[stem].about = about
                        about_count += 1
                        self.mark(stem, symbol, first, ABOUT)
            for k in range(len(name)):
                self.mark(<int32_t>name[k], symbol, first, NAME)
            length_of[number] = <uint8_t>min(MAX_LENGTH, len(name) + about_count + body_count)
        words = self.blob_words
        self.blob_words = None
        return (
            words,
            PyBytes_FromStringAndSize(<char *>self.held, self.held_count * sizeof(uint32_t)),
            PyBytes_FromStringAndSize(<char *>self.places, self.held_count * sizeof(uint32_t)),
            lengths,
            kinds,
        )


cdef class Wording:
    """Reads the words of blobs; what identifiers say is remembered from one blob to the next."""

    cdef tuple settings
    cdef list idle

    def __init__(
        self, parts, name_words, dict kinds, unhashed, *, max_body, max_doc_words, max_doc, max_words
    ):
        self.settings = (parts, name_words, kinds, unhashed, max_body, max_doc_words, max_doc, max_words)
        self.idle = []

    def read(self, definitions, bytes source not None):
        """The words, which of them are held and where, and each symbol's length and kind."""
        # Asking what an identifier says may let another thread in; what failed midway is not used again.
        cdef _Lexicon lexicon = self.idle.pop() if self.idle else _Lexicon(*self.settings)
        found = lexicon.read_blob(tuple(definitions), source)
        if not self.idle:
            self.idle.append(lexicon)
        return found


cdef bytes _encoded(str text):
    if PyUnicode_IS_ASCII(text):
        return PyBytes_FromStringAndSize(<const char *>PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text))
    return text.encode("utf-8", "surrogatepass")


def blob_keys(definitions, hashed, told):
    """What ``cuedeck.code.search.meaning`` gives: ``hashed`` is copied for each symbol of a kind in ``told``."""
    cdef tuple held = tuple(definitions)
    cdef Py_ssize_t count = len(held), number, parent
    cdef bytes keys = PyBytes_FromStringAndSize(NULL, (count + 1) * sizeof(int64_t))
    cdef int64_t *out = <int64_t *>PyBytes_AS_STRING(keys)
    cdef list locals_ = []
    cdef object d
    cdef str name, within
    cdef bytes local, content, digest
    cdef const uint8_t *byte
    cdef uint64_t key
    cdef int k
    out[0] = 0
    for number in range(count):
        d = held[number]
        if not PyTuple_Check(d) or PyTuple_GET_SIZE(d) != D_FIELDS:
            raise ValueError("a definition of another form")
        name = _field(d, D_NAME)
        within = _field(d, D_WITHIN)
        parent = _field(d, D_PARENT)
        local = _encoded(name)
        if within:
            local = _encoded(within) + b"::" + local
        # Owners come before what they own.
        if 0 <= parent < number:
            local = <bytes>locals_[parent] + b"::" + local
        locals_.append(local)
        content = _field(d, D_CONTENT)
        kind = _field(d, D_KIND)
        if not content or kind not in told:
            out[number + 1] = 0
            continue
        copied = hashed.copy()
        copied.update(_encoded(kind) + b"\0" + local + b"\0" + content)
        digest = copied.digest()
        if PyBytes_GET_SIZE(digest) != 8:
            raise ValueError("a key of another size")
        byte = <const uint8_t *>PyBytes_AS_STRING(digest)
        key = 0
        for k in range(8):
            key |= <uint64_t>byte[k] << (8 * k)
        key &= <uint64_t>0x7FFFFFFFFFFFFFFE
        out[number + 1] = <int64_t>((key or 2) | name.startswith("_"))
    return keys
