/* SPDX-License-Identifier: Apache-2.0 */
/*
 * warnings: what a sandbox's gate said, checked member by member before anyone sees it. It
 * is sent before user code starts, yet the parser behind it has read hostile text.
 */
#include "core/jsoncheck.h"
#include "core/result.h"

#include <string.h>

#define WARNINGS_MOST 256
#define NUMBER_MOST 1000000000

static const char *const texts[] = {"rule", "message", "snippet"};
static const char *const numbers[] = {"line", "column", "end_line", "end_column", "count"};

/* Text that can be handed on as a C string. */
static int is_text(const json_t *value)
{
    return json_is_string(value) && strlen(json_string_value(value)) == json_string_length(value);
}

static int is_number(const json_t *value)
{
    return json_is_integer(value) && json_integer_value(value) >= 0 &&
           json_integer_value(value) <= NUMBER_MOST;
}

static int is_warning(const json_t *warning)
{
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        if (!is_text(json_object_get(warning, texts[i])))
            return 0;
    for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
        if (!is_number(json_object_get(warning, numbers[i])))
            return 0;
    return json_object_size(warning) == ARRAY_LEN(texts) + ARRAY_LEN(numbers);
}

json_t *warnings_take(struct buf *text)
{
    json_t *all = json_take(text, 8 + WARNINGS_MOST * (1 + ARRAY_LEN(texts) + ARRAY_LEN(numbers)));
    json_t *list = json_object_get(all, "warnings");
    int good = json_is_array(list) && json_array_size(list) <= WARNINGS_MOST;
    for (size_t i = 0; good && i < json_array_size(list); i++)
        good = is_warning(json_array_get(list, i));
    json_t *taken = good ? json_incref(list) : NULL;
    json_decref(all);
    return taken;
}
