/* What is on the stack while a source is parsed directly: parts of the tree to be, in one reading or several.
 *
 * A `Head` is what the runtime calls a version of the stack, a `Step` a node of its stack.
 */
#ifndef CUEDECK_HEADS_H
#define CUEDECK_HEADS_H

#include <string.h>

#include "arena.h"
#include "language.h"
#include "reading.h"

/* The first four are the runtime's: beyond them it lets go of readings. */
enum { MOST_HEADS = 6, MORE_HEADS = 4, MOST_LINKS = 8, MOST_PATHS = 64 };
enum { ROOM_FOR_HEADS = MOST_HEADS + MORE_HEADS + 2, TOKENS_BETWEEN_LOOKS = 4096 };
enum { LOOKUP_BITS = 13, LOOKUPS = 1 << LOOKUP_BITS };
enum { EXTRA = 1, KEYWORD = 2, EXTERNAL = 4, VISIBLE = 8, CALLED = 16 /* what the runtime calls named */ };

/* What an external scanner remembers behind a token. */
typedef struct {
    uint32_t size;
    char bytes[];
} Memo;

typedef struct Part {
    uint32_t padding, size; /* bytes before it, and its own */
    uint32_t count;         /* of children */
    uint32_t shown;         /* how many visible nodes are inside */
    union {
        struct Part **children;
        const Memo *memo; /* of an external token */
    };
    int32_t precedence;
    TSSymbol symbol;
    union {
        uint16_t production;
        TSStateId state; /* in which a token was read */
    };
    uint8_t flags;
} Part;

typedef struct {
    struct Step *below;
    Part *part;
} Link;

typedef struct Step {
    Link first;
    Link *others; /* where readings have met */
    uint32_t position;
    int32_t precedence;
    TSStateId state;
    uint8_t other_count;
} Step;

typedef enum { ACTIVE, PAUSED, HALTED } Status;

typedef struct {
    Step *top;
    const Memo *memo;
    Status status;
} Head;

/* A way down the stack, and what was met on it, the last first. */
typedef struct {
    Step *step;
    Part **parts;
    uint32_t size, room, count;
} Path;

typedef struct {
    uint32_t key;
    uint16_t value;
} Lookup;

typedef struct {
    Reading reading;
    const TSLanguage *language;
    Arena *arena;
    Lookup *lookups;
    void *scanner;
    Head heads[ROOM_FOR_HEADS];
    uint32_t head_count;
    Step *spare;
    Part *cached; /* the last token, where it was read, and what the scanner remembered before it */
    uint32_t cached_at;
    const Memo *cached_memo;
    Part *finished;
    int64_t deadline;
    uint32_t tokens;
    bool lost; /* the runtime has to do it */
    char buffer[TREE_SITTER_SERIALIZATION_BUFFER_SIZE];
} Direct;

static inline void *take(Arena *arena, size_t size) {
    size = (size + 7) & ~(size_t)7;
    if ((size_t)(arena->end - arena->at) < size) {
        if (size > PIECE / 2) return arena_malloc(size);
        arena_piece(arena);
    }
    void *taken = arena->at;
    arena->at += size;
    return taken;
}

static inline uint8_t flags_of(const TSLanguage *language, TSSymbol symbol) {
    TSSymbolMetadata about = language->symbol_metadata[symbol];
    return (about.visible ? VISIBLE : 0) | (about.named ? CALLED : 0);
}

static inline bool same_memo(const Memo *one, const Memo *other) {
    uint32_t size = one ? one->size : 0, other_size = other ? other->size : 0;
    return one == other || (size == other_size && (!size || memcmp(one->bytes, other->bytes, size) == 0));
}

static inline Step *push(Direct *self, Step *below, Part *part, TSStateId state) {
    Step *step = self->spare;
    if (step) self->spare = step->first.below;
    else step = take(self->arena, sizeof(Step));
    *step = (Step){
        .first = {below, part},
        .position = below->position + part->padding + part->size,
        .precedence = below->precedence + part->precedence,
        .state = state,
    };
    return step;
}

static inline void give_back(Direct *self, Step *step) {
    step->first.below = self->spare;
    self->spare = step;
}

static inline uint32_t link_count(const Step *step) {
    return step->first.below ? 1u + step->other_count : 0;
}

static inline Link *link_at(Step *step, uint32_t number) {
    return number ? &step->others[number - 1] : &step->first;
}

static bool equivalent(const Part *one, const Part *other) {
    return one == other ||
           (one->symbol == other->symbol && one->padding == other->padding && one->size == other->size &&
            one->count == other->count && (one->flags & EXTRA) == (other->flags & EXTRA) &&
            same_memo(one->flags & EXTERNAL ? one->memo : NULL, other->flags & EXTERNAL ? other->memo : NULL));
}

static void add_link(Direct *self, Step *step, Link link) {
    if (link.below == step) return;
    int32_t precedence = link.below->precedence + link.part->precedence;
    for (uint32_t k = 0; k < link_count(step); k++) {
        Link *known = link_at(step, k);
        if (!equivalent(known->part, link.part)) continue;
        if (known->below == link.below) {
            if (link.part->precedence > known->part->precedence) {
                known->part = link.part;
                step->precedence = precedence;
            }
            return;
        }
        if (known->below->state == link.below->state && known->below->position == link.below->position) {
            for (uint32_t j = 0; j < link_count(link.below); j++) add_link(self, known->below, *link_at(link.below, j));
            if (precedence > step->precedence) step->precedence = precedence;
            return;
        }
    }
    if (link_count(step) == MOST_LINKS) return;
    if (!step->others) step->others = take(self->arena, (MOST_LINKS - 1) * sizeof(Link));
    step->others[step->other_count++] = link;
    if (precedence > step->precedence) step->precedence = precedence;
}

static void remove_head(Direct *self, uint32_t number) {
    self->head_count--;
    memmove(&self->heads[number], &self->heads[number + 1], (self->head_count - number) * sizeof(Head));
}

static bool merge(Direct *self, uint32_t into, uint32_t number) {
    Head *one = &self->heads[into], *other = &self->heads[number];
    if (one->status != ACTIVE || other->status != ACTIVE || one->top->state != other->top->state ||
        one->top->position != other->top->position || !same_memo(one->memo, other->memo))
        return false;
    for (uint32_t k = 0; k < link_count(other->top); k++) add_link(self, one->top, *link_at(other->top, k));
    remove_head(self, number);
    return true;
}

static Part *node(Direct *self, TSSymbol symbol, uint16_t production, Part **children, uint32_t count) {
    const TSLanguage *language = self->language;
    const TSSymbol *aliases = ts_language_alias_sequence(language, production);
    Part *part = take(self->arena, sizeof(Part));
    *part = (Part){
        .count = count,
        .children = children,
        .symbol = symbol,
        .production = production,
        .flags = flags_of(language, symbol),
    };
    if (count) {
        part->padding = children[0]->padding;
        part->size = 0u - children[0]->padding;
    }
    uint32_t structural = 0;
    for (uint32_t k = 0; k < count; k++) {
        const Part *child = children[k];
        part->size += child->padding + child->size;
        part->precedence += child->precedence;
        part->shown += child->count ? child->shown : 0;
        bool alias = !(child->flags & EXTRA) && child->symbol && aliases && aliases[structural];
        if (alias || child->flags & VISIBLE) part->shown++;
        if (!(child->flags & EXTRA)) structural++;
    }
    return part;
}

/* -1, 0, 1 as the runtime orders trees that are equally good. */
static int compare(const Part *one, const Part *other) {
    uint32_t size = 0, room = 64;
    const Part **waiting = arena_malloc(room * sizeof(Part *));
    int result = 0;
    waiting[size++] = one;
    waiting[size++] = other;
    while (size && !result) {
        other = waiting[--size];
        one = waiting[--size];
        if (one->symbol != other->symbol) result = one->symbol < other->symbol ? -1 : 1;
        else if (one->count != other->count) result = one->count < other->count ? -1 : 1;
        if (result) break;
        if (size + 2 * one->count > room) {
            room = 2 * (size + 2 * one->count);
            waiting = arena_realloc(waiting, room * sizeof(Part *));
        }
        for (uint32_t k = one->count; k > 0; k--) {
            waiting[size++] = one->children[k - 1];
            waiting[size++] = other->children[k - 1];
        }
    }
    arena_free(waiting);
    return result;
}

static bool better(const Part *present, const Part *other) {
    if (other->precedence != present->precedence) return other->precedence > present->precedence;
    return compare(present, other) > 0;
}

static inline uint32_t without_extras(Part *const *parts, uint32_t count) {
    while (count && parts[count - 1]->flags & EXTRA) count--;
    return count;
}

#endif
