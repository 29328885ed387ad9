/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire: control packets between our own processes, and the reader of a sandbox's frames:
 * every order and size of frames that the header names, whole and byte by byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/wire.h"

/* ---- control ---------------------------------------------------------------- */

static void pair(int sv[2])
{
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, sv), 0);
}

static int next_fd(void)
{
    int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    (void)close(fd);
    return fd;
}

static void packet_arrives_as_sent(void **state)
{
    (void)state;
    static struct wire_packet packet;
    int before = next_fd();
    int sv[2];
    pair(sv);
    int fds[WIRE_FORK_FDS];
    for (size_t i = 0; i < WIRE_FORK_FDS; i++)
        fds[i] = sv[0];
    struct sandbox_spec spec = {.memory_bytes = 1, .tasks = 2, .walls_down = 3};

    assert_int_equal(wire_recv(sv[1], &packet), -EAGAIN);
    assert_int_equal(wire_send(sv[0], WIRE_FORK, 77, &spec, sizeof(spec), fds, WIRE_FORK_FDS), 0);
    assert_int_equal(wire_recv(sv[1], &packet), 1);
    assert_int_equal(packet.head.type, WIRE_FORK);
    assert_int_equal(packet.head.id, 77);
    assert_int_equal(packet.head.size, sizeof(spec));
    assert_memory_equal(packet.payload, &spec, sizeof(spec));
    assert_int_equal(packet.nfds, WIRE_FORK_FDS);
    for (size_t i = 0; i < packet.nfds; i++)
        fd_close(&packet.fds[i]);

    assert_int_equal(wire_send(sv[0], WIRE_KILL, UINT64_MAX, NULL, 0, NULL, 0), 0);
    assert_int_equal(wire_recv(sv[1], &packet), 1);
    assert_int_equal(packet.head.type, WIRE_KILL);
    assert_true(packet.head.id == UINT64_MAX);
    assert_int_equal(packet.head.size, 0);
    assert_int_equal(packet.payload[0], '\0');
    assert_int_equal(packet.nfds, 0);

    (void)close(sv[0]);
    assert_int_equal(wire_recv(sv[1], &packet), 0);
    (void)close(sv[1]);
    assert_int_equal(next_fd(), before);
}

/* The kernel tells of a reset first, and has the message still. */
static void the_last_words_of_a_peer_that_did_not_listen_arrive(void **state)
{
    (void)state;
    static struct wire_packet packet;
    int sv[2];
    pair(sv);
    assert_int_equal(wire_send(sv[1], WIRE_KILL, 1, NULL, 0, NULL, 0), 0); /* never read */
    assert_int_equal(wire_send(sv[0], WIRE_FAILED, 0, "why", 3, NULL, 0), 0);
    (void)close(sv[0]);
    assert_int_equal(wire_recv(sv[1], &packet), 1);
    assert_int_equal(packet.head.type, WIRE_FAILED);
    assert_string_equal(packet.payload, "why");
    assert_int_equal(wire_recv(sv[1], &packet), 0);
    (void)close(sv[1]);
}

static void text_payload_is_ended(void **state)
{
    (void)state;
    static struct wire_packet packet;
    int sv[2];
    pair(sv);
    memset(packet.payload, 'x', sizeof(packet.payload));
    assert_int_equal(wire_send(sv[0], WIRE_READY, 0, "3.11.2", 6, NULL, 0), 0);
    assert_int_equal(wire_recv(sv[1], &packet), 1);
    assert_string_equal(packet.payload, "3.11.2");
    (void)close(sv[0]);
    (void)close(sv[1]);
}

static void largest_packet_passes_and_larger_does_not(void **state)
{
    (void)state;
    static struct wire_packet packet;
    static char payload[WIRE_MSG_MAX];
    size_t most = WIRE_MSG_MAX - sizeof(struct wire_msg);
    int sv[2];
    pair(sv);
    memset(payload, 'p', sizeof(payload));
    assert_int_equal(wire_send(sv[0], WIRE_PLAN, 1, payload, most, NULL, 0), 0);
    assert_int_equal(wire_recv(sv[1], &packet), 1);
    assert_int_equal(packet.head.size, most);
    assert_memory_equal(packet.payload, payload, most);
    assert_int_equal(wire_send(sv[0], WIRE_PLAN, 1, payload, most + 1, NULL, 0), -EMSGSIZE);
    assert_int_equal(wire_recv(sv[1], &packet), -EAGAIN); /* nothing of it was sent */
    (void)close(sv[0]);
    (void)close(sv[1]);
}

static void malformed_packets_are_refused_and_their_descriptors_closed(void **state)
{
    (void)state;
    static struct wire_packet packet;
    static char bytes[WIRE_MSG_MAX + 1];
    struct wire_msg lies = {.type = WIRE_EXIT, .size = 4, .id = 1};
    int before = next_fd();
    int sv[2];
    int extra[WIRE_FORK_FDS + 2];
    pair(sv);
    for (size_t i = 0; i < ARRAY_LEN(extra); i++)
        extra[i] = sv[0];

    assert_int_equal(io_send_fds(sv[0], "short", 5, extra, 2), 0);
    assert_int_equal(wire_recv(sv[1], &packet), -EPROTO);
    assert_int_equal(packet.nfds, 0);

    memcpy(bytes, &lies, sizeof(lies)); /* says 4, carries 3 or 5 */
    assert_int_equal(io_send_fds(sv[0], bytes, sizeof(lies) + 3, extra, 1), 0);
    assert_int_equal(wire_recv(sv[1], &packet), -EPROTO);
    assert_int_equal(io_send_fds(sv[0], bytes, sizeof(lies) + 5, NULL, 0), 0);
    assert_int_equal(wire_recv(sv[1], &packet), -EPROTO);

    assert_int_equal(io_send_fds(sv[0], bytes, sizeof(bytes), extra, 1), 0);
    assert_int_equal(wire_recv(sv[1], &packet), -EMSGSIZE);
    assert_int_equal(packet.nfds, 0);

    /* More descriptors than any message has: the rest is closed, none leaks. */
    assert_int_equal(io_send_fds(sv[0], bytes, sizeof(lies) + 4, extra, ARRAY_LEN(extra)), 0);
    assert_int_equal(wire_recv(sv[1], &packet), 1);
    assert_int_equal(packet.nfds, WIRE_FORK_FDS);
    for (size_t i = 0; i < packet.nfds; i++)
        fd_close(&packet.fds[i]);

    (void)close(sv[0]);
    (void)close(sv[1]);
    assert_int_equal(next_fd(), before);
}

/* ---- channel ------------------------------------------------------------------ */

#define RESULT_MAX 100

struct script {
    char bytes[4096];
    size_t len;
};

static void put(struct script *s, const void *data, size_t len)
{
    assert_true(s->len + len <= sizeof(s->bytes));
    memcpy(s->bytes + s->len, data, len);
    s->len += len;
}

static void frame_claiming(struct script *s, uint32_t type, uint64_t size)
{
    struct frame_head head = {.type = type, .size = size};
    put(s, &head, sizeof(head));
}

static void frame(struct script *s, uint32_t type, const char *body)
{
    frame_claiming(s, type, strlen(body));
    put(s, body, strlen(body));
}

/* Feeds the script in pieces of `step` bytes and returns the reader's end state. */
static enum frame_state play(struct frame_reader *r, const struct script *s, size_t step)
{
    memset(r, 0, sizeof(*r));
    r->result_max = RESULT_MAX;
    for (size_t at = 0; at < s->len; at += step) {
        size_t n = s->len - at < step ? s->len - at : step;
        assert_int_equal(frame_reader_feed(r, s->bytes + at, n), 0);
    }
    return r->state;
}

/* The same bytes, however cut, give the same end. */
static void expect(const struct script *s, enum frame_state want, const char *result,
                   const char *end)
{
    static const size_t steps[] = {1, 2, 3, 5, 15, 16, 17, 31, sizeof(s->bytes)};
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        struct frame_reader r;
        assert_int_equal(play(&r, s, steps[i]), want);
        assert_int_equal(r.has_result && !r.result_too_big && r.result.data != NULL,
                         result != NULL);
        if (result)
            assert_string_equal(r.result.data, result);
        if (end)
            assert_string_equal(r.end.data, end);
        assert_int_equal(want == FRAMES_BROKEN, r.why != NULL);
        frame_reader_done(&r);
    }
}

/* READY's body, eight bytes: how much the sandbox was born with. */
#define BORN "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20"

static void honest_answer_is_read(void **state)
{
    (void)state;
    struct script s = {0};
    frame(&s, FRAME_READY, BORN);
    expect(&s, FRAMES_WAIT_END, NULL, NULL);
    struct frame_reader r;
    (void)play(&r, &s, 3);
    assert_memory_equal(&r.ready, BORN, sizeof(r.ready));
    frame_reader_done(&r);
    frame(&s, FRAME_RESULT, "{\"n\":1}");
    expect(&s, FRAMES_WAIT_END, "{\"n\":1}", NULL);
    frame(&s, FRAME_END, "{}");
    expect(&s, FRAMES_ENDED, "{\"n\":1}", "{}");
}

static void answer_without_a_result_is_read(void **state)
{
    (void)state;
    struct script s = {0};
    frame(&s, FRAME_READY, BORN);
    frame(&s, FRAME_END, "{\"outcome\":\"exit\"}");
    expect(&s, FRAMES_ENDED, NULL, "{\"outcome\":\"exit\"}");
}

static void nothing_counts_after_the_end(void **state)
{
    (void)state;
    struct script s = {0};
    frame(&s, FRAME_READY, BORN);
    frame(&s, FRAME_RESULT, "{}");
    frame(&s, FRAME_END, "first");
    frame(&s, FRAME_RESULT, "{\"forged\":1}");
    frame(&s, FRAME_END, "second");
    frame_claiming(&s, 12345, UINT64_MAX);
    expect(&s, FRAMES_ENDED, "{}", "first");
}

static void a_torn_frame_leaves_the_reader_waiting(void **state)
{
    (void)state;
    struct script s = {0};
    frame(&s, FRAME_READY, BORN);
    frame_claiming(&s, FRAME_RESULT, 50);
    put(&s, "only some", 9);
    expect(&s, FRAMES_WAIT_END, "only some", NULL);

    struct script head = {0};
    frame(&head, FRAME_READY, BORN);
    put(&head, "\x05", 1);
    expect(&head, FRAMES_WAIT_END, NULL, NULL);
}

static void failure_instead_of_readiness_is_read(void **state)
{
    (void)state;
    struct script s = {0};
    struct cordon_err err;
    (void)err_set(&err, CORDON_E_HOST, EPERM, "no");
    err_step(&err, "pivot-root");
    frame_claiming(&s, FRAME_FAILED, sizeof(err));
    put(&s, &err, sizeof(err));
    expect(&s, FRAMES_FAILED, NULL, NULL);

    struct frame_reader r;
    (void)play(&r, &s, 11);
    assert_int_equal(r.failure.code, CORDON_E_HOST);
    assert_int_equal(r.failure.sys, EPERM);
    assert_string_equal(r.failure.step, "pivot-root");
    assert_string_equal(r.failure.msg, "no: Operation not permitted");
    frame_reader_done(&r);
}

static void failure_text_without_an_end_is_ended(void **state)
{
    (void)state;
    struct script s = {0};
    struct cordon_err err;
    memset(&err, 'A', sizeof(err));
    frame_claiming(&s, FRAME_FAILED, sizeof(err));
    put(&s, &err, sizeof(err));

    struct frame_reader r;
    assert_int_equal(play(&r, &s, sizeof(s.bytes)), FRAMES_FAILED);
    assert_int_equal(strnlen(r.failure.step, sizeof(r.failure.step)), sizeof(r.failure.step) - 1);
    assert_int_equal(strnlen(r.failure.msg, sizeof(r.failure.msg)), sizeof(r.failure.msg) - 1);
    frame_reader_done(&r);
}

static void wrong_first_frames_break(void **state)
{
    (void)state;
    static const uint32_t types[] = {FRAME_RESULT, FRAME_END, FRAME_REQUEST, 0, UINT32_MAX};
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        struct script s = {0};
        frame(&s, types[i], "");
        frame(&s, FRAME_READY, BORN); /* too late */
        expect(&s, FRAMES_BROKEN, NULL, NULL);
    }
    struct script ready = {0};
    frame(&ready, FRAME_READY, "x");
    expect(&ready, FRAMES_BROKEN, NULL, NULL);

    static const uint64_t sizes[] = {0, sizeof(struct cordon_err) - 1,
                                     sizeof(struct cordon_err) + 1, UINT64_MAX};
    for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
        struct script s = {0};
        frame_claiming(&s, FRAME_FAILED, sizes[i]);
        expect(&s, FRAMES_BROKEN, NULL, NULL);
    }
}

static void wrong_later_frames_break(void **state)
{
    (void)state;
    static const uint32_t types[] = {FRAME_READY, FRAME_FAILED, FRAME_REQUEST,
                                     0,           0x43510007,   UINT32_MAX};
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        struct script s = {0};
        frame(&s, FRAME_READY, BORN);
        frame(&s, types[i], "");
        frame(&s, FRAME_END, "{}");
        expect(&s, FRAMES_BROKEN, NULL, NULL);
    }
}

static void a_second_result_breaks(void **state)
{
    (void)state;
    struct script s = {0};
    frame(&s, FRAME_READY, BORN);
    frame(&s, FRAME_RESULT, "{}");
    frame(&s, FRAME_RESULT, "{\"forged\":1}");
    frame(&s, FRAME_END, "{}");

    struct frame_reader r;
    assert_int_equal(play(&r, &s, 1), FRAMES_BROKEN);
    assert_int_equal(r.end.len, 0);
    assert_non_null(r.why);
    frame_reader_done(&r);

    struct script empty = {0}; /* also when the first was empty */
    frame(&empty, FRAME_READY, BORN);
    frame(&empty, FRAME_RESULT, "");
    frame(&empty, FRAME_RESULT, "");
    assert_int_equal(play(&r, &empty, 1), FRAMES_BROKEN);
    frame_reader_done(&r);
}

static void caps_hold_to_the_byte(void **state)
{
    (void)state;
    static const uint64_t over[] = {RESULT_MAX + 1, UINT32_MAX, UINT64_MAX, (uint64_t)1 << 63};
    char body[RESULT_MAX + 1] = {0};
    memset(body, 'r', RESULT_MAX);

    struct script fits = {0};
    frame(&fits, FRAME_READY, BORN);
    frame(&fits, FRAME_RESULT, body);
    frame(&fits, FRAME_END, "{}");
    expect(&fits, FRAMES_ENDED, body, "{}");

    for (size_t i = 0; i < ARRAY_LEN(over); i++) {
        struct frame_reader r;
        struct script s = {0};
        frame(&s, FRAME_READY, BORN);
        frame_claiming(&s, FRAME_RESULT, over[i]);
        put(&s, body, RESULT_MAX);
        assert_int_equal(play(&r, &s, 7), FRAMES_BROKEN);
        assert_int_equal(r.result_too_big, 1);
        assert_int_equal(r.result.cap, 0); /* not a byte was set aside for it */
        frame_reader_done(&r);
    }
}

static void the_end_has_a_cap_too(void **state)
{
    (void)state;
    struct frame_reader r;
    struct script s = {0};
    frame(&s, FRAME_READY, BORN);
    frame_claiming(&s, FRAME_END, FRAME_END_MAX + 1);
    assert_int_equal(play(&r, &s, 64), FRAMES_BROKEN);
    assert_int_equal(r.end.cap, 0);
    frame_reader_done(&r);

    s.len = 0;
    frame(&s, FRAME_READY, BORN);
    frame_claiming(&s, FRAME_END, FRAME_END_MAX);
    assert_int_equal(play(&r, &s, 64), FRAMES_WAIT_END);
    static char block[4096];
    memset(block, ' ', sizeof(block));
    for (size_t sent = 0; sent < FRAME_END_MAX; sent += sizeof(block)) {
        assert_int_equal(r.state, FRAMES_WAIT_END);
        assert_int_equal(frame_reader_feed(&r, block, sizeof(block)), 0);
    }
    assert_int_equal(r.state, FRAMES_ENDED);
    assert_int_equal(r.end.len, FRAME_END_MAX);
    frame_reader_done(&r);
}

static void memory_follows_bytes_and_not_claims(void **state)
{
    (void)state;
    struct frame_reader r = {.result_max = (uint64_t)1 << 40};
    struct script s = {0};
    frame(&s, FRAME_READY, BORN);
    frame_claiming(&s, FRAME_RESULT, (uint64_t)1 << 40);
    put(&s, "tiny", 4);
    assert_int_equal(frame_reader_feed(&r, s.bytes, s.len), 0);
    assert_int_equal(r.state, FRAMES_WAIT_END);
    assert_int_equal(r.result.len, 4);
    assert_true(r.result.cap <= 4096);
    frame_reader_done(&r);
}

static void reserved_bits_must_be_zero(void **state)
{
    (void)state;
    struct script s = {0};
    struct frame_head head = {.type = FRAME_READY, .reserved = 1};
    put(&s, &head, sizeof(head));
    expect(&s, FRAMES_BROKEN, NULL, NULL);
}

static void feeding_nothing_changes_nothing(void **state)
{
    (void)state;
    struct frame_reader r = {.result_max = RESULT_MAX};
    assert_int_equal(frame_reader_feed(&r, "", 0), 0);
    assert_int_equal(r.state, FRAMES_WAIT_READY);
    frame_reader_done(&r);
    frame_reader_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packet_arrives_as_sent),
        cmocka_unit_test(the_last_words_of_a_peer_that_did_not_listen_arrive),
        cmocka_unit_test(text_payload_is_ended),
        cmocka_unit_test(largest_packet_passes_and_larger_does_not),
        cmocka_unit_test(malformed_packets_are_refused_and_their_descriptors_closed),
        cmocka_unit_test(honest_answer_is_read),
        cmocka_unit_test(answer_without_a_result_is_read),
        cmocka_unit_test(nothing_counts_after_the_end),
        cmocka_unit_test(a_torn_frame_leaves_the_reader_waiting),
        cmocka_unit_test(failure_instead_of_readiness_is_read),
        cmocka_unit_test(failure_text_without_an_end_is_ended),
        cmocka_unit_test(wrong_first_frames_break),
        cmocka_unit_test(wrong_later_frames_break),
        cmocka_unit_test(a_second_result_breaks),
        cmocka_unit_test(caps_hold_to_the_byte),
        cmocka_unit_test(the_end_has_a_cap_too),
        cmocka_unit_test(memory_follows_bytes_and_not_claims),
        cmocka_unit_test(reserved_bits_must_be_zero),
        cmocka_unit_test(feeding_nothing_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
