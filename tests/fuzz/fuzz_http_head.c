/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers of a request: any names and values, line by line in turn. What is refused is
 * refused in words that can be sent; what Accept says does not hang on how its list is spread
 * over lines.
 */
#include "app/http_head.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "broken: %s\n", #condition);                                           \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void look_at_problem(int rc, const struct http_problem *problem)
{
    if (rc == 0)
        return;
    char *text = http_problem_text(problem);
    MUST(text && problem->message[0] && http_problem_status(problem) >= 400);
    free(text);
}

/* Each line copied to where a read past its end is seen. */
static void take_lines(char *text, struct http_head *head, char **kept, size_t most)
{
    char *rest = text, *line;
    for (size_t n = 0; n + 1 < most && (line = strsep(&rest, "\n")); n += 2) {
        char *value = strsep(&rest, "\n");
        kept[n] = strdup(line);
        kept[n + 1] = value ? strdup(value) : NULL;
        MUST(kept[n] && (!value || kept[n + 1]));
        http_head_take(head, kept[n], kept[n + 1]);
    }
}

static void look_at_accept(const char *line)
{
    struct http_accept whole = {0}, twice = {0};
    http_accept_add(&whole, line);
    http_accept_add(&twice, line);
    http_accept_add(&twice, line);
    MUST(http_accept_events(&whole) == http_accept_events(&twice));
    MUST(whole.json.quality >= 0 && whole.json.quality <= 1000);
    MUST(whole.events.quality >= 0 && whole.events.quality <= 1000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *kept[64] = {NULL};
    struct http_head head = {0};
    struct http_problem problem;
    MUST(text);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    take_lines(text, &head, kept, sizeof(kept) / sizeof(kept[0]));
    look_at_problem(http_head_check(&head, 0, &problem), &problem);
    look_at_problem(http_head_check(&head, 1, &problem), &problem);
    look_at_problem(http_head_check_content(&head, &problem), &problem);
    (void)http_accept_events(&head.accept);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        if (kept[i])
            look_at_accept(kept[i]);
        free(kept[i]);
    }
    free(text);
    return 0;
}
