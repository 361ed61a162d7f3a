/* A source's characters, as a grammar's functions for tokens ask for them. */
#ifndef CUEDECK_READING_H
#define CUEDECK_READING_H

#include <stdbool.h>
#include <stdint.h>

#include "parser.h"
#include "unicode.h"

static const uint32_t NOWHERE = UINT32_MAX;

/* A source while it is read; the grammar's functions are given `lexer`, which stands first. */
typedef struct {
    TSLexer lexer;
    const char *text;
    uint32_t size;
    uint32_t at, width; /* the present character */
    uint32_t start, end;
} Reading;

static inline void look(Reading *reading) {
    if (reading->at >= reading->size) {
        reading->width = 1;
        reading->lexer.lookahead = 0;
        return;
    }
    uint8_t byte = (uint8_t)reading->text[reading->at];
    if (byte < 0x80) {
        reading->width = 1;
        reading->lexer.lookahead = byte;
        return;
    }
    const uint8_t *text = (const uint8_t *)reading->text + reading->at;
    reading->width = ts_decode_utf8(text, reading->size - reading->at, &reading->lexer.lookahead);
    if (reading->lexer.lookahead == TS_DECODE_ERROR) reading->width = 1;
}

static void read_on(TSLexer *lexer, bool skip) {
    Reading *reading = (Reading *)lexer;
    if (reading->at >= reading->size) return;
    reading->at += reading->width;
    if (skip) reading->start = reading->at;
    look(reading);
}

static void read_end(TSLexer *lexer) {
    Reading *reading = (Reading *)lexer;
    reading->end = reading->at;
}

static bool read_all(const TSLexer *lexer) {
    const Reading *reading = (const Reading *)lexer;
    return reading->at >= reading->size;
}

static bool read_nothing(const TSLexer *lexer) {
    return !read_all(lexer) && ((const Reading *)lexer)->at == 0;
}

/* How many characters stand before the present one in its line. */
static uint32_t read_column(TSLexer *lexer) {
    const Reading *reading = (const Reading *)lexer;
    uint32_t at = reading->at, column = 0;
    while (at > 0 && reading->text[at - 1] != '\n') at--;
    while (at < reading->at) {
        int32_t character;
        uint32_t width = ts_decode_utf8((const uint8_t *)reading->text + at, reading->size - at, &character);
        if (character == TS_DECODE_ERROR) width = 1;
        if (at > 0 || character != 0xFEFF) column++;
        at += width;
    }
    return column;
}

static void read_log(const TSLexer *lexer, const char *format, ...) {
    (void)lexer;
    (void)format;
}

static inline void read_from(Reading *reading, uint32_t at) {
    reading->at = at;
    reading->start = at;
    reading->end = NOWHERE;
    reading->lexer.result_symbol = 0;
    look(reading);
    if (at == 0 && reading->lexer.lookahead == 0xFEFF) read_on(&reading->lexer, true);
}

static inline void read_done(Reading *reading) {
    if (reading->end == NOWHERE) reading->end = reading->at;
    if (reading->end < reading->start) reading->start = reading->end;
}

#endif
