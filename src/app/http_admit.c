/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_admit: what a request can be refused for by its head alone, and the table of what
 * there is to ask for.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/http_exchange.h"
#include "app/http_request.h"

static const struct route routes[] = {
    {"/v1/execute", "POST", api_execute},
    {"/v1/check", "POST", api_check},
    {"/v1/health", "GET", api_health},
};

static int find_route(struct exchange *x, const char *path, const char *method)
{
    if (strncasecmp(path, "http://", 7) == 0) /* RFC 9112, 3.2.2: any server has to take it */
        path = strchrnul(path + 7, '/');
    for (size_t i = 0; i < ARRAY_LEN(routes); i++)
        if (strcmp(routes[i].path, path) == 0)
            x->route = &routes[i];
    if (!x->route)
        return http_problem_set(&x->problem, HTTP_NOT_FOUND, NULL, "there is nothing at '%.200s'",
                                path);
    if (strcmp(x->route->method, method) != 0)
        return http_problem_set(&x->problem, HTTP_BAD_METHOD, NULL, "%s takes %s, not '%.100s'",
                                x->route->path, x->route->method, method);
    return 0;
}

int admit_refuse_large(struct http_problem *problem)
{
    return http_problem_set(problem, HTTP_TOO_LARGE, NULL,
                            "a body of more than %zu MiB is more than any profile takes",
                            HTTP_BODY_MAX >> 20);
}

/* libmicrohttpd has found it to be a number. */
static int check_length(struct exchange *x)
{
    const char *length =
        MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
    if (length && strtoull(length, NULL, 10) > HTTP_BODY_MAX)
        return admit_refuse_large(&x->problem);
    return 0;
}

static enum MHD_Result take_line(void *cls, enum MHD_ValueKind kind, const char *name,
                                 const char *value)
{
    (void)kind;
    http_head_take(cls, name, value);
    return MHD_YES;
}

static int check(struct exchange *x, const char *path, const char *method, const char *version)
{
    if (!exchange_is_served(x))
        return http_problem_set(&x->problem, HTTP_FORBIDDEN, NULL,
                                "this daemon serves the user that it runs as, and root");
    if (http_head_check(&x->head, strcmp(version, "HTTP/1.0") == 0, &x->problem) < 0 ||
        check_length(x) < 0 || find_route(x, path, method) < 0)
        return -1;
    return strcmp(method, "POST") == 0 ? http_head_check_content(&x->head, &x->problem) : 0;
}

/*
 * Most are answered when their body has come, so that they can read why: the connection is
 * closed under those who are still sending. Not waited for are strangers, giants, a body whose
 * end is in doubt, and whoever waits for a word of ours before the body is sent.
 */
static int waits(const struct exchange *x)
{
    switch ((int)x->problem.error) {
    case HTTP_FORBIDDEN:
    case HTTP_TOO_LARGE:
    case HTTP_BAD_HEADER:
    case HTTP_NOT_IMPLEMENTED:
        return 0;
    default:
        return x->head.expectations == 0;
    }
}

void admit(struct exchange *x, const char *path, const char *method, const char *version)
{
    (void)MHD_get_connection_values(x->connection, MHD_HEADER_KIND, take_line, &x->head);
    x->refused = check(x, path, method, version) < 0;
    x->closes = x->refused && !waits(x);
}
