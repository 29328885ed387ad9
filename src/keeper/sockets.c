/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sockets: see sockets.h. The kernel charges what waits in a Unix socket to the one who sent
 * it; once that one is closed nobody is charged, and what its peer still has to read counts
 * as much as it could have sent.
 */
#include "keeper/sockets.h"

#include "base/io.h"
#include "keeper/hold.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define TYPICAL_BYTES (UINT64_C(10) << 20) /* of a TCP socket, where the kernel does not tell */
#define LISTENING 10                       /* as the kernel numbers the states of sockets */

static int netlink = -1;
static int all_are_ours;
static uint64_t most_sent; /* by one Unix socket */

void sockets_open(int every)
{
    const struct timeval patience = {.tv_sec = 1};

    all_are_ours = every;
    netlink = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG);
    if (netlink >= 0)
        (void)setsockopt(netlink, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
}

/* ---- the most ------------------------------------------------------------------------- */

/* The last number in a file of /proc/sys/net. */
static uint64_t setting(const char *name)
{
    unsigned long long last = 0;
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/sys/net/%s", name);
    FILE *f = fopen(path, "re");
    while (f && fscanf(f, "%llu", &last) == 1)
        ;
    if (f)
        (void)fclose(f);
    return last;
}

uint64_t sockets_most(void)
{
    static uint64_t most;

    if (most == 0) {
        uint64_t tcp = setting("ipv4/tcp_rmem") + setting("ipv4/tcp_wmem");
        uint64_t set = 2 * (setting("core/rmem_max") + setting("core/wmem_max")); /* at its wish */
        most_sent = 2 * setting("core/wmem_max");
        most = tcp > set ? tcp : set;
        most = most ? most : TYPICAL_BYTES;
    }
    return most;
}

/* ---- one socket ------------------------------------------------------------------------- */

struct told {
    uint64_t inode;
    uint64_t charged;
    uint32_t waiting; /* of a Unix socket: bytes to be read, or connections to be taken */
    uint32_t peer;
    int is_unix, listens;
};

static uint64_t charged(struct rtattr *a)
{
    uint32_t m[SK_MEMINFO_VARS] = {0};
    size_t n = RTA_PAYLOAD(a);

    memcpy(m, RTA_DATA(a), n < sizeof(m) ? n : sizeof(m));
    uint64_t sent = m[SK_MEMINFO_WMEM_ALLOC];
    if (m[SK_MEMINFO_WMEM_QUEUED] > sent)
        sent = m[SK_MEMINFO_WMEM_QUEUED];
    return sent + m[SK_MEMINFO_RMEM_ALLOC] + m[SK_MEMINFO_OPTMEM] + m[SK_MEMINFO_BACKLOG];
}

static void take_attribute(struct told *t, struct rtattr *a)
{
    if (!t->is_unix) {
        if (a->rta_type == INET_DIAG_SKMEMINFO)
            t->charged = charged(a);
    } else if (a->rta_type == UNIX_DIAG_MEMINFO)
        t->charged = charged(a);
    else if (a->rta_type == UNIX_DIAG_PEER)
        memcpy(&t->peer, RTA_DATA(a), sizeof(t->peer));
    else if (a->rta_type == UNIX_DIAG_RQLEN)
        memcpy(&t->waiting, RTA_DATA(a), sizeof(t->waiting)); /* its first member */
}

/* A byte sent alone takes no more than this. */
#define BYTE_TAKES UINT64_C(1024)

static uint64_t left_by_others(const struct told *t)
{
    if (t->listens)
        return t->waiting * most_sent;
    if (!t->is_unix || t->peer != 0)
        return 0;
    uint64_t most = t->waiting * BYTE_TAKES;
    return most < most_sent ? most : most_sent;
}

static uint64_t held_by(struct nlmsghdr *h)
{
    char *body = NLMSG_DATA(h);
    struct told t = {.is_unix = *(const unsigned char *)body == AF_UNIX};
    size_t head =
        NLMSG_ALIGN(t.is_unix ? sizeof(struct unix_diag_msg) : sizeof(struct inet_diag_msg));

    if (h->nlmsg_len < NLMSG_LENGTH(head))
        return 0;
    if (t.is_unix) {
        t.inode = ((const struct unix_diag_msg *)(const void *)body)->udiag_ino;
        t.listens = ((const struct unix_diag_msg *)(const void *)body)->udiag_state == LISTENING;
    } else
        t.inode = ((const struct inet_diag_msg *)(const void *)body)->idiag_inode;
    int left = (int)(h->nlmsg_len - NLMSG_LENGTH(head));
    struct rtattr *a = (struct rtattr *)(void *)(body + head);
    for (; RTA_OK(a, left); a = RTA_NEXT(a, left))
        take_attribute(&t, a);
    if (!all_are_ours && !hold_has_socket(t.inode))
        return 0;
    return t.charged + left_by_others(&t);
}

/* ---- all of them --------------------------------------------------------------------------- */

/* Adds up one answer, of as many pieces as it takes. Whether more of it follows. */
static int take_piece(char *piece, ssize_t len, uint64_t *ret)
{
    unsigned left = (unsigned)len;

    for (struct nlmsghdr *h = (struct nlmsghdr *)(void *)piece; NLMSG_OK(h, left);
         h = NLMSG_NEXT(h, left)) {
        if (h->nlmsg_type != SOCK_DIAG_BY_FAMILY)
            return 0; /* done, or an error: this kernel cannot tell of those */
        *ret += held_by(h);
    }
    return 1;
}

static uint64_t ask(const void *question, size_t size)
{
    static char piece[32 * 1024] __attribute__((aligned(NLMSG_ALIGNTO)));
    uint64_t all = 0;
    ssize_t n;

    if (send(netlink, question, size, 0) != (ssize_t)size)
        return 0;
    do
        n = recv(netlink, piece, sizeof(piece), 0);
    while (n > 0 && take_piece(piece, n, &all));
    return all;
}

static const struct nlmsghdr dump = {.nlmsg_type = SOCK_DIAG_BY_FAMILY,
                                     .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP};

static uint64_t ask_inet(uint8_t family, uint8_t protocol)
{
    struct {
        struct nlmsghdr head;
        struct inet_diag_req_v2 which;
    } q = {dump,
           {.sdiag_family = family,
            .sdiag_protocol = protocol,
            .idiag_ext = 1 << (INET_DIAG_SKMEMINFO - 1),
            .idiag_states = ~0u}};

    q.head.nlmsg_len = sizeof(q);
    return ask(&q, sizeof(q));
}

static uint64_t ask_unix(void)
{
    struct {
        struct nlmsghdr head;
        struct unix_diag_req which;
    } q = {dump,
           {.sdiag_family = AF_UNIX,
            .udiag_states = ~0u,
            .udiag_show = UDIAG_SHOW_PEER | UDIAG_SHOW_RQLEN | UDIAG_SHOW_MEMINFO}};

    q.head.nlmsg_len = sizeof(q);
    return ask(&q, sizeof(q));
}

uint64_t sockets_held(void)
{
    if (netlink < 0)
        return 0;
    return ask_unix() + ask_inet(AF_INET, IPPROTO_TCP) + ask_inet(AF_INET6, IPPROTO_TCP) +
           ask_inet(AF_INET, IPPROTO_UDP) + ask_inet(AF_INET6, IPPROTO_UDP);
}
