/* A parsed tree, copied into flat records: one that was parsed directly, or by the runtime, which is compiled in, so
 * its structures are known.
 *
 * Nodes that the grammar hides are left out; what is inside them belongs to the node around them.
 *
 * A child stands in a field in two ways, as with the runtime's own functions: `field` is the innermost one that
 * is written for it or for a hidden node around it; by `found` its parent finds it first. A child may be found by
 * more fields than one: the others are kept beside the records.
 */
#ifndef CUEDECK_RECORDS_H
#define CUEDECK_RECORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "direct.h"
#include "language.h"
#include "subtree.h"
#include "tree.h"

enum { NAMED = 1, MISSING = 2, ERROR = 4, BROKEN = 8, MORE = 16 /* children are found by more fields */ };
enum { MOST_FIELDS = 8 };

typedef struct {
    uint32_t start, end;
    uint32_t parent;
    uint32_t after; /* the first record behind everything inside this one */
    uint16_t kind, field, found;
    uint8_t flags;
} Record;

typedef struct {
    uint32_t owner, child;
    uint16_t field;
} Another;

typedef struct {
    Record *records;
    Another *others; /* in the order of children */
    uint32_t other_count, other_room;
    uint32_t depth;
} Records;

typedef struct {
    const void *children;
    uint32_t count, next;
    uint32_t position;   /* where the last child ended */
    uint32_t structural; /* the number of the next child, extras aside */
    uint32_t at;         /* the number of the present child */
    bool extra;          /* whether the present child stands anywhere */
    bool begun;          /* whether a hidden node has shown a child */
    uint32_t owner;      /* the record around the children */
    uint32_t height;     /* levels around it, those of one repetition counted once */
    TSSymbol symbol;
    bool shown;          /* whether the record is of this very level */
    uint16_t field;      /* of a hidden node */
    const TSSymbol *aliases;
    const TSFieldMapEntry *fields, *fields_end;
} Level;

typedef struct {
    Level *levels;
    uint32_t size, room;
} Levels;

static inline Level *new_level(Levels *stack) {
    if (stack->size == stack->room) {
        uint32_t room = stack->room ? 2 * stack->room : 64;
        Level *levels = realloc(stack->levels, room * sizeof(Level));
        if (!levels) return NULL;
        stack->levels = levels;
        stack->room = room;
    }
    return &stack->levels[stack->size++];
}

static inline bool has_field(const Level *level, uint16_t field) {
    for (const TSFieldMapEntry *entry = level->fields; entry < level->fields_end; entry++)
        if (entry->inherited && entry->field_id == field && entry->child_index == level->at) return true;
    return false;
}

static inline bool remember(Records *made, uint32_t owner, uint32_t child, uint16_t field) {
    if (made->other_count == made->other_room) {
        uint32_t room = made->other_room ? 2 * made->other_room : 64;
        Another *others = realloc(made->others, room * sizeof(Another));
        if (!others) return false;
        made->others = others;
        made->other_room = room;
    }
    made->others[made->other_count++] = (Another){owner, child, field};
    made->records[owner].flags |= MORE;
    return true;
}

/* Write down by which fields the present child of the last level is found: by the node around it, and from further
 * out where that one's fields are handed on. */
static inline bool find_fields(Records *made, Levels *stack, uint32_t child) {
    uint16_t fields[MOST_FIELDS];
    uint32_t count = 0;
    bool near = true, first = true;
    made->records[child].found = 0;
    for (uint32_t number = stack->size; number-- && (near || count);) {
        Level *level = &stack->levels[number];
        uint32_t kept = 0;
        if (level->extra) {
            if (!near) return true;
            count = 0;
            first = false;
        }
        for (uint32_t k = 0; k < count; k++)
            if (has_field(level, fields[k])) fields[kept++] = fields[k];
        count = kept;
        for (const TSFieldMapEntry *entry = level->fields; first && entry < level->fields_end; entry++)
            if (!entry->inherited && entry->child_index == level->at && count < MOST_FIELDS)
                fields[count++] = entry->field_id;
        if (level->shown) {
            uint32_t k = 0;
            if (near && count) made->records[child].found = fields[k++];
            for (; k < count; k++)
                if (!remember(made, level->owner, child, fields[k])) return false;
            near = first = false;
        } else {
            first = first && !level->begun;
            level->begun = true;
        }
    }
    return true;
}

static inline void forget_records(Records *made) {
    free(made->records);
    free(made->others);
    *made = (Records){0};
}

#define TREE Subtree
#define OF(what) runtime_##what
static inline TSSymbol runtime_symbol(Subtree tree) { return ts_subtree_symbol(tree); }
static inline bool runtime_visible(Subtree tree) { return ts_subtree_visible(tree); }
static inline bool runtime_extra(Subtree tree) { return ts_subtree_extra(tree); }
static inline uint32_t runtime_padding(Subtree tree) { return ts_subtree_padding(tree).bytes; }
static inline uint32_t runtime_size(Subtree tree) { return ts_subtree_size(tree).bytes; }
static inline uint32_t runtime_count(Subtree tree) { return ts_subtree_child_count(tree); }
static inline uint32_t runtime_shown(Subtree tree) { return ts_subtree_visible_descendant_count(tree); }
static inline uint32_t runtime_production(Subtree tree) { return tree.ptr->production_id; }
static inline const Subtree *runtime_children(Subtree tree) { return ts_subtree_children(tree); }
static inline uint8_t runtime_flags(Subtree tree) {
    return (ts_subtree_named(tree) ? NAMED : 0) | (ts_subtree_missing(tree) ? MISSING : 0) |
           (ts_subtree_error_cost(tree) > 0 ? BROKEN : 0);
}
#include "copying.h"
#undef TREE
#undef OF

#define TREE Part *
#define OF(what) direct_##what
static inline TSSymbol direct_symbol(const Part *part) { return part->symbol; }
static inline bool direct_visible(const Part *part) { return part->flags & VISIBLE; }
static inline bool direct_extra(const Part *part) { return part->flags & EXTRA; }
static inline uint32_t direct_padding(const Part *part) { return part->padding; }
static inline uint32_t direct_size(const Part *part) { return part->size; }
static inline uint32_t direct_count(const Part *part) { return part->count; }
static inline uint32_t direct_shown(const Part *part) { return part->shown; }
static inline uint32_t direct_production(const Part *part) { return part->production; }
static inline Part *const *direct_children(const Part *part) { return part->children; }
static inline uint8_t direct_flags(const Part *part) { return part->flags & CALLED ? NAMED : 0; }
#include "copying.h"
#undef TREE
#undef OF

/* Whether two trees say the same. */
static bool same_records(const Records *one, const Records *other) {
    if (one->records[0].after != other->records[0].after || one->other_count != other->other_count) return false;
    for (uint32_t k = 0; k < one->records[0].after; k++) {
        const Record *a = &one->records[k], *b = &other->records[k];
        if (a->start != b->start || a->end != b->end || a->parent != b->parent || a->after != b->after ||
            a->kind != b->kind || a->field != b->field || a->found != b->found || a->flags != b->flags)
            return false;
    }
    for (uint32_t k = 0; k < one->other_count; k++) {
        const Another *a = &one->others[k], *b = &other->others[k];
        if (a->owner != b->owner || a->child != b->child || a->field != b->field) return false;
    }
    return true;
}

/* The first child of a record that is found by a field, or 0. */
static inline uint32_t child_in_field(const Records *made, uint32_t owner, uint16_t field) {
    const Record *records = made->records;
    uint32_t end = records[owner].after, child = owner + 1;
    while (child < end && records[child].found != field) child = records[child].after;
    if (child >= end) child = 0;
    if (!(records[owner].flags & MORE)) return child;
    uint32_t low = 0, high = made->other_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (made->others[middle].child <= owner) low = middle + 1; else high = middle;
    }
    for (; low < made->other_count && made->others[low].child < (child ? child : end); low++)
        if (made->others[low].owner == owner && made->others[low].field == field) return made->others[low].child;
    return child;
}

#endif
