/* Memory for one parse: taken in large pieces, given back all at once, and kept by the thread for the next.
 *
 * While a thread is inside an arena, what the runtime allocates comes from there; else from malloc. Each block
 * begins with its size class, 0 for malloc, so that it can be freed or moved from anywhere.
 */
#ifndef CUEDECK_ARENA_H
#define CUEDECK_ARENA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 16, CLASSES = 64, PIECE = 1 << 20, KEPT_PIECES = 4 };

typedef struct Piece {
    struct Piece *next;
} Piece;

typedef struct {
    Piece *pieces, *spare; /* in use, and kept for the next time */
    uint32_t spares;
    char *at, *end;
    void *freed[CLASSES];
} Arena;

static _Thread_local Arena *inside = NULL;

typedef union {
    uint64_t size_class;
    uint64_t alignment;
} Header;

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
    if (!arena || number >= CLASSES) {
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
    memset(arena->freed, 0, sizeof(arena->freed));
}

/* Give back everything at once; some pieces stay for the next time. */
static void arena_leave(Arena *arena) {
    inside = NULL;
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
