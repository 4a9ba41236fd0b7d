#include "daemon/cards.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/loop.h"
#include "daemon/worker_protocol.h"

#define PATIENCE (60 * LOOP_SECOND)

/* Its standard output is `out`. */
static enum cuzk_status start(pid_t *ret, const char *program, int out, struct cuzk_error *err)
{
    char *const arguments[] = {"cuzk", "worker", "cards", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    int failed;

    sigemptyset(&none); /* the loop has blocked those that it reads */
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    failed = posix_spawn(ret, program, &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return failed ? error_set(err, CUZK_IO, "%s: %s", program, strerror(failed)) : CUZK_OK;
}

/* What it says until it ends; false: it takes too long. */
static bool read_all(int fd, char *text, size_t n)
{
    const uint64_t until = loop_now() + PATIENCE;
    size_t got = 0;

    memset(text, 0, n);
    for (;;) {
        const uint64_t now = loop_now();
        struct pollfd p = {.fd = fd, .events = POLLIN};
        ssize_t m;

        if (now >= until || got == n - 1)
            return false;
        if (poll(&p, 1, (int)((until - now) / LOOP_MILLISECOND) + 1) <= 0)
            continue;
        m = read(fd, text + got, n - 1 - got);
        if (m == 0)
            return true;
        if (m > 0)
            got += (size_t)m;
        else if (errno != EINTR)
            return false;
    }
}

/* "2", or "0 why not". */
static bool understand(unsigned *ret, char why[CARDS_WHY], char *text)
{
    char *end;
    const unsigned long n = strtoul(text, &end, 10);

    if (end == text || n > CARDS_MAX || (*end != ' ' && *end != '\n'))
        return false;
    text[strcspn(text, "\n")] = 0;
    *ret = (unsigned)n;
    snprintf(why, CARDS_WHY, "%s", *end == ' ' ? end + 1 : "");
    return true;
}

enum cuzk_status cards_count(unsigned *ret, char why[CARDS_WHY], const char *program,
                             struct cuzk_error *err)
{
    char text[CARDS_WHY];
    int ends[2], status = 0;
    enum cuzk_status st;
    pid_t pid = 0;
    bool heard;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_set(err, CUZK_IO, "a pipe: %s", strerror(errno));
    st = start(&pid, program ? program : "/proc/self/exe", ends[1], err);
    close(ends[1]);
    heard = st == CUZK_OK && read_all(ends[0], text, sizeof text);
    close(ends[0]);
    if (st != CUZK_OK)
        return st;
    if (!heard)
        kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!heard || !WIFEXITED(status) || WEXITSTATUS(status) != 0 || !understand(ret, why, text))
        return error_set(err, CUZK_DEVICE, "the process that counts the cards gave no answer");
    return CUZK_OK;
}
