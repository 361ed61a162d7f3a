/* What a grammar's tables say, and the tokens of a source. */
#ifndef CUEDECK_TOKENS_H
#define CUEDECK_TOKENS_H

#include "clock.h"
#include "error_costs.h"
#include "heads.h"

static inline uint16_t table_value(Direct *self, TSStateId state, TSSymbol symbol) {
    const TSLanguage *language = self->language;
    if (state < language->large_state_count) return language->parse_table[state * language->symbol_count + symbol];
    uint32_t key = (uint32_t)state << 16 | symbol;
    Lookup *lookup = &self->lookups[(key * 0x9E3779B1u) >> (32 - LOOKUP_BITS)];
    if (lookup->key != key) {
        lookup->key = key;
        lookup->value = ts_language_lookup(language, state, symbol);
    }
    return lookup->value;
}

static inline TableEntry table_entry(Direct *self, TSStateId state, TSSymbol symbol) {
    const TSParseActionEntry *entry = &self->language->parse_actions[table_value(self, state, symbol)];
    return (TableEntry){(const TSParseAction *)(entry + 1), entry->entry.count, entry->entry.reusable};
}

static inline TSLexerMode mode_of(const TSLanguage *language, TSStateId state) {
    if (language->abi_version >= LANGUAGE_VERSION_WITH_RESERVED_WORDS) return language->lex_modes[state];
    TSLexMode mode = ((const TSLexMode *)language->lex_modes)[state];
    return (TSLexerMode){mode.lex_state, mode.external_lex_state, 0};
}

static inline bool same_mode(TSLexerMode one, TSLexerMode other) {
    return one.lex_state == other.lex_state && one.external_lex_state == other.external_lex_state &&
           one.reserved_word_set_id == other.reserved_word_set_id;
}

/* Whether the external scanner finds a token here; it is asked as if it had only seen what stands on this stack. */
static bool scan(Direct *self, const Memo *memo, TSStateId state, TSLexerMode mode, bool in_error) {
    const TSLanguage *language = self->language;
    Reading *reading = &self->reading;
    uint32_t from = reading->at;
    language->external_scanner.deserialize(self->scanner, memo ? memo->bytes : NULL, memo ? memo->size : 0);
    const bool *wanted = ts_language_enabled_external_tokens(language, mode.external_lex_state);
    bool found = language->external_scanner.scan(self->scanner, &reading->lexer, wanted);
    read_done(reading);
    if (!found || reading->end > from) return found;
    uint32_t size = language->external_scanner.serialize(self->scanner, self->buffer);
    uint32_t before = memo ? memo->size : 0;
    if (size != before || (size && memcmp(memo->bytes, self->buffer, size) != 0)) return true;
    /* An empty token that changes nothing would be found for ever. */
    TSSymbol symbol = language->external_scanner.symbol_map[reading->lexer.result_symbol];
    return !in_error && ts_language_next_state(language, state, symbol) != state;
}

static inline Part *leaf(Direct *self, TSSymbol symbol, uint32_t from, TSStateId state) {
    Part *part = take(self->arena, sizeof(Part));
    *part = (Part){
        .padding = self->reading.start - from,
        .size = self->reading.end - self->reading.start,
        .symbol = symbol,
        .state = state,
        .flags = flags_of(self->language, symbol) | (symbol == ts_builtin_sym_end ? EXTRA : 0),
    };
    return part;
}

static Part *external_leaf(Direct *self, uint32_t from, TSStateId state) {
    const TSLanguage *language = self->language;
    Part *part = leaf(self, language->external_scanner.symbol_map[self->reading.lexer.result_symbol], from, state);
    uint32_t size = language->external_scanner.serialize(self->scanner, self->buffer);
    Memo *memo = take(self->arena, sizeof(Memo) + size);
    memo->size = size;
    memcpy(memo->bytes, self->buffer, size);
    part->memo = memo;
    part->flags |= EXTERNAL;
    return part;
}

/* The keyword that a word is, where one may stand here. */
static TSSymbol keyword(Direct *self, TSStateId state, uint8_t *flags) {
    const TSLanguage *language = self->language;
    Reading *reading = &self->reading;
    TSSymbol word = language->keyword_capture_token;
    uint32_t start = reading->start, end = reading->end;
    read_from(reading, start);
    bool found = language->keyword_lex_fn(&reading->lexer, 0);
    TSSymbol symbol = reading->lexer.result_symbol;
    bool whole = found && reading->end == end;
    reading->start = start;
    reading->end = end;
    if (found) *flags |= KEYWORD;
    if (!whole) return word;
    return table_value(self, state, symbol) || ts_language_is_reserved_word(language, state, symbol) ? symbol : word;
}

/* The token that a head meets next. None where a rule that may stand anywhere ends by itself, or nothing is found:
 * then `lost` says so. */
static Part *token(Direct *self, const Head *head, TSStateId state) {
    const TSLanguage *language = self->language;
    Reading *reading = &self->reading;
    TSLexerMode mode = mode_of(language, state);
    uint32_t from = head->top->position;
    bool in_error = false;
    if (mode.lex_state == UINT16_MAX) return NULL;
    if (++self->tokens % TOKENS_BETWEEN_LOOKS == 0 && thread_nanoseconds() > self->deadline) {
        self->lost = true;
        return NULL;
    }
    for (;;) {
        if (mode.external_lex_state) {
            read_from(reading, from);
            if (scan(self, head->memo, state, mode, in_error)) return external_leaf(self, from, state);
        }
        read_from(reading, from);
        if (language->lex_fn(&reading->lexer, mode.lex_state)) break;
        if (in_error) {
            self->lost = true;
            return NULL;
        }
        in_error = true;
        mode = mode_of(language, ERROR_STATE);
    }
    read_done(reading);
    TSSymbol symbol = reading->lexer.result_symbol;
    uint8_t flags = 0;
    if (symbol && symbol == language->keyword_capture_token) symbol = keyword(self, state, &flags);
    Part *part = leaf(self, symbol, from, state);
    part->flags |= flags;
    return part;
}

static bool serves_again(Direct *self, const Part *token, TSStateId state, TableEntry entry) {
    TSLexerMode mode = mode_of(self->language, state);
    if (mode.lex_state == UINT16_MAX) return false;
    if (entry.action_count > 0 && same_mode(mode, mode_of(self->language, token->state)) &&
        (token->symbol != self->language->keyword_capture_token ||
         (!(token->flags & KEYWORD) && token->state == state)))
        return true;
    if (!token->size && token->symbol != ts_builtin_sym_end) return false;
    return !mode.external_lex_state && entry.is_reusable;
}

static inline Part *cached_token(Direct *self, const Head *head, TSStateId state, TableEntry *entry) {
    if (!self->cached || self->cached_at != head->top->position) return NULL;
    if (!same_memo(self->cached_memo, head->memo)) return NULL;
    *entry = table_entry(self, state, self->cached->symbol);
    return serves_again(self, self->cached, state, *entry) ? self->cached : NULL;
}

static Part *changed(Direct *self, const Part *part) {
    Part *copy = take(self->arena, sizeof(Part));
    *copy = *part;
    return copy;
}

#endif
