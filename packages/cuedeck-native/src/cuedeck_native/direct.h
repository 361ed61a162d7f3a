/* Sound source, parsed by the grammar's tables without the runtime's parser.
 *
 * The runtime keeps every tree for later edits, counts who holds it, and is ready to recover from errors at any
 * moment. A source that has none and is parsed once needs nothing of that: this does what the runtime does up to its
 * first error, step by step, and gives up there; the runtime then begins anew. What comes out is the same tree, but
 * for hidden nodes of repetitions, which the runtime balances.
 *
 * Where the grammar allows several readings they are followed side by side, in the runtime's order, as its choice
 * among them depends on it.
 */
#ifndef CUEDECK_DIRECT_H
#define CUEDECK_DIRECT_H

#include "heads.h"
#include "tokens.h"

/* Larger sources are the runtime's: chains of repetitions are not balanced here. */
enum { MOST_BYTES = 1 << 20 };

static inline void pushed_parent(
    Direct *self, Head *head, Step *below, Part *parent, TSParseAction action, bool ends_extra, Part **extras,
    uint32_t extra_count
) {
    TSStateId state = table_value(self, below->state, parent->symbol);
    if (ends_extra && state == below->state) parent->flags |= EXTRA;
    parent->precedence += action.reduce.dynamic_precedence;
    head->top = push(self, below, parent, state);
    for (uint32_t k = 0; k < extra_count; k++) head->top = push(self, head->top, extras[k], state);
}

/* With one reading and one way down, steps are nobody else's and serve again. False where there are more ways. */
static bool reduce_alone(Direct *self, Head *head, TSParseAction action, bool ends_extra) {
    uint32_t wanted = action.reduce.child_count, count = 0, size = 0;
    Step *below = head->top;
    while (count < wanted) {
        if (below->other_count) return false;
        count += !(below->first.part->flags & EXTRA);
        size++;
        below = below->first.below;
    }
    Part **parts = take(self->arena, size * sizeof(Part *));
    Step *step = head->top;
    for (uint32_t k = size; k > 0; k--) {
        Step *next = step->first.below;
        parts[k - 1] = step->first.part;
        give_back(self, step);
        step = next;
    }
    uint32_t own = without_extras(parts, size);
    Part *parent = node(self, action.reduce.symbol, action.reduce.production_id, parts, own);
    pushed_parent(self, head, below, parent, action, ends_extra, parts + own, size - own);
    return true;
}

static void grow(Direct *self, Path *path, Part *part) {
    if (path->size == path->room) {
        path->room = path->room ? 2 * path->room : 8;
        Part **parts = take(self->arena, path->room * sizeof(Part *));
        if (path->size) memcpy(parts, path->parts, path->size * sizeof(Part *));
        path->parts = parts;
    }
    path->parts[path->size++] = part;
}

static Path copied(Direct *self, const Path *path) {
    Path copy = *path;
    copy.parts = take(self->arena, (path->room ? path->room : 1) * sizeof(Part *));
    if (path->size) memcpy(copy.parts, path->parts, path->size * sizeof(Part *));
    return copy;
}

/* The ways down to where so many parts were pushed, or to the ground; those that lead to one step stand together. */
static uint32_t ways_down(Direct *self, Step *top, uint32_t wanted, bool to_ground, Path *found) {
    Path going[MOST_PATHS];
    uint32_t going_count = 1, found_count = 0;
    going[0] = (Path){.step = top};
    while (going_count) {
        for (uint32_t k = 0, size = going_count; k < size; k++) {
            Step *step = going[k].step;
            bool there = to_ground ? !link_count(step) : going[k].count == wanted;
            if (there || !link_count(step)) {
                if (there) {
                    if (found_count == MOST_PATHS) {
                        self->lost = true;
                        return 0;
                    }
                    Path *path = &going[k];
                    for (uint32_t a = 0, b = path->size; a + 1 < b; a++) {
                        Part *part = path->parts[a];
                        path->parts[a] = path->parts[--b];
                        path->parts[b] = part;
                    }
                    uint32_t place = found_count;
                    for (uint32_t j = found_count; j > 0; j--) {
                        if (found[j - 1].step == step) {
                            place = j;
                            break;
                        }
                    }
                    memmove(&found[place + 1], &found[place], (found_count - place) * sizeof(Path));
                    found[place] = *path;
                    found_count++;
                }
                memmove(&going[k], &going[k + 1], (going_count - k - 1) * sizeof(Path));
                going_count--;
                k--;
                size--;
                continue;
            }
            for (uint32_t j = 1; j <= link_count(step); j++) {
                bool last = j == link_count(step);
                Link link = *link_at(step, last ? 0 : j);
                Path *path = &going[k];
                if (!last) {
                    if (going_count == MOST_PATHS) {
                        self->lost = true;
                        return 0;
                    }
                    going[going_count] = copied(self, &going[k]);
                    path = &going[going_count++];
                }
                path->step = link.below;
                grow(self, path, link.part);
                path->count += !(link.part->flags & EXTRA);
            }
        }
    }
    return found_count;
}

/* Make a new head for each step that is reached; where more ways than one lead to it, the best is taken. */
static uint32_t reduce(Direct *self, uint32_t number, TSParseAction action, bool ends_extra) {
    Path found[MOST_PATHS + 1];
    uint32_t before = self->head_count;
    uint32_t count = ways_down(self, self->heads[number].top, action.reduce.child_count, false, found);
    for (uint32_t k = 0; k < count && !self->lost; k++) {
        Path *path = &found[k];
        uint32_t own = without_extras(path->parts, path->size);
        Part *parent = node(self, action.reduce.symbol, action.reduce.production_id, path->parts, own);
        while (k + 1 < count && found[k + 1].step == path->step) {
            Path *next = &found[++k];
            uint32_t next_own = without_extras(next->parts, next->size);
            Part *other = node(self, action.reduce.symbol, 0, next->parts, next_own);
            if (better(parent, other)) {
                parent = node(self, action.reduce.symbol, action.reduce.production_id, next->parts, next_own);
                next->step = path->step;
                path = next;
                own = next_own;
            }
        }
        if (self->head_count > MOST_HEADS + MORE_HEADS) {
            self->lost = true;
            break;
        }
        Head *head = &self->heads[self->head_count++];
        *head = (Head){.memo = self->heads[number].memo, .status = ACTIVE};
        pushed_parent(self, head, path->step, parent, action, ends_extra, path->parts + own, path->size - own);
        for (uint32_t j = 0; j + 1 < self->head_count; j++)
            if (j != number && merge(self, j, self->head_count - 1)) break;
    }
    return self->head_count > before ? before : NOWHERE;
}

/* The whole, with what stands before and behind it inside. */
static void accept(Direct *self, uint32_t number, Part *last) {
    Path found[MOST_PATHS + 1];
    /* The head stands behind the end from now on: the others are held against that. */
    Step *top = self->heads[number].top = push(self, self->heads[number].top, last, 1);
    uint32_t count = ways_down(self, top, 0, true, found);
    for (uint32_t k = 0; k < count; k++) {
        Path *path = &found[k];
        uint32_t at = without_extras(path->parts, path->size);
        if (!at) {
            self->lost = true;
            return;
        }
        Part *whole = path->parts[--at];
        Part **children = take(self->arena, (path->size - 1 + whole->count) * sizeof(Part *));
        memcpy(children, path->parts, at * sizeof(Part *));
        if (whole->count) memcpy(children + at, whole->children, whole->count * sizeof(Part *));
        memcpy(children + at + whole->count, path->parts + at + 1, (path->size - at - 1) * sizeof(Part *));
        Part *root = node(self, whole->symbol, whole->production, children, path->size - 1 + whole->count);
        if (!self->finished || better(self->finished, root)) self->finished = root;
    }
    self->heads[number].status = HALTED;
}

static void shift(Direct *self, Head *head, Part *token, TSStateId state, bool extra) {
    if (extra != !!(token->flags & EXTRA)) {
        token = changed(self, token);
        token->flags ^= EXTRA;
    }
    head->top = push(self, head->top, token, state);
    if (token->flags & EXTERNAL) head->memo = token->memo;
}

/* One token, or the end of this head. */
static void advance(Direct *self, uint32_t number) {
    Head *head = &self->heads[number];
    TSStateId state = head->top->state;
    TableEntry entry = {NULL, 0, false};
    Part *ahead = cached_token(self, head, state, &entry);
    bool read = !ahead;
    for (;;) {
        if (read) {
            read = false;
            ahead = token(self, head, state);
            if (self->lost) return;
            if (ahead) {
                self->cached = ahead;
                self->cached_at = head->top->position;
                self->cached_memo = head->memo;
            }
            entry = table_entry(self, state, ahead ? ahead->symbol : ts_builtin_sym_end);
        }
        bool reduced = false;
        uint32_t made = NOWHERE;
        for (uint32_t k = 0; k < entry.action_count; k++) {
            TSParseAction action = entry.actions[k];
            if (action.type == TSParseActionTypeShift) {
                if (action.shift.repetition) continue;
                shift(self, head, ahead, action.shift.extra ? state : action.shift.state, action.shift.extra);
                return;
            }
            if (action.type == TSParseActionTypeReduce) {
                reduced = true;
                if (entry.action_count == 1 && self->head_count == 1 && reduce_alone(self, head, action, !ahead)) {
                    made = number;
                    continue;
                }
                uint32_t first = reduce(self, number, action, !ahead);
                if (self->lost) return;
                if (first != NOWHERE) made = first;
            } else if (action.type == TSParseActionTypeAccept && ahead) {
                accept(self, number, ahead);
                return;
            } else {
                self->lost = true;
                return;
            }
        }
        if (made != NOWHERE) {
            if (made != number) {
                *head = self->heads[made];
                remove_head(self, made);
            }
            state = head->top->state;
            if (ahead) entry = table_entry(self, state, ahead->symbol);
            else read = true;
            continue;
        }
        if (reduced) {
            head->status = HALTED;
            return;
        }
        TSSymbol word = self->language->keyword_capture_token;
        if (ahead && ahead->flags & KEYWORD && ahead->symbol != word &&
            !ts_language_is_reserved_word(self->language, state, ahead->symbol)) {
            entry = table_entry(self, state, word);
            if (entry.action_count > 0) {
                ahead = changed(self, ahead);
                ahead->symbol = word;
                ahead->flags = (ahead->flags & ~(VISIBLE | CALLED)) | flags_of(self->language, word);
                continue;
            }
        }
        head->status = PAUSED;
        return;
    }
}

/* Let go of heads that ended or met an error while others go on, and order the rest as the runtime does. */
static void condense(Direct *self) {
    for (uint32_t i = 0; i < self->head_count; i++) {
        if (self->heads[i].status == HALTED) {
            remove_head(self, i--);
            continue;
        }
        /* As of now, also once it has changed its place with another: the runtime goes by that. */
        Status status = self->heads[i].status;
        int32_t precedence = self->heads[i].top->precedence;
        for (uint32_t j = 0; j < i; j++) {
            Head *one = &self->heads[j], *other = &self->heads[i];
            if (one->status != status) {
                if (status == PAUSED) {
                    remove_head(self, i--);
                    j = i;
                } else {
                    remove_head(self, j--);
                    i--;
                }
            } else if (merge(self, j, i)) {
                i--;
                j = i;
            } else if (precedence > one->top->precedence) {
                Head swapped = *one;
                *one = *other;
                *other = swapped;
            }
        }
    }
    if (self->head_count > MOST_HEADS) self->lost = true;
    for (uint32_t i = 0; i < self->head_count; i++)
        if (self->heads[i].status == PAUSED) self->lost = true;
}

/* The root of a source's tree, or nothing where it has errors or is too much. It goes with the arena. */
static Part *parse_directly(
    const TSLanguage *language, Arena *arena, Lookup *lookups, const char *text, uint32_t size, int64_t deadline
) {
    if (size > MOST_BYTES || !language->lex_fn) return NULL;
    Direct *self = take(arena, sizeof(Direct));
    *self = (Direct){
        .reading = {
            .lexer = {
                .advance = read_on,
                .mark_end = read_end,
                .get_column = read_column,
                .is_at_included_range_start = read_nothing,
                .eof = read_all,
                .log = read_log,
            },
            .text = text,
            .size = size,
        },
        .language = language,
        .arena = arena,
        .lookups = lookups,
        .deadline = deadline,
        .head_count = 1,
    };
    Step *ground = take(arena, sizeof(Step));
    *ground = (Step){.state = 1};
    self->heads[0] = (Head){.top = ground, .status = ACTIVE};
    if (language->external_scanner.states && language->external_scanner.create)
        self->scanner = language->external_scanner.create();
    uint32_t last = 0;
    while (self->head_count && !self->lost) {
        for (uint32_t number = 0; number < self->head_count && !self->lost; number++) {
            while (self->heads[number].status == ACTIVE && !self->lost) {
                advance(self, number);
                uint32_t position = self->heads[number].top->position;
                if (position > last || (number > 0 && position == last)) {
                    last = position;
                    break;
                }
            }
        }
        condense(self);
    }
    if (self->scanner && language->external_scanner.destroy) language->external_scanner.destroy(self->scanner);
    return self->lost ? NULL : self->finished;
}

#endif
