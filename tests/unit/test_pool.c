/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A keeper's socket that can be written to and takes nothing, as it is when too many of the
 * user's descriptors are on their way: the engine tries again after a while, and does not spin.
 */
#include "base/io.h"
#include "base/wire.h"
#include "cordon.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "execute.h"

#define REFUSED_NS 60000000u
#define TRIES_MAX 30u /* with 5 ms between them; a loop that spins makes many thousands */

static uint64_t first_ns; /* of the tries; 0: none yet */
static unsigned tries;
static int failure;

int __real_wire_send(int fd, enum wire_type type, uint64_t id, const void *payload, size_t size,
                     const int *fds, size_t nfds);
int __wrap_wire_send(int fd, enum wire_type type, uint64_t id, const void *payload, size_t size,
                     const int *fds, size_t nfds);

/* The linker's --wrap: what pool.c calls. */
int __wrap_wire_send(int fd, enum wire_type type, uint64_t id, const void *payload, size_t size,
                     const int *fds, size_t nfds)
{
    if (type == WIRE_FORK) {
        tries++;
        if (first_ns == 0)
            first_ns = io_now_ns();
        if (io_now_ns() < first_ns + REFUSED_NS)
            return failure;
    }
    return __real_wire_send(fd, type, id, payload, size, fds, nfds);
}

static void what_is_not_taken_is_sent_again_in_a_while(void **state)
{
    static const struct {
        int approved, failure;
    } rows[] = {{0, -ETOOMANYREFS}, {1, -ETOOMANYREFS}, {0, -ENOBUFS}};
    const struct cordon_options opts = {
        .size = sizeof(opts),
        .helper_dir = getenv("CORDON_WORKER_DIR"),
        .drop_walls = CORDON_WALL_GATE,
    };
    struct cordon_engine *engine = NULL;
    struct cordon_err err = {0};
    (void)state;
    if (cordon_engine_new(&opts, &engine, &err) != 0)
        fail_msg("%s: %s", err.step, err.msg);
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        first_ns = tries = 0;
        failure = rows[i].failure;
        struct cordon_result *result = execute(engine, "result['n'] = 1", rows[i].approved);
        assert_int_equal(cordon_result_status(result), CORDON_OK);
        cordon_result_free(result);
        assert_in_range(tries, 2, TRIES_MAX);
    }
    cordon_engine_free(engine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_taken_is_sent_again_in_a_while),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
