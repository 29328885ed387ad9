/* SPDX-License-Identifier: Apache-2.0 */
/*
 * approve: see approve.h. The terminal hands over a line at a time; one that is not, whole,
 * a yes is a no.
 */
#include "app/approve.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <strings.h>
#include <termios.h>
#include <unistd.h>

#include "base/io.h"

int approve_can_ask(const struct run_options *o, const char *file)
{
    return !o->json && !o->approved && strcmp(file, "-") != 0 && isatty(STDIN_FILENO) &&
           isatty(STDERR_FILENO);
}

void approve_forget(void)
{
    (void)tcflush(STDIN_FILENO, TCIFLUSH);
}

static int is_yes(char *line)
{
    size_t n = strlen(line);
    while (n > 0 && isspace((unsigned char)line[n - 1]))
        line[--n] = '\0';
    while (isspace((unsigned char)*line))
        line++;
    return strcasecmp(line, "y") == 0 || strcasecmp(line, "yes") == 0;
}

int approve_answer(int signals)
{
    struct pollfd fds[] = {{signals, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    char line[128];
    while (poll(fds, ARRAY_LEN(fds), -1) < 0)
        if (errno != EINTR)
            return 0;
    if (fds[0].revents)
        return -EINTR;
    ssize_t n = read(STDIN_FILENO, line, sizeof(line) - 1);
    if (n <= 0 || line[n - 1] != '\n')
        return 0;
    line[n] = '\0';
    return is_yes(line);
}
