/* A parsed tree, copied into flat records by reading the runtime's own structures.
 *
 * Nodes that the grammar hides are left out; what is inside them belongs to the node around them. The runtime is
 * compiled in, so its structures are known.
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
    const Subtree *children;
    uint32_t count, next;
    uint32_t position;   /* where the last child ended */
    uint32_t structural; /* the number of the next child, extras aside */
    uint32_t at;         /* the number of the present child */
    bool extra;          /* whether the present child stands anywhere */
    bool begun;          /* whether a hidden node has shown a child */
    uint32_t owner;      /* the record around the children */
    bool shown;          /* whether the record is of this very level */
    uint16_t field;      /* of a hidden node */
    const TSSymbol *aliases;
    const TSFieldMapEntry *fields, *fields_end;
} Level;

typedef struct {
    Level *levels;
    uint32_t size, room;
} Levels;

static inline bool enter(
    Levels *stack, const TSLanguage *language, Subtree tree, uint32_t start, uint32_t owner, bool shown, uint16_t field
) {
    if (stack->size == stack->room) {
        uint32_t room = stack->room ? 2 * stack->room : 64;
        Level *levels = realloc(stack->levels, room * sizeof(Level));
        if (!levels) return false;
        stack->levels = levels;
        stack->room = room;
    }
    Level *level = &stack->levels[stack->size++];
    uint32_t production = tree.ptr->production_id;
    *level = (Level){
        .children = ts_subtree_children(tree),
        .count = ts_subtree_child_count(tree),
        .position = start,
        .owner = owner,
        .shown = shown,
        .field = field,
        .aliases = ts_language_alias_sequence(language, production),
    };
    ts_language_field_map(language, production, &level->fields, &level->fields_end);
    return true;
}

static inline void record_node(
    Record *record, const TSLanguage *language, Subtree tree, TSSymbol alias, uint32_t start, uint32_t parent, uint16_t field
) {
    TSSymbol symbol = alias ? alias : ts_subtree_symbol(tree);
    bool named = alias ? ts_language_symbol_metadata(language, alias).named : ts_subtree_named(tree);
    record->start = start;
    record->end = start + ts_subtree_size(tree).bytes;
    record->parent = parent;
    record->kind = ts_language_public_symbol(language, symbol);
    record->field = field;
    record->flags = (named ? NAMED : 0) | (ts_subtree_missing(tree) ? MISSING : 0) |
                    (record->kind == ts_builtin_sym_error ? ERROR : 0) |
                    (ts_subtree_error_cost(tree) > 0 ? BROKEN : 0);
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

/* Copy all nodes of a tree; whether there was memory for it. */
static bool copy_records(const TSTree *tree, Records *made) {
    const TSLanguage *language = tree->language;
    Subtree root = tree->root;
    uint32_t room = ts_subtree_visible_descendant_count(root) + 1, size = 1;
    Record *records = malloc(room * sizeof(Record));
    Levels stack = {NULL, 0, 0};
    *made = (Records){.records = records};
    if (!records) return false;
    record_node(records, language, root, 0, ts_subtree_padding(root).bytes, 0, 0);
    records[0].found = 0;
    records[0].after = 1;
    if (ts_subtree_child_count(root) && !enter(&stack, language, root, records[0].start, 0, true, 0)) goto failed;
    while (stack.size) {
        Level *level = &stack.levels[stack.size - 1];
        if (level->next == level->count) {
            if (level->shown) records[level->owner].after = size;
            stack.size--;
            continue;
        }
        Subtree child = level->children[level->next];
        TSSymbol alias = 0;
        uint16_t field = 0;
        level->extra = ts_subtree_extra(child);
        if (!level->extra) {
            level->at = level->structural++;
            field = level->field;
            for (const TSFieldMapEntry *entry = level->fields; entry < level->fields_end; entry++) {
                if (!entry->inherited && entry->child_index == level->at) {
                    field = entry->field_id;
                    break;
                }
            }
            if (level->aliases) alias = level->aliases[level->at];
        }
        uint32_t start = level->position + (level->next ? ts_subtree_padding(child).bytes : 0);
        level->position = start + ts_subtree_size(child).bytes;
        level->next++;
        bool shown = alias || ts_subtree_visible(child);
        uint32_t owner = level->owner;
        if (shown) {
            if (size == room) goto failed;
            record_node(&records[size], language, child, alias, start, owner, field);
            if (!find_fields(made, &stack, size)) goto failed;
            owner = size++;
            records[owner].after = size;
        }
        if (ts_subtree_child_count(child)) {
            if (!enter(&stack, language, child, start, owner, shown, shown ? 0 : field)) goto failed;
            if (stack.size > made->depth) made->depth = stack.size;
        }
    }
    free(stack.levels);
    return true;
failed:
    free(stack.levels);
    forget_records(made);
    return false;
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
