/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_exchange: one request and its answer: what http.c, which owns it, shares with the
 * door (http_admit.c), the endpoints (http_api.c) and the event stream (http_stream.c).
 *
 * The life: RECEIVING its body; the endpoint begins it, and either it is ANSWERING at once
 * or it is RUNNING, suspended, until somebody calls exchange_answer(). An event stream is
 * ANSWERING while its run goes on. GONE: the caller went away.
 */
#ifndef CORDON_APP_HTTP_EXCHANGE_H
#define CORDON_APP_HTTP_EXCHANGE_H

#include <microhttpd.h>
#include <sys/types.h>

#include "app/http_error.h"
#include "app/http_head.h"
#include "base/io.h"
#include "cordon.h"

struct stream; /* http_stream.c */
struct check;  /* http_api.c */
struct exchange;

enum exchange_phase { EXCHANGE_RECEIVING, EXCHANGE_RUNNING, EXCHANGE_ANSWERING, EXCHANGE_GONE };

struct route {
    const char *path;
    const char *method;
    void (*begin)(struct exchange *x);
};

struct exchange {
    struct exchange *prev; /* all of the daemon's */
    struct exchange *next;
    struct http *http;
    struct client *client;
    struct MHD_Connection *connection;
    struct http_head head; /* what points into the headers: until the body begins */
    const struct route *route;
    enum exchange_phase phase;
    int suspended;
    int refused; /* with `problem`: what comes of the body is thrown away */
    int closes;  /* at once, and the connection with it */
    struct http_problem problem;
    struct buf body;
    struct cordon_run *run; /* in flight, to be cancelled with it */
    struct check *check;
    struct stream *stream; /* the response's, while it has one */
    struct MHD_Response *response;
    unsigned status;
};

struct cordon_engine *exchange_engine(const struct exchange *x);
/* What an approved run gets whose request says nothing of it. */
const char *const *exchange_environ(const struct exchange *x);
/* Whether the caller may ask at all: the daemon's own user, and root, who could become it. */
int exchange_is_served(const struct exchange *x);
/* Whether the caller is the user that the daemon runs as. */
int exchange_is_owner(const struct exchange *x);

/* Gives it its answer, at once or out of a callback of the engine. Takes the response. */
void exchange_answer(struct exchange *x, unsigned status, struct MHD_Response *response);
/* Of JSON text, which it takes. NULL: there was no memory for it. */
void exchange_answer_text(struct exchange *x, unsigned status, char *text);
void exchange_refuse(struct exchange *x, const struct http_problem *problem);

/* Nothing to send until exchange_resume(). Only inside MHD's callbacks. */
void exchange_suspend(struct exchange *x);
/* Accepts one that is not suspended. */
void exchange_resume(struct exchange *x);

/* ---- the door --------------------------------------------------------------------- */

/* Looks at the head: sets what the caller wants, and whether the request is refused for it. */
void admit(struct exchange *x, const char *path, const char *method, const char *version);
/* Returns -1. */
int admit_refuse_large(struct http_problem *problem);

/* ---- the endpoints ---------------------------------------------------------------- */

/* Each begins an exchange whose body is there. */
void api_execute(struct exchange *x);
void api_check(struct exchange *x);
void api_health(struct exchange *x);
/* Ends what an endpoint holds of it, cancelling what runs. */
void api_done(struct exchange *x);

/* ---- the event stream ------------------------------------------------------------- */

/* The response that tells events; the exchange's stream until it is destroyed. NULL: no memory. */
struct MHD_Response *stream_new(struct exchange *x);
void stream_output(struct stream *stream, enum cordon_stream which, const char *data, size_t len);
/* Its exchange goes before it does. */
void stream_forget(struct stream *stream);
/* The last event. Takes the result, which may be NULL. */
void stream_end(struct stream *stream, struct cordon_result *result);

#endif
