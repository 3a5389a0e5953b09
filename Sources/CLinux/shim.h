// Calls of the GNU C library that Swift's Glibc module leaves out, because they need _GNU_SOURCE or a header it does not list.
#pragma once
#include <spawn.h>

extern int pipe2(int pipe_descriptors[2], int flags);
extern int pidfd_open(int process, unsigned int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int posix_spawn_file_actions_addchdir_np(posix_spawn_file_actions_t *actions, const char *path);

#include <linux/fs.h>
#include <sys/ioctl.h>
// Shares the blocks of a file with a new one, on file systems that can; -1 elsewhere.
static inline int sotto_clone_file(int to, int from) { return ioctl(to, FICLONE, from); }
