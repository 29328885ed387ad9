/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire: what crosses a socket between Cordon's own processes, and nothing else.
 *
 * Two kinds of link:
 *
 *   control  engine <-> keeper <-> zygote: SOCK_SEQPACKET, one struct wire_msg and its
 *            payload per packet. These peers are ours.
 *   channel  engine <-> one sandbox: SOCK_STREAM, frames. The sandbox's end is hostile
 *            once user code has started: the reader below is the only code that looks at
 *            its bytes, it allocates no more than the caps, and any breach ends the
 *            reading (first fuzz target).
 *
 * All integers are in host byte order: both ends are one machine.
 */
#ifndef CORDON_BASE_WIRE_H
#define CORDON_BASE_WIRE_H

#include "base/io.h"
#include "cordon.h"

#include <stdint.h>

/* ---- control ------------------------------------------------------------ */

enum wire_type {
    WIRE_PLAN = 1, /* engine -> keeper: payload = a box plan (jail/plan.h); the first packet;
                      fds: an approved run's environment (NAME=value, each with its NUL), then
                      the call filter unless that wall is down */
    WIRE_FORK, /* engine -> keeper -> standby: id, payload = struct sandbox_spec, WIRE_FORK_FDS fds */
    WIRE_ARM,     /* engine -> keeper: id, payload = struct wire_arm: its code begins */
    WIRE_KILL,    /* engine -> keeper: id; killing what is gone already is no error */
    WIRE_STARTED, /* keeper -> engine: the box stands; ancillary: a pidfd of the keeper */
    WIRE_READY,   /* zygote -> keeper -> engine: modules are loaded; payload = version text */
    WIRE_FORKED,  /* zygote -> keeper: that id, payload = int32_t pid in the box */
    WIRE_EXIT,    /* keeper -> engine: id, payload = struct wire_exit; the last word about id */
    WIRE_FAILED,  /* keeper or zygote -> up: payload = struct cordon_err;
                      id = 0: the box or the zygote cannot be had; else: that fork failed (of a
                      zygote's: of that standby) */
    WIRE_HELD,    /* keeper -> engine: id, payload = struct wire_held; only ever more */
    WIRE_STANDBY, /* keeper -> zygote: id of a standby to be forked, payload = uint64_t id of its
                     control group (0: none); fds: its end of a socket, on which it gets the one
                     WIRE_FORK; then those of WIRE_GROUP */
    WIRE_GROUP, /* engine -> keeper: id of a control group, fds: what a process that is to be in it
                     writes 0 to; for the next standby that has none, or for the approved run */
};

struct wire_msg {
    uint32_t type; /* enum wire_type */
    uint32_t size; /* of the payload that follows */
    uint64_t id;   /* which sandbox; chosen by the engine, never 0, never used twice */
};

#define WIRE_MSG_MAX 65536 /* one control packet, header included */

/* Descriptors that travel with WIRE_FORK, in this order. */
enum {
    WIRE_FD_CHANNEL,
    WIRE_FD_STDOUT,
    WIRE_FD_STDERR,
    WIRE_FD_TRACE,
    WIRE_FD_TEXT,
    WIRE_FORK_FDS
};

/* Descriptors that travel with WIRE_GROUP at the most: version 1 has two hierarchies. */
#define WIRE_GROUP_FDS 2

/* How one sandbox is to be walled: plain data, made by the engine from the profile. */
struct sandbox_spec {
    uint64_t memory_bytes;
    uint64_t cpu_ms;
    uint64_t tasks;
    uint64_t open_files;
    uint64_t disk_bytes;
    uint64_t disk_files;
    uint32_t walls_down; /* enum cordon_wall bits */
    uint32_t approved;
};

struct wire_arm {
    uint64_t wall_ms; /* until the deadline */
    uint64_t cpu_ms;  /* what its interpreter has taken to start, */
    uint64_t bytes;   /* and the most memory it had until then; 0: nobody knows */
};

enum wire_limit {
    WIRE_LIMIT_NONE,
    WIRE_LIMIT_MEMORY,
    WIRE_LIMIT_TASKS,
    WIRE_LIMIT_CPU,
    WIRE_LIMIT_PIPES
};

/* What a run has been seen to take. */
struct wire_held {
    uint64_t bytes;     /* the most memory that it held, what it was born with included */
    uint64_t others_us; /* processor time of all its processes but the first one's own */
    uint64_t unasked;   /* 1: what no look sees of its memory is made without a question */
};

struct wire_exit {
    int32_t status;    /* as wait4() gives it */
    uint32_t deadline; /* 1: the keeper killed it because its time was up */
    uint32_t limit;    /* enum wire_limit: the keeper killed it because the tree took too much */
    uint32_t reserved;
    uint64_t cpu_us; /* user + system of the whole tree: waited for, or as far as it was seen */
    uint64_t maxrss_bytes; /* of its largest process */
    uint64_t held_bytes;   /* as in wire_held; 0: it was not looked at */
};

/* What a sandbox without an approval may have in pipes, its own three not counted. */
#define WIRE_PIPES_MAX (UINT64_C(1024) * 1024)

/* The signal that makes a sandbox write the line it is running to its trace descriptor. */
#define WIRE_TRACE_SIGNAL 12 /* SIGUSR2 */
/* The same in an approved run, whose code may have a use of its own for SIGUSR2. */
#define WIRE_TRACE_SIGNAL_APPROVED 62
/* How long after the deadline the keeper waits for that line before it kills. */
#define WIRE_TRACE_GRACE_MS 50

/* Sends a control message. 0 or -errno. */
int wire_send(int sock, enum wire_type type, uint64_t id, const void *payload, size_t size,
              const int *fds, size_t nfds);

/* A received control message: header, payload (NUL added after it), descriptors. */
struct wire_packet {
    struct wire_msg head;
    char payload[WIRE_MSG_MAX];
    int fds[WIRE_FORK_FDS];
    size_t nfds;
};

/*
 * Receives one. 1: got one; 0: end-of-file; -EAGAIN: none there; -EPROTO: malformed;
 * other -errno. The descriptors in it are the caller's.
 */
int wire_recv(int sock, struct wire_packet *packet);

/* ---- text memory --------------------------------------------------------- */

/*
 * stdout and stderr of Python code pass through memory shared with the engine (a sealed
 * memfd): the sandbox appends to buf[s] and moves `end`; when full or flushed it writes
 * [start, end) to fd 1 or 2 in pieces of at most WIRE_TEXT_CHUNK (<= PIPE_BUF, so a
 * piece is written whole or not at all), moving `start` after each. What a killed
 * sandbox left between start and end the engine reads with pread() and appends. The
 * numbers are hostile: the engine checks start <= end <= WIRE_TEXT_BUF.
 */
#define WIRE_TEXT_BUF 16384
#define WIRE_TEXT_CHUNK 4096
struct wire_text {
    struct {
        uint32_t start;
        uint32_t end;
        char buf[WIRE_TEXT_BUF];
    } stream[2];
};

/* ---- channel ------------------------------------------------------------- */

enum frame_type {
    FRAME_REQUEST = 0x43510001, /* engine -> sandbox: struct frame_request, code, input */
    FRAME_READY = 0x43510002,   /* sandbox -> engine: struct frame_ready; all walls up, waiting */
    FRAME_FAILED = 0x43510003,  /* instead of READY: struct cordon_err: a wall could not be built */
    FRAME_RESULT = 0x43510004,  /* the encoded result, JSON; at most one, before END */
    FRAME_END = 0x43510005,     /* JSON object, see below; nothing after it counts */
    FRAME_WARNINGS = 0x43510006, /* JSON {"warnings": [...]}: the gate's, before user code starts */
};

struct frame_head {
    uint32_t type;
    uint32_t reserved; /* 0 */
    uint64_t size;     /* of what follows */
};

struct frame_ready {
    uint64_t resident_bytes; /* the most it has had: what the interpreter takes by itself */
    uint64_t group;          /* WIRE_STANDBY's, if it could enter; else 0 */
};

struct frame_request {
    uint64_t code_len;
    uint64_t input_len; /* 0: {} */
    uint64_t result_max;
    uint32_t nonfinite; /* enum cordon_nonfinite */
    uint32_t approved;
    uint32_t gate;     /* enum wire_gate */
    uint32_t code_max; /* of code that runs unasked; of more the gate warns */
};

/* What the gate in the sandbox is to do. */
enum wire_gate {
    WIRE_GATE_OFF,  /* nothing: no FRAME_WARNINGS comes */
    WIRE_GATE_ASK,  /* judge; with warnings nothing runs: outcome "needs_approval" */
    WIRE_GATE_ONLY, /* judge, and run nothing: outcome "checked" or "needs_approval" */
};

/*
 * FRAME_END's object:
 *   outcome    "ok" | "exception" | "syntax" | "exit" | "result" | "limit" | "internal" |
 *              "checked" | "needs_approval"
 *   message    text for a person        (all but ok)
 *   type       the exception's type name, where there was one
 *   line       line of the user's code, from 1
 *   traceback  as Python prints it; no frame in it is ours
 *   limit      "memory" | "processes" | "disk" | "disk_files" | "file_size" | "files" | "result"
 *              (outcome limit)
 *   notes      list of strings
 */
#define FRAME_END_MAX (512u * 1024)
#define FRAME_WARNINGS_MAX (1024u * 1024)

enum frame_state {
    FRAMES_WAIT_READY, /* nothing but READY or FAILED may come */
    FRAMES_WAIT_END,   /* the request was sent: RESULT, then END */
    FRAMES_ENDED,      /* END is in: the answer is complete */
    FRAMES_FAILED,     /* FAILED is in: `failure` says why */
    FRAMES_BROKEN,     /* the sandbox broke the protocol: `why` says how */
};

/* Reads a sandbox's frames. Zero it, set result_max; then feed it. */
struct frame_reader {
    enum frame_state state;
    uint64_t result_max;
    int has_result;
    int has_warnings;
    int result_too_big; /* RESULT's header claimed more than result_max */
    struct buf result;
    struct buf warnings;
    struct buf end;
    struct frame_ready ready;
    struct cordon_err failure;
    const char *why; /* static text */
    /* private */
    struct frame_head head;
    size_t head_got;
    uint64_t body_got;
};

/*
 * Takes the next bytes from the sandbox. Returns 0, or -ENOMEM. Never reads past len,
 * never keeps more than result_max + FRAME_END_MAX + FRAME_WARNINGS_MAX. After ENDED, FAILED or BROKEN
 * everything is ignored.
 */
int frame_reader_feed(struct frame_reader *r, const char *data, size_t len);
void frame_reader_done(struct frame_reader *r);

#endif
