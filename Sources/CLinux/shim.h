// Calls of the GNU C library that Swift's Glibc module leaves out, because they need _GNU_SOURCE or a header it does not list.
#pragma once
#include <spawn.h>

#include <stddef.h>
extern int malloc_trim(size_t pad);
extern int pipe2(int pipe_descriptors[2], int flags);
extern int pidfd_open(int process, unsigned int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

#include <sys/socket.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
// Shares the blocks of a file with a new one, on file systems that can; -1 elsewhere.
static inline int sotto_clone_file(int to, int from) { return ioctl(to, FICLONE, from); }

// Who is at the other end of a UNIX socket; -1 when nobody is. The struct is the kernel's `ucred`, which needs _GNU_SOURCE.
struct sotto_peer { int process; unsigned int user; unsigned int group; };
static inline int sotto_socket_peer(int socket, struct sotto_peer *peer) {
    socklen_t size = sizeof *peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, peer, &size);
}
