/* How a tree becomes records; included once for each kind of tree, which TREE and OF name. */

static inline bool OF(enter)(
    Levels *stack, const TSLanguage *language, TREE tree, uint32_t start, uint32_t owner, bool shown, uint16_t field,
    uint32_t height
) {
    Level *level = new_level(stack);
    if (!level) return false;
    uint32_t production = OF(production)(tree);
    *level = (Level){
        .children = OF(children)(tree),
        .count = OF(count)(tree),
        .position = start,
        .owner = owner,
        .shown = shown,
        .field = field,
        .height = height,
        .symbol = OF(symbol)(tree),
        .aliases = ts_language_alias_sequence(language, production),
    };
    ts_language_field_map(language, production, &level->fields, &level->fields_end);
    return true;
}

static inline void OF(record)(
    Record *record, const TSLanguage *language, TREE tree, TSSymbol alias, uint32_t start, uint32_t parent,
    uint16_t field
) {
    uint8_t flags = OF(flags)(tree);
    if (alias) flags = (flags & ~NAMED) | (ts_language_symbol_metadata(language, alias).named ? NAMED : 0);
    record->start = start;
    record->end = start + OF(size)(tree);
    record->parent = parent;
    TSSymbol symbol = alias ? alias : OF(symbol)(tree);
    record->kind = symbol == ts_builtin_sym_error ? symbol : language->public_symbol_map[symbol];
    record->field = field;
    record->flags = flags | (record->kind == ts_builtin_sym_error ? ERROR : 0);
}

/* Copy all nodes of a tree; whether there was memory for it. */
static bool OF(records)(const TSLanguage *language, TREE root, Records *made) {
    uint32_t room = OF(shown)(root) + 1, size = 1;
    Record *records = malloc(room * sizeof(Record));
    Levels stack = {NULL, 0, 0};
    *made = (Records){.records = records};
    if (!records) return false;
    OF(record)(records, language, root, 0, OF(padding)(root), 0, 0);
    records[0].found = 0;
    records[0].after = 1;
    if (OF(count)(root) && !OF(enter)(&stack, language, root, records[0].start, 0, true, 0, 1)) goto failed;
    while (stack.size) {
        Level *level = &stack.levels[stack.size - 1];
        if (level->next == level->count) {
            if (level->shown) records[level->owner].after = size;
            stack.size--;
            continue;
        }
        TREE child = ((TREE const *)level->children)[level->next];
        TSSymbol alias = 0;
        uint16_t field = 0;
        level->extra = OF(extra)(child);
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
        uint32_t start = level->position + (level->next ? OF(padding)(child) : 0);
        level->position = start + OF(size)(child);
        level->next++;
        bool shown = alias || OF(visible)(child);
        while (!shown && OF(count)(child) == 1 && !OF(production)(child) && !OF(extra)(OF(children)(child)[0])) {
            child = OF(children)(child)[0];
            shown = OF(visible)(child);
        }
        uint32_t owner = level->owner;
        if (shown) {
            if (size == room) goto failed;
            OF(record)(&records[size], language, child, alias, start, owner, field);
            if (!find_fields(made, &stack, size)) goto failed;
            owner = size++;
            records[owner].after = size;
        }
        if (OF(count)(child)) {
            uint32_t height = level->height + (shown || OF(symbol)(child) != level->symbol);
            if (height > made->depth) made->depth = height;
            if (!OF(enter)(&stack, language, child, start, owner, shown, shown ? 0 : field, height)) goto failed;
        }
    }
    free(stack.levels);
    return true;
failed:
    free(stack.levels);
    forget_records(made);
    return false;
}
