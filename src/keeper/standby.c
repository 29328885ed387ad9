/* SPDX-License-Identifier: Apache-2.0 */
/* standby: slots; see standby.h. What is to be done with them is zygote.c's to say. */
#include "keeper/standby.h"

#include <string.h>

size_t standbys_in(const struct standbys *s, enum standby_state state)
{
    size_t count = 0;

    for (size_t i = 0; i < STANDBYS_MAX; i++)
        count += s->slots[i].state == state;
    return count;
}

struct standby *standbys_any(struct standbys *s, enum standby_state state)
{
    for (size_t i = 0; i < STANDBYS_MAX; i++)
        if (s->slots[i].state == state)
            return &s->slots[i];
    return NULL;
}

struct standby *standbys_find(struct standbys *s, uint64_t id)
{
    for (size_t i = 0; i < STANDBYS_MAX; i++)
        if (s->slots[i].state != STANDBY_NONE && s->slots[i].id == id)
            return &s->slots[i];
    return NULL;
}

struct standby *standbys_find_pid(struct standbys *s, pid_t pid)
{
    for (size_t i = 0; i < STANDBYS_MAX; i++)
        if (s->slots[i].state >= STANDBY_STANDING && s->slots[i].pid == pid)
            return &s->slots[i];
    return NULL;
}

struct standby *standbys_add(struct standbys *s, int sock)
{
    struct standby *standby = standbys_any(s, STANDBY_NONE);

    if (standby)
        *standby = (struct standby){.state = STANDBY_ORDERED, .id = ++s->orders, .sock = sock};
    return standby;
}

/* With no FORKED on its way nothing can mean a stray any more; its number may come again and
 * must not be mistaken for it. */
static void forget_strays(struct standbys *s)
{
    if (standbys_in(s, STANDBY_ORDERED) == 0)
        s->stray_count = 0;
}

void standbys_set_standing(struct standbys *s, struct standby *standby, pid_t pid)
{
    standby->state = STANDBY_STANDING;
    standby->pid = pid;
    forget_strays(s);
}

void standbys_set_left(struct standby *standby)
{
    standby->state = STANDBY_LEFT;
    fd_close(&standby->sock);
}

void standbys_set_spare(struct standby *standby)
{
    standby->state = STANDBY_SPARE;
    fd_close(&standby->sock);
}

void standbys_remove(struct standbys *s, struct standby *standby)
{
    fd_close(&standby->sock);
    standby->state = STANDBY_NONE;
    forget_strays(s);
}

void standbys_keep_stray(struct standbys *s, pid_t pid)
{
    if (standbys_in(s, STANDBY_ORDERED) > 0 && s->stray_count < STRAYS_MAX)
        s->strays[s->stray_count++] = pid;
}

int standbys_is_stray(const struct standbys *s, pid_t pid)
{
    for (size_t i = 0; i < s->stray_count; i++)
        if (s->strays[i] == pid)
            return 1;
    return 0;
}

/* ---- control groups ---------------------------------------------------------------- */

void doors_add(struct doors *doors, uint64_t group, int *fds, size_t count)
{
    if (count == 0 || count > WIRE_GROUP_FDS || doors->count == DOORS_MAX)
        return;
    struct door *door = &doors->list[doors->count++];
    *door = (struct door){.group = group, .count = count};
    for (size_t i = 0; i < count; i++)
        door->fds[i] = fd_take(&fds[i]);
}

struct door doors_next(const struct doors *doors)
{
    return doors->count > 0 ? doors->list[0] : (struct door){0};
}

void doors_remove(struct doors *doors)
{
    if (doors->count == 0)
        return;
    for (size_t i = 0; i < doors->list[0].count; i++)
        fd_close(&doors->list[0].fds[i]);
    memmove(&doors->list[0], &doors->list[1], --doors->count * sizeof(doors->list[0]));
}
