/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main: finds the subcommand. A new one is a row here and a cmd_*.c of its own.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cmd_check.h"
#include "app/cmd_doctor.h"
#include "app/cmd_explain.h"
#include "app/cmd_run.h"
#include "app/cmd_serve.h"
#include "app/options.h"
#include "app/out.h"
#include "base/io.h"

static const struct command *const commands[] = {&cmd_run, &cmd_check, &cmd_explain, &cmd_serve,
                                                 &cmd_doctor};

/*
 * A descriptor below 3 that the caller left closed must not become one of the engine's. It stays
 * what it was: a closed standard input cannot be read as an empty one, and output that has nowhere
 * to go is a failure. What is written to a closed standard error is lost.
 */
static int mode_of_next(void)
{
    if (fcntl(STDIN_FILENO, F_GETFD) < 0)
        return O_WRONLY;
    return fcntl(STDOUT_FILENO, F_GETFD) < 0 ? O_RDONLY : O_WRONLY;
}

static int open_standard_fds(void)
{
    int fd;
    do
        fd = open("/dev/null", mode_of_next());
    while (fd >= 0 && fd <= STDERR_FILENO);
    return fd < 0 ? -1 : close(fd);
}

static int is(const char *arg, const char *letter, const char *name)
{
    return strcmp(arg, letter) == 0 || strcmp(arg, name) == 0;
}

/*
 * The helpers of the library are nobody's children: whoever adopts orphans has to reap
 * them, and in a container that may be nobody. This program can do it itself.
 */
static int run_command(const struct command *command, int argc, char **argv)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    int code = command->main(command, argc, argv);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    return code;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        out_complain("no command is given: see 'cordon --help'");
        return EXIT_USAGE;
    }
    if (is(argv[1], "-h", "--help"))
        return out_help(commands, ARRAY_LEN(commands));
    if (is(argv[1], "-V", "--version"))
        return out_version();
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (strcmp(argv[1], commands[i]->name) == 0)
            return run_command(commands[i], argc - 1, argv + 1);
    out_complain("'%s': no such %s: see 'cordon --help'", argv[1],
                 argv[1][0] == '-' ? "option" : "command");
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (open_standard_fds() < 0)
        return EXIT_INTERNAL;
    int code = dispatch(argc, argv);
    int written = out_close();
    return written == EXIT_OK ? code : written;
}
