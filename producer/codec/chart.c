/*
 * A layout of rows and seats as canonical JSON, and the name that follows from it. Two resources
 * with equal rows have one chart. Reads a layout back, from a chart or from a seating plan.
 */
#include <stdio.h>
#include <string.h>

#include "producer/base/digest.h"
#include "producer/codec/definition_fields.h"
#include "producer/codec/definition_rows.h"
#include "producer/codec/message_append.h"
#include "producer/codec/message_parse.h"
#include "producer/codec/seating_plan.h"
#include "usher/message.h"

static void append_rows(struct usher_buffer *out, const struct usher_section *section)
{
    MESSAGE_LITERAL(out, ",\"rows\":[");
    for (uint32_t i = 0; i < section->row_count; i++) {
        message_append_comma(out, i);
        message_append_text(out, "{\"row\"", section->rows[i].row);
        message_append_number(out, ",\"seats\"", section->rows[i].seats);
        message_append_number(out, ",\"first\"", definition_row_first(&section->rows[i]));
        definition_encode_seats(&section->rows[i], out);
        MESSAGE_LITERAL(out, "}");
    }
    MESSAGE_LITERAL(out, "]");
}

void usher_chart_encode(const struct usher_section *sections, uint32_t count,
                        struct usher_buffer *out)
{
    uint32_t written = 0;
    MESSAGE_LITERAL(out, "{\"sections\":[");
    for (uint32_t i = 0; i < count; i++) {
        if (sections[i].row_count == 0)
            continue;
        message_append_comma(out, written++);
        message_append_text(out, "{\"section\"", sections[i].section);
        append_rows(out, &sections[i]);
        MESSAGE_LITERAL(out, "}");
    }
    MESSAGE_LITERAL(out, "]}");
}

struct layout {
    const struct usher_section *sections;
    uint32_t count;
};

static const struct message_field layout_fields[] = {
    {"sections", MESSAGE_PARTS, offsetof(struct layout, sections), offsetof(struct layout, count),
     .max = USHER_DEFINE_SIZE_MAX, .of = &section_table, .needed = true},
};

static const struct message_table layout_table = MESSAGE_TABLE(layout_fields);

static enum usher_status chart_read(const struct message_reader *reader, yyjson_val *root,
                                    const struct usher_section **sections, uint32_t *count)
{
    struct layout layout = {NULL, 0};
    enum usher_status status = message_read_object(reader, NULL, root, &layout_table, &layout);
    *sections = layout.sections;
    *count = layout.count;
    for (uint32_t i = 0; status == USHER_OK && i < *count; i++) {
        if ((*sections)[i].row_count == 0) {
            status = message_fail(reader, NULL, "sections", "\"%s\" has no rows",
                                  (*sections)[i].section);
        }
    }
    return status;
}

/* What reads the tree of a document, and where its sections go. */
struct reading {
    enum usher_status (*read)(const struct message_reader *reader, yyjson_val *root,
                              const struct usher_section **sections, uint32_t *count);
    const struct usher_section **sections;
    uint32_t *count;
};

static enum usher_status sections_decode(const struct reading *reading, const char *json,
                                         size_t size, struct usher_arena *arena,
                                         struct usher_error *err)
{
    struct message_document document;
    *reading->sections = NULL;
    *reading->count = 0;
    enum usher_status status = message_document_open(&document, message_parse, json, size, arena);
    if (status == USHER_OK)
        status =
            reading->read(&document.reader, document.tree.root, reading->sections, reading->count);
    return message_document_close(&document, status, err);
}

enum usher_status usher_chart_decode(const char *json, size_t size, struct usher_arena *arena,
                                     const struct usher_section **sections, uint32_t *count,
                                     struct usher_error *err)
{
    return sections_decode(&(struct reading){chart_read, sections, count}, json, size, arena, err);
}

enum usher_status usher_plan_decode(const char *json, size_t size, struct usher_arena *arena,
                                    const struct usher_section **sections, uint32_t *count,
                                    struct usher_error *err)
{
    return sections_decode(&(struct reading){plan_decode, sections, count}, json, size, arena, err);
}

void usher_chart_name(const char *json, size_t size, char name[72])
{
    unsigned char digest[DIGEST_SIZE];
    digest_sha256(&(struct digest_part){json, size}, 1, digest);
    memcpy(name, "sha256:", 7);
    for (size_t i = 0; i < sizeof digest; i++)
        (void)snprintf(name + 7 + 2 * i, 3, "%02x", digest[i]);
}
