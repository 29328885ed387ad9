/* SPDX-License-Identifier: Apache-2.0 */
/*
 * exceeded: see exceeded.h. The table is data: one row for each way in which something that
 * is counted can run out.
 */
#include "core/exceeded.h"

#include <stdio.h>
#include <string.h>

#define MIB (1024.0 * 1024.0)

enum unit { NUMBER, BYTES, MILLISECONDS };

struct exceeded {
    const char *word;   /* what the sandbox calls it */
    const char *limit;  /* what the envelope calls it */
    const char *what;   /* the code ... its limit of */
    const char *member; /* of the request; NULL: none of it */
    const char *key;    /* of the profile, under limits; NULL: fixed */
    size_t offset;      /* in struct cordon_limits */
    uint64_t fixed;
    enum unit unit;
};

#define ROW(word, limit, what, member, key, unit)                                                  \
    {                                                                                              \
        word, limit, what, "limits." #member, key, offsetof(struct cordon_limits, member), 0, unit \
    }
static const struct exceeded rows[] = {
    ROW("memory", "memory", "needed more memory than", memory_bytes, "memory", BYTES),
    ROW("processes", "processes", "started more processes and threads than", tasks, "tasks",
        NUMBER),
    ROW("cpu", "cpu", "used more processor time than", cpu_ms, "cpu", MILLISECONDS),
    ROW("disk", "disk", "wrote more to its working directory than", disk_bytes, "disk", BYTES),
    ROW("file_size", "disk", "made one file larger than 16 times", disk_bytes, "disk", BYTES),
    ROW("files", "files", "opened more files at once than", open_files, "open_files", NUMBER),
    ROW("disk_files", "files", "made more files in its working directory than", disk_files,
        "disk_files", NUMBER),
    ROW("shm", "disk", "wrote more to /dev/shm, where its shared memory and memory files are, than",
        disk_bytes, "disk", BYTES),
    ROW("shm_files", "files", "made more files in /dev/shm than", disk_files, "disk_files", NUMBER),
    ROW("result", "result", "gave a result that is larger, encoded, than", result_bytes, "result",
        BYTES),
    /* The last one: see exceeded_of(). */
    {"pipes", "memory", "held more memory in pipes than", NULL, NULL, 0, WIRE_PIPES_MAX, BYTES},
};

/* No row of the table: no sandbox tells it, and it has a status of its own. */
static const struct exceeded wall =
    ROW("wall", "wall", "ran longer than", wall_ms, "wall", MILLISECONDS);
#undef ROW

const struct exceeded *exceeded_find(const char *word)
{
    for (size_t i = 0; word && i < ARRAY_LEN(rows); i++)
        if (strcmp(rows[i].word, word) == 0)
            return &rows[i];
    return NULL;
}

const struct exceeded *exceeded_of(enum wire_limit limit)
{
    static const char *const words[] = {
        [WIRE_LIMIT_NONE] = "memory",     [WIRE_LIMIT_MEMORY] = "memory",
        [WIRE_LIMIT_TASKS] = "processes", [WIRE_LIMIT_CPU] = "cpu",
        [WIRE_LIMIT_PIPES] = "pipes",
    };
    return exceeded_find(words[limit < ARRAY_LEN(words) ? limit : WIRE_LIMIT_NONE]);
}

static void amount_text(enum unit unit, uint64_t amount, char *text, size_t size)
{
    if (unit == BYTES && amount >= 1024u * 1024u)
        (void)snprintf(text, size, "%.4g MiB", (double)amount / MIB);
    else if (unit == BYTES)
        (void)snprintf(text, size, "%llu bytes", (unsigned long long)amount);
    else if (unit == MILLISECONDS)
        (void)snprintf(text, size, "%.6g s", (double)amount / 1000.0);
    else
        (void)snprintf(text, size, "%llu", (unsigned long long)amount);
}

static uint64_t amount_of(const struct cordon_limits *limits, const struct exceeded *row)
{
    return row->member ? *(const uint64_t *)((const char *)limits + row->offset) : row->fixed;
}

/* How far it came, where that was counted; -1 where the limit itself is all that is known. (The
 * kernel counts an interpreter's own start as processor time, too: by what is told, the limit was
 * not quite reached.) */
static int64_t counted(const struct cordon_result *r, const struct exceeded *row, uint64_t limit)
{
    if (strcmp(row->word, "memory") == 0)
        return r->memory_peak_bytes;
    if (strcmp(row->word, "cpu") == 0)
        return r->cpu_ms >= (double)limit ? (int64_t)r->cpu_ms : -1;
    return -1;
}

/* Most of what is counted is refused at the limit: further than that it cannot come. */
static void peak_text(const struct cordon_result *r, const struct exceeded *row, uint64_t limit,
                      char *text, size_t size)
{
    int64_t peak = counted(r, row, limit);
    char amount[48];

    amount_text(row->unit, peak > 0 ? (uint64_t)peak : 0, amount, sizeof(amount));
    if (peak >= 0)
        (void)snprintf(text, size, "it had come to %s", amount);
    else
        (void)snprintf(text, size, "it had come to that and asked for more");
}

/* The most that may be asked for without another profile. */
static uint64_t most_of(const struct cordon_run *run, const struct exceeded *row)
{
    const struct profile *p = run->request.profile;

    return amount_of(run->request.approved ? &p->approved.limits : &p->limits, row);
}

/* A request may ask for as much as its profile allows, and the profile's owner for more. */
static void remedy_text(const struct cordon_run *run, const struct exceeded *row, char *text,
                        size_t size)
{
    const char *profile = run->request.profile->name;
    const char *section = run->request.approved ? "approved: limits" : "limits";
    uint64_t most = most_of(run, row);
    char amount[48];

    amount_text(row->unit, most, amount, sizeof(amount));
    if (!row->key)
        (void)snprintf(text, size, "no profile changes that");
    else if (most > amount_of(&run->request.limits, row))
        (void)snprintf(text, size, "raise %s (profile '%s' allows %s: %s: %s)", row->member,
                       profile, amount, section, row->key);
    else
        (void)snprintf(text, size, "raise it in profile '%s' (%s: %s in cordon.yaml)", profile,
                       section, row->key);
}

void exceeded_say(struct cordon_result *r, const struct cordon_run *run, const struct exceeded *row)
{
    char amount[48], peak[80], remedy[320];

    uint64_t limit = amount_of(&run->request.limits, row);

    amount_text(row->unit, limit, amount, sizeof(amount));
    peak_text(r, row, limit, peak, sizeof(peak));
    remedy_text(run, row, remedy, sizeof(remedy));
    result_error(r, CORDON_LIMIT, "limit",
                 "the code %s its limit of %s (%s); %s or make it need less", row->what, amount,
                 peak, remedy);
    r->limit = row->limit;
}

void exceeded_wall_remedy(const struct cordon_run *run, char *text, size_t size)
{
    remedy_text(run, &wall, text, size);
}
