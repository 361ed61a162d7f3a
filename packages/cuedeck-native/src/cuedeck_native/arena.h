/* Memory for one parse: taken in large pieces, given back all at once, and kept by the thread for the next.
 *
 * While a thread is inside an arena, what the runtime allocates comes from there; else from malloc. Each block
 * begins with its size class, 0 for malloc, so that it can be freed or moved from anywhere. What is too large for
 * a piece comes from malloc too; the arena has a list of it.
 */
#ifndef CUEDECK_ARENA_H
#define CUEDECK_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 16, CLASSES = 64, LARGE = CLASSES, PIECE = 1 << 20, KEPT_PIECES = 4 };

typedef struct Piece {
    struct Piece *next;
} Piece;

/* A ring, so that a block leaves it without asking whose it is. */
typedef struct Ring {
    struct Ring *before, *after;
} Ring;

typedef struct {
    Piece *pieces, *spare; /* in use, and kept for the next time */
    uint32_t spares;
    char *at, *end;
    void *freed[CLASSES];
    Ring large;
} Arena;

static _Thread_local Arena *inside = NULL;

typedef union {
    uint64_t size_class;
    uint64_t alignment;
} Header;

typedef struct {
    Ring ring;
    Header header;
} Large;

static Header *large_linked(Large *large, Ring *before) {
    if (!large) abort();
    large->ring.before = before;
    large->ring.after = before->after;
    before->after->before = &large->ring;
    before->after = &large->ring;
    large->header.size_class = LARGE;
    return &large->header;
}

static Large *large_unlinked(Header *header) {
    Large *large = (Large *)((char *)header - offsetof(Large, header));
    large->ring.before->after = large->ring.after;
    large->ring.after->before = large->ring.before;
    return large;
}

static void *arena_piece(Arena *arena) {
    Piece *piece = arena->spare;
    if (piece) {
        arena->spare = piece->next;
        arena->spares--;
    } else if (!(piece = malloc(PIECE))) {
        abort(); /* as the runtime itself does */
    }
    piece->next = arena->pieces;
    arena->pieces = piece;
    arena->at = (char *)(piece + 1);
    arena->end = (char *)piece + PIECE;
    return piece;
}

static void *arena_malloc(size_t size) {
    Arena *arena = inside;
    size_t number = (size + sizeof(Header) + STEP - 1) / STEP;
    Header *header;
    if (arena && number >= CLASSES) return large_linked(malloc(sizeof(Large) + size), &arena->large) + 1;
    if (!arena) {
        header = malloc(size + sizeof(Header));
        if (!header) abort();
        header->size_class = 0;
        return header + 1;
    }
    if ((header = arena->freed[number])) {
        arena->freed[number] = *(void **)(header + 1);
        return header + 1;
    }
    if ((size_t)(arena->end - arena->at) < number * STEP) arena_piece(arena);
    header = (Header *)arena->at;
    arena->at += number * STEP;
    header->size_class = number;
    return header + 1;
}

static void *arena_calloc(size_t count, size_t size) {
    if (size && count > SIZE_MAX / 2 / size) abort();
    void *made = arena_malloc(count * size);
    memset(made, 0, count * size);
    return made;
}

static void arena_free(void *block) {
    if (!block) return;
    Header *header = (Header *)block - 1;
    if (!header->size_class) {
        free(header);
    } else if (header->size_class == LARGE) {
        free(large_unlinked(header));
    } else if (inside) {
        *(void **)block = inside->freed[header->size_class];
        inside->freed[header->size_class] = header;
    }
}

static void *arena_realloc(void *block, size_t size) {
    if (!block) return arena_malloc(size);
    Header *header = (Header *)block - 1;
    if (!header->size_class) {
        Header *moved = realloc(header, size + sizeof(Header));
        if (!moved) abort();
        return moved + 1;
    }
    if (header->size_class == LARGE) {
        Large *large = large_unlinked(header);
        Ring *before = large->ring.before;
        return large_linked(realloc(large, sizeof(Large) + size), before) + 1;
    }
    size_t room = header->size_class * STEP - sizeof(Header);
    if (size <= room) return block;
    void *made = arena_malloc(size);
    memcpy(made, block, room);
    arena_free(block);
    return made;
}

static void arena_enter(Arena *arena) {
    inside = arena;
    arena->at = arena->end = NULL;
    arena->large.before = arena->large.after = &arena->large;
    memset(arena->freed, 0, sizeof(arena->freed));
}

/* Give back everything at once; some pieces stay for the next time. */
static void arena_leave(Arena *arena) {
    inside = NULL;
    while (arena->large.after != &arena->large) {
        free(large_unlinked(&((Large *)arena->large.after)->header));
    }
    while (arena->pieces) {
        Piece *piece = arena->pieces;
        arena->pieces = piece->next;
        if (arena->spares < KEPT_PIECES) {
            piece->next = arena->spare;
            arena->spare = piece;
            arena->spares++;
        } else {
            free(piece);
        }
    }
}

static void arena_end(Arena *arena) {
    while (arena->spare) {
        Piece *piece = arena->spare;
        arena->spare = piece->next;
        free(piece);
    }
}

#endif
