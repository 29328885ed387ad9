/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http: see http.h. libmicrohttpd speaks HTTP, on an epoll of its own; this file keeps track
 * of connections and requests around it.
 *
 *   1. MHD suspends and resumes; an exchange's `suspended` says what it was told last
 *   2. a suspended connection is not MHD's to watch: while it is, and only then, `poll` holds
 *      its descriptor, for the one event that its caller is gone. (To end only the sending
 *      side is to go: MHD, which reads on after a resumption, takes it so.)
 */
#include "app/http.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "app/http_client.h"
#include "app/http_exchange.h"
#include "app/http_request.h"
#include "base/err.h"

/* A request's line and headers have to fit in, and a piece of the body at a time. */
#define CONNECTION_BYTES ((size_t)64 << 10)
#define CONNECTIONS_MAX 1000

struct http {
    struct MHD_Daemon *daemon;
    struct http_options options;
    int poll; /* MHD's own epoll, and the callers of suspended exchanges */
    int draining;
    struct exchange exchanges; /* ring */
    struct clients clients;
};

/* ---- clients ---------------------------------------------------------------------------- */

static void on_connection(void *cls, struct MHD_Connection *connection, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    struct http *http = cls;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (code == MHD_CONNECTION_NOTIFY_STARTED)
        *context = info ? client_new(&http->clients, info->connect_fd) : NULL;
    else if (*context)
        client_free(*context);
}

static struct client *client_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static void *on_first_line(void *cls, const char *line, struct MHD_Connection *connection)
{
    struct client *c = client_of(connection);
    (void)cls;
    (void)line;
    if (c)
        c->has_begun = 1;
    return NULL; /* there is no exchange yet */
}

/* ---- exchanges ---------------------------------------------------------------------------- */

static struct exchange *exchange_new(struct http *http, struct MHD_Connection *connection)
{
    struct client *client = client_of(connection);
    struct exchange *x = client ? calloc(1, sizeof(*x)) : NULL;
    if (!x)
        return NULL;
    x->http = http;
    x->client = client;
    x->connection = connection;
    x->prev = http->exchanges.prev;
    x->next = &http->exchanges;
    x->prev->next = x->next->prev = x;
    return x;
}

static void exchange_free(struct exchange *x)
{
    api_done(x);
    if (x->stream)
        stream_forget(x->stream);
    if (x->response)
        MHD_destroy_response(x->response);
    buf_done(&x->body);
    x->prev->next = x->next;
    x->next->prev = x->prev;
    free(x);
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **context,
                         enum MHD_RequestTerminationCode code)
{
    struct exchange *x = *context;
    (void)cls;
    (void)connection;
    (void)code;
    *context = NULL;
    if (!x)
        return;
    client_await_request(x->client);
    exchange_free(x);
}

struct cordon_engine *exchange_engine(const struct exchange *x)
{
    return x->http->options.engine;
}

const char *const *exchange_environ(const struct exchange *x)
{
    return x->http->options.environ;
}

int exchange_is_owner(const struct exchange *x)
{
    return x->client->known && x->client->uid == geteuid();
}

int exchange_is_served(const struct exchange *x)
{
    return exchange_is_owner(x) || (x->client->known && x->client->uid == 0);
}

void exchange_suspend(struct exchange *x)
{
    struct epoll_event gone = {.events = EPOLLRDHUP, .data.ptr = x};
    (void)epoll_ctl(x->http->poll, EPOLL_CTL_ADD, x->client->fd, &gone);
    MHD_suspend_connection(x->connection);
    x->suspended = 1;
}

void exchange_resume(struct exchange *x)
{
    if (!x->suspended)
        return;
    x->suspended = 0;
    (void)epoll_ctl(x->http->poll, EPOLL_CTL_DEL, x->client->fd, NULL);
    MHD_resume_connection(x->connection);
}

/* The caller is gone, or we are about to be: nothing of it goes on. */
static void exchange_abandon(struct exchange *x)
{
    x->phase = EXCHANGE_GONE;
    api_done(x);
    exchange_resume(x);
}

/* ---- answers -------------------------------------------------------------------------------- */

void exchange_answer(struct exchange *x, unsigned status, struct MHD_Response *response)
{
    x->phase = EXCHANGE_ANSWERING;
    x->status = status;
    x->response = response;
    exchange_resume(x);
}

void exchange_answer_text(struct exchange *x, unsigned status, char *text)
{
    static char sorry[] = "{\"error\": \"internal\", \"field\": null, \"message\": "
                          "\"there is no memory for the answer\"}";
    struct MHD_Response *response =
        text ? MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE)
             : MHD_create_response_from_buffer(strlen(sorry), sorry, MHD_RESPMEM_PERSISTENT);
    if (!response)
        free(text);
    else
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "application/json");
    exchange_answer(x, text ? status : MHD_HTTP_INTERNAL_SERVER_ERROR, response);
}

void exchange_refuse(struct exchange *x, const struct http_problem *problem)
{
    exchange_answer_text(x, http_problem_status(problem), http_problem_text(problem));
    if (!x->response)
        return;
    if (problem->error == HTTP_BAD_METHOD)
        (void)MHD_add_response_header(x->response, MHD_HTTP_HEADER_ALLOW, x->route->method);
    if (problem->error == HTTP_BAD_ENCODING)
        (void)MHD_add_response_header(x->response, MHD_HTTP_HEADER_ACCEPT_ENCODING, "identity");
    if (problem->error == HTTP_BAD_MEDIA_TYPE)
        (void)MHD_add_response_header(x->response, MHD_HTTP_HEADER_ACCEPT, "application/json");
}

/* Hands the answer to MHD. Without one (no memory) the connection is closed. */
static enum MHD_Result queue_answer(struct exchange *x)
{
    struct MHD_Response *response = x->response;
    if (!response)
        return MHD_NO;
    x->response = NULL;
    if (x->http->draining || x->closes)
        (void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    enum MHD_Result queued = MHD_queue_response(x->connection, x->status, response);
    MHD_destroy_response(response); /* our reference */
    return queued;
}

/* ---- what MHD tells --------------------------------------------------------------------------- */

/* Paths are taken as they are written: "%00" would end one early. */
static size_t keep_escapes(void *cls, struct MHD_Connection *connection, char *text)
{
    (void)cls;
    (void)connection;
    return strlen(text);
}

static enum MHD_Result begin_head(struct exchange *x, const char *path, const char *method,
                                  const char *version)
{
    client_await_body(x->client);
    admit(x, path, method, version);
    if (!x->closes)
        return MHD_YES;
    client_stop_awaiting(x->client);
    exchange_refuse(x, &x->problem);
    return queue_answer(x);
}

/* A body without a length may turn out too large: it is read on, so as to be answered. */
static enum MHD_Result take_piece(struct exchange *x, const char *data, size_t *len)
{
    if (!x->refused && buf_add(&x->body, data, *len, HTTP_BODY_MAX) < 0) {
        x->refused = 1;
        (void)admit_refuse_large(&x->problem);
        buf_done(&x->body);
    }
    *len = 0;
    return MHD_YES;
}

static enum MHD_Result begin(struct exchange *x)
{
    client_stop_awaiting(x->client);
    if (!x->refused && !x->body.data && buf_add(&x->body, "", 0, 0) < 0)
        return MHD_NO;
    if (!x->refused && x->http->draining)
        x->refused =
            http_problem_set(&x->problem, HTTP_DRAINING, NULL, "the daemon is about to end") < 0;
    if (x->refused)
        exchange_refuse(x, &x->problem);
    else
        x->route->begin(x);
    buf_done(&x->body);
    if (x->phase == EXCHANGE_ANSWERING)
        return queue_answer(x);
    x->phase = EXCHANGE_RUNNING;
    exchange_suspend(x);
    return MHD_YES;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url,
                                  const char *method, const char *version, const char *data,
                                  size_t *len, void **context)
{
    struct exchange *x = *context;
    if (!x) {
        *context = x = exchange_new(cls, connection);
        return x ? begin_head(x, url, method, version) : MHD_NO;
    }
    if (x->phase == EXCHANGE_GONE)
        return MHD_NO;
    if (x->phase == EXCHANGE_ANSWERING)
        return queue_answer(x);
    return *len > 0 ? take_piece(x, data, len) : begin(x);
}

/* ---- the daemon ------------------------------------------------------------------------------- */

/* Runs need descriptors, too: several each. */
static unsigned connections_most(void)
{
    struct rlimit files;
    if (getrlimit(RLIMIT_NOFILE, &files) < 0 || files.rlim_cur / 4 > CONNECTIONS_MAX)
        return CONNECTIONS_MAX;
    return files.rlim_cur > 4 ? (unsigned)(files.rlim_cur / 4) : 1;
}

static int start(struct http *http)
{
    unsigned patience_s = (unsigned)((http->options.patience_ms + 999) / 1000);
    http->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_request, http,
        MHD_OPTION_LISTEN_SOCKET, http->options.listen_fd, MHD_OPTION_CONNECTION_LIMIT,
        http->clients.most, MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_BYTES,
        MHD_OPTION_CONNECTION_TIMEOUT, patience_s, MHD_OPTION_URI_LOG_CALLBACK, on_first_line, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, http, MHD_OPTION_NOTIFY_COMPLETED,
        on_completed, http, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_END);
    if (!http->daemon)
        return errno ? -errno : -EIO;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info && epoll_ctl(http->poll, EPOLL_CTL_ADD, info->epoll_fd, &event) == 0 ? 0 : -errno;
}

int http_open(const struct http_options *options, struct http **ret, struct cordon_err *reterr)
{
    struct http *http = calloc(1, sizeof(*http));
    if (!http)
        return err_set(reterr, CORDON_E_NOMEM, ENOMEM, "cannot serve");
    http->options = *options;
    http->exchanges.next = http->exchanges.prev = &http->exchanges;
    clients_init(&http->clients, connections_most(), options->patience_ms);
    http->poll = epoll_create1(EPOLL_CLOEXEC);
    int rc = http->poll < 0 ? -errno : start(http);
    if (rc < 0) {
        http_close(http);
        return err_set(reterr, CORDON_E_HOST, -rc, "cannot serve");
    }
    *ret = http;
    return 0;
}

int http_fd(const struct http *http)
{
    return http->poll;
}

int http_timeout(const struct http *http)
{
    MHD_UNSIGNED_LONG_LONG mhd_ms;
    uint64_t ms = UINT64_MAX;
    if (MHD_get_timeout(http->daemon, &mhd_ms) == MHD_YES)
        ms = mhd_ms;
    uint64_t now = io_now_ns(), end = clients_due_ns(&http->clients);
    if (end != UINT64_MAX) {
        uint64_t ours = end > now ? (end - now) / 1000000u + 1 : 0;
        ms = ours < ms ? ours : ms;
    }
    return ms == UINT64_MAX ? -1 : ms < 60000 ? (int)ms : 60000;
}

/* Of suspended exchanges, those whose callers are gone. Nothing is freed here. */
static void find_gone(struct http *http)
{
    struct epoll_event events[64];
    int n = epoll_wait(http->poll, events, ARRAY_LEN(events), 0);
    for (int i = 0; i < n; i++)
        if (events[i].data.ptr)
            exchange_abandon(events[i].data.ptr);
}

/* When it was full, MHD looks for who waits to be let in only when it is called once more. */
static void run_daemon(struct http *http)
{
    int was_full;
    do {
        was_full = http->clients.count >= http->clients.most;
        (void)MHD_run(http->daemon);
    } while (was_full && http->clients.count < http->clients.most);
}

void http_step(struct http *http)
{
    find_gone(http);
    run_daemon(http); /* first: what has come in time counts, however late we are */
    clients_lose_patience(&http->clients);
}

/* MHD itself accepts nobody once it is told to end. Returns whether nobody is left. */
static int accept_last(struct http *http)
{
    struct sockaddr_un from;
    while (http->clients.count < http->clients.most) {
        socklen_t len = sizeof(from);
        int fd = accept4(http->options.listen_fd, (struct sockaddr *)&from, &len,
                         SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd < 0)
            return 1;
        (void)MHD_add_connection(http->daemon, fd, (struct sockaddr *)&from, len);
    }
    return 0;
}

void http_drain(struct http *http)
{
    http->draining = 1;
    (void)MHD_quiesce_daemon(http->daemon);
}

/*
 * Whoever has sent nothing cannot from now on: sending fails, and tells him that nothing was
 * lost. The second look is for what came before that.
 */
int http_drained(struct http *http)
{
    unsigned waited_for = !accept_last(http);
    if (http->exchanges.next != &http->exchanges)
        return 0;
    struct client *awaited = &http->clients.awaited;
    for (struct client *c = awaited->next; c != awaited; c = c->next) {
        if (!client_has_sent(c))
            (void)shutdown(c->fd, SHUT_RD);
        waited_for += client_has_sent(c);
    }
    return waited_for == 0;
}

void http_close(struct http *http)
{
    if (!http)
        return;
    for (struct exchange *x = http->exchanges.next; x != &http->exchanges; x = x->next)
        exchange_abandon(x);
    if (http->daemon) {
        if (!http->draining)
            (void)MHD_quiesce_daemon(http->daemon);
        MHD_stop_daemon(http->daemon);
    }
    fd_close(&http->poll);
    free(http);
}
