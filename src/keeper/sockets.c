/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sockets: see sockets.h. The kernel charges what waits in a Unix socket to the one who sent
 * it; once that one is closed nobody is charged, and how much there is to be read tells little
 * of what that takes: then only the most that it can be is known. A connection that nobody has taken yet, or that was closed
 * before all was sent, has no inode: it is known by the port that it shares with one of ours.
 */
#include "keeper/sockets.h"

#include "base/io.h"
#include "keeper/hold.h"

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/netlink_diag.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define TYPICAL_BYTES (UINT64_C(10) << 20) /* of a TCP socket, where the kernel does not tell */
#define CONNECTED 1                        /* as the kernel numbers the states of sockets */
#define LISTENING 10

static int netlink = -1;
static int all_are_ours;
static uint64_t most_sent;    /* by one Unix socket */
static uint64_t most_packets; /* that wait in one */

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
        most_packets = setting("unix/max_dgram_qlen") + 1;
        most = tcp > set ? tcp : set;
        most = most ? most : TYPICAL_BYTES;
    }
    return most;
}

/* ---- one socket ------------------------------------------------------------------------- */

struct told {
    uint8_t family;
    uint64_t inode;
    uint64_t charged;
    uint32_t waiting; /* of a Unix socket: bytes to be read, or connections to be taken */
    uint32_t peer;
    uint16_t port, to_port;
    int type, connected, listens;
};

/* A filter's instructions are charged once, and there are three of them: as they came, as the
 * kernel reads them, as the processor does. */
#define OPTIONS_TAKE UINT64_C(3)

static uint64_t charged(struct rtattr *a)
{
    uint32_t m[SK_MEMINFO_VARS] = {0};
    size_t n = RTA_PAYLOAD(a);

    memcpy(m, RTA_DATA(a), n < sizeof(m) ? n : sizeof(m));
    uint64_t sent = m[SK_MEMINFO_WMEM_ALLOC];
    if (m[SK_MEMINFO_WMEM_QUEUED] > sent)
        sent = m[SK_MEMINFO_WMEM_QUEUED];
    return sent + m[SK_MEMINFO_RMEM_ALLOC] + m[SK_MEMINFO_BACKLOG] +
           OPTIONS_TAKE * m[SK_MEMINFO_OPTMEM];
}

static void take_unix_attribute(struct told *t, struct rtattr *a)
{
    if (a->rta_type == UNIX_DIAG_MEMINFO)
        t->charged = charged(a);
    else if (a->rta_type == UNIX_DIAG_PEER)
        memcpy(&t->peer, RTA_DATA(a), sizeof(t->peer));
    else if (a->rta_type == UNIX_DIAG_RQLEN)
        memcpy(&t->waiting, RTA_DATA(a), sizeof(t->waiting)); /* its first member */
}

static void take_attribute(struct told *t, struct rtattr *a)
{
    if (t->family == AF_UNIX)
        take_unix_attribute(t, a);
    else if (a->rta_type == (t->family == AF_NETLINK ? NETLINK_DIAG_MEMINFO : INET_DIAG_SKMEMINFO))
        t->charged = charged(a);
}

/* What the message begins with. Its size, or 0. */
static size_t take_head(struct told *t, const void *body, size_t size)
{
    const struct unix_diag_msg *u = body;
    const struct netlink_diag_msg *n = body;
    const struct inet_diag_msg *i = body;

    t->family = size > 0 ? u->udiag_family : AF_UNSPEC;
    if (t->family == AF_UNIX && size >= sizeof(*u)) {
        t->inode = u->udiag_ino;
        t->listens = u->udiag_state == LISTENING;
        t->connected = u->udiag_state == CONNECTED;
        t->type = u->udiag_type;
        return NLMSG_ALIGN(sizeof(*u));
    }
    if (t->family == AF_NETLINK && size >= sizeof(*n)) {
        t->inode = n->ndiag_ino;
        return NLMSG_ALIGN(sizeof(*n));
    }
    if ((t->family != AF_INET && t->family != AF_INET6) || size < sizeof(*i))
        return 0;
    t->inode = i->idiag_inode;
    t->port = ntohs(i->id.idiag_sport);
    t->to_port = ntohs(i->id.idiag_dport);
    return NLMSG_ALIGN(sizeof(*i));
}

/* 0: no socket. */
static int take_told(struct told *t, struct nlmsghdr *h)
{
    char *body = NLMSG_DATA(h);

    *t = (struct told){0};
    size_t head = take_head(t, body, h->nlmsg_len - NLMSG_HDRLEN);
    if (head == 0 || h->nlmsg_len < NLMSG_LENGTH(head))
        return 0;
    int left = (int)(h->nlmsg_len - NLMSG_LENGTH(head));
    struct rtattr *a = (struct rtattr *)(void *)(body + head);
    for (; RTA_OK(a, left); a = RTA_NEXT(a, left))
        take_attribute(t, a);
    return 1;
}

/* ---- what nobody has a descriptor of ----------------------------------------------------- */

/* The ports of our sockets, as this asking and the one before has found them: the kernel
 * tells of a socket and of those that share its port in whatever order. */
static uint8_t ports[2][65536 / 8];

static void note_port(uint16_t port)
{
    ports[0][port / 8] |= (uint8_t)(1u << port % 8);
}

static int is_our_port(uint16_t port)
{
    return ((ports[0][port / 8] | ports[1][port / 8]) >> port % 8) & 1;
}

static void forget_ports(void)
{
    memcpy(ports[1], ports[0], sizeof(ports[1]));
    memset(ports[0], 0, sizeof(ports[0]));
}

/* ---- what nobody is charged with ----------------------------------------------------------- */

/* A byte sent alone takes no more than this. */
#define BYTE_TAKES UINT64_C(1024)

/* In a Unix socket, of those who are closed: the most that it can be. */
static uint64_t left_behind(const struct told *t)
{
    if (t->listens)
        return t->waiting * most_sent;
    if (t->type == SOCK_DGRAM) /* of many, who need not be its peer; told is the first packet */
        return most_packets * most_sent;
    if (t->peer != 0)
        return 0;
    if (t->type == SOCK_SEQPACKET) /* packets of no bytes */
        return t->connected ? most_sent : 0;
    uint64_t most = t->waiting * BYTE_TAKES;
    return most < most_sent ? most : most_sent;
}

static void take_socket(struct nlmsghdr *h, struct sockets_sum *sum)
{
    struct told t;

    if (!take_told(&t, h))
        return;
    int ours = all_are_ours || hold_has_socket(t.inode);
    if (ours && t.family == AF_UNIX)
        sum->unsure += left_behind(&t);
    else if (ours)
        note_port(t.port);
    else if (t.inode == 0)
        ours = is_our_port(t.port) || is_our_port(t.to_port);
    if (ours)
        sum->charged += t.charged;
}

/* ---- all of them --------------------------------------------------------------------------- */

/* Adds up one answer, of as many pieces as it takes. Whether more of it follows. */
static int take_piece(char *piece, ssize_t len, struct sockets_sum *sum)
{
    unsigned left = (unsigned)len;

    for (struct nlmsghdr *h = (struct nlmsghdr *)(void *)piece; NLMSG_OK(h, left);
         h = NLMSG_NEXT(h, left)) {
        if (h->nlmsg_type != SOCK_DIAG_BY_FAMILY)
            return 0; /* done, or an error: this kernel cannot tell of those */
        take_socket(h, sum);
    }
    return 1;
}

static void ask(const void *question, size_t size, struct sockets_sum *sum)
{
    static char piece[32 * 1024] __attribute__((aligned(NLMSG_ALIGNTO)));
    ssize_t n;

    if (send(netlink, question, size, 0) != (ssize_t)size)
        return;
    do
        n = recv(netlink, piece, sizeof(piece), 0);
    while (n > 0 && take_piece(piece, n, sum));
}

static const struct nlmsghdr dump = {.nlmsg_type = SOCK_DIAG_BY_FAMILY,
                                     .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP};

static void ask_inet(uint8_t family, uint8_t protocol, struct sockets_sum *sum)
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
    ask(&q, sizeof(q), sum);
}

static void ask_unix(struct sockets_sum *sum)
{
    struct {
        struct nlmsghdr head;
        struct unix_diag_req which;
    } q = {dump,
           {.sdiag_family = AF_UNIX,
            .udiag_states = ~0u,
            .udiag_show = UDIAG_SHOW_PEER | UDIAG_SHOW_RQLEN | UDIAG_SHOW_MEMINFO}};

    q.head.nlmsg_len = sizeof(q);
    ask(&q, sizeof(q), sum);
}

static void ask_netlink(struct sockets_sum *sum)
{
    struct {
        struct nlmsghdr head;
        struct netlink_diag_req which;
    } q = {dump,
           {.sdiag_family = AF_NETLINK,
            .sdiag_protocol = NDIAG_PROTO_ALL,
            .ndiag_show = NDIAG_SHOW_MEMINFO}};

    q.head.nlmsg_len = sizeof(q);
    ask(&q, sizeof(q), sum);
}

/* Of those that send and hear echoes no diagnosis tells, only a table; nor of their filters. */
static uint64_t echoes(const char *name)
{
    uint64_t options = OPTIONS_TAKE * setting("core/optmem_max");
    unsigned long sent, got, inode;
    char path[32], line[256];
    uint64_t all = 0;

    (void)snprintf(path, sizeof(path), "/proc/net/%s", name);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "%*u: %*[^ ] %*[^ ] %*x %lx:%lx %*x:%*x %*x %*u %*u %lu", &sent, &got,
                   &inode) == 3 &&
            (all_are_ours || hold_has_socket(inode)))
            all += sent + got + options;
    if (f)
        (void)fclose(f);
    return all;
}

void sockets_held(struct sockets_sum *ret)
{
    *ret = (struct sockets_sum){0};
    if (netlink < 0)
        return;
    forget_ports();
    ask_unix(ret);
    ask_netlink(ret);
    ask_inet(AF_INET, IPPROTO_TCP, ret);
    ask_inet(AF_INET6, IPPROTO_TCP, ret);
    ask_inet(AF_INET, IPPROTO_UDP, ret);
    ask_inet(AF_INET6, IPPROTO_UDP, ret);
    ret->charged += echoes("icmp") + echoes("icmp6");
}
