/*
 * An LD_PRELOAD library that lets calls on files under $DISK_FAULTS_DIR fail, as a full, read-only or broken disk does.
 *
 * What fails, and how, is in the file $DISK_FAULTS_CONTROL, which the test writes while the process runs:
 *
 *   0  error    the errno of a call that fails; 0 lets all through
 *   4  calls    which calls: 1 writes, 2 syncs, 4 names (creating, renaming, removing, directories), 8 growing (truncate up)
 *   8  skip     so many of them pass first
 *  12  times    so many fail after that; 0 is all
 *  16  seen     how many came by since `error` was set (counted here)
 *  20  failed   how many failed (counted here)
 *  24  only     a part of the path; empty for all files under the directory
 *
 * Left out: mmap, stdio and io_uring.
 */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

/* Inside this library a plain call of an intercepted function would come back to us. */
#define REAL(name)                                                                                                     \
  ({                                                                                                                   \
    static __typeof__(&name) real_##name;                                                                              \
    if (!real_##name) real_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                        \
    real_##name;                                                                                                       \
  })

enum { WRITES = 1, SYNCS = 2, NAMES = 4, GROWING = 8 };

struct control {
  volatile uint32_t error, calls, skip, times;
  uint32_t seen, failed;
  char only[104];
};

static struct control *control;
static const char *directory;
static size_t directory_length;

__attribute__((constructor)) static void start(void) {
  directory = getenv("DISK_FAULTS_DIR");
  const char *path = getenv("DISK_FAULTS_CONTROL");
  if (!directory || !path) return;
  directory_length = strlen(directory);
  int fd = REAL(open)(path, O_RDWR | O_CLOEXEC);
  if (fd < 0) return;
  void *shared = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (shared != MAP_FAILED) control = shared;
}

static bool is_ours(const char *path) {
  if (strncmp(path, directory, directory_length) != 0) return false;
  if (path[directory_length] != '/' && path[directory_length] != '\0') return false;
  return control->only[0] == '\0' || strstr(path, control->only) != NULL;
}

static bool is_active(uint32_t kind) { return control && control->error != 0 && (control->calls & kind) != 0; }

static bool fails(const char *path) {
  if (!is_ours(path)) return false;
  uint32_t seen = __atomic_add_fetch(&control->seen, 1, __ATOMIC_SEQ_CST);
  if (seen <= control->skip) return false;
  if (control->times != 0 && seen > control->skip + control->times) return false;
  __atomic_add_fetch(&control->failed, 1, __ATOMIC_SEQ_CST);
  errno = (int)control->error;
  return true;
}

static bool fails_at(uint32_t kind, int fd) {
  if (!is_active(kind)) return false;
  char link[64], path[PATH_MAX];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length <= 0) return false;
  path[length] = '\0';
  return fails(path);
}

static bool fails_below(uint32_t kind, int dir, const char *path) {
  if (!is_active(kind)) return false;
  if (path[0] == '/') return fails(path);
  char link[64], base[PATH_MAX], whole[2 * PATH_MAX];
  ssize_t length;
  if (dir == AT_FDCWD) {
    if (!getcwd(base, sizeof base)) return false;
  } else {
    snprintf(link, sizeof link, "/proc/self/fd/%d", dir);
    length = readlink(link, base, sizeof base - 1);
    if (length <= 0) return false;
    base[length] = '\0';
  }
  snprintf(whole, sizeof whole, "%s/%s", base, path);
  return fails(whole);
}

ssize_t write(int fd, const void *bytes, size_t length) {
  return fails_at(WRITES, fd) ? -1 : REAL(write)(fd, bytes, length);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
  return fails_at(WRITES, fd) ? -1 : REAL(writev)(fd, parts, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  return fails_at(WRITES, fd) ? -1 : REAL(pwrite)(fd, bytes, length, offset);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
  return fails_at(WRITES, fd) ? -1 : REAL(pwritev)(fd, parts, count, offset);
}

ssize_t sendfile(int out, int in, off_t *offset, size_t length) {
  return fails_at(WRITES, out) ? -1 : REAL(sendfile)(out, in, offset, length);
}

ssize_t copy_file_range(int in, off_t *in_offset, int out, off_t *out_offset, size_t length, unsigned flags) {
  return fails_at(WRITES, out) ? -1 : REAL(copy_file_range)(in, in_offset, out, out_offset, length, flags);
}

int ftruncate(int fd, off_t length) {
  return length > 0 && fails_at(GROWING, fd) ? -1 : REAL(ftruncate)(fd, length);
}

int fallocate(int fd, int mode, off_t offset, off_t length) {
  return fails_at(GROWING, fd) ? -1 : REAL(fallocate)(fd, mode, offset, length);
}

int posix_fallocate(int fd, off_t offset, off_t length) {
  return fails_at(GROWING, fd) ? errno : REAL(posix_fallocate)(fd, offset, length);
}

int fsync(int fd) { return fails_at(SYNCS, fd) ? -1 : REAL(fsync)(fd); }

int fdatasync(int fd) { return fails_at(SYNCS, fd) ? -1 : REAL(fdatasync)(fd); }

/* A file that is there may be opened on a full disk; on a read-only one not for writing. */
static bool is_refused(int dir, const char *path, int flags) {
  if (!is_active(NAMES)) return false;
  bool creates = (flags & O_CREAT) != 0 && faccessat(dir, path, F_OK, 0) != 0;
  bool writes = (flags & O_ACCMODE) != O_RDONLY && control->error == EROFS;
  return (creates || writes) && fails_below(NAMES, dir, path);
}

#define MODE(flags)                                                                                                    \
  ({                                                                                                                   \
    mode_t mode = 0;                                                                                                   \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                                                             \
      va_list rest;                                                                                                    \
      va_start(rest, flags);                                                                                           \
      mode = va_arg(rest, mode_t);                                                                                     \
      va_end(rest);                                                                                                    \
    }                                                                                                                  \
    mode;                                                                                                              \
  })

int open(const char *path, int flags, ...) {
  mode_t mode = MODE(flags);
  return is_refused(AT_FDCWD, path, flags) ? -1 : REAL(open)(path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...) {
  mode_t mode = MODE(flags);
  return is_refused(dir, path, flags) ? -1 : REAL(openat)(dir, path, flags, mode);
}

int mkdir(const char *path, mode_t mode) {
  return fails_below(NAMES, AT_FDCWD, path) ? -1 : REAL(mkdir)(path, mode);
}

int rename(const char *from, const char *to) {
  return fails_below(NAMES, AT_FDCWD, to) ? -1 : REAL(rename)(from, to);
}

/* A full disk lets names be removed. */
int unlink(const char *path) {
  bool refused = control && control->error == EROFS && fails_below(NAMES, AT_FDCWD, path);
  return refused ? -1 : REAL(unlink)(path);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int dir, const char *path, int flags, ...) __attribute__((alias("openat")));
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) __attribute__((alias("pwrite")));
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset) __attribute__((alias("pwritev")));
int ftruncate64(int fd, off64_t length) __attribute__((alias("ftruncate")));
int fallocate64(int fd, int mode, off64_t offset, off64_t length) __attribute__((alias("fallocate")));
int posix_fallocate64(int fd, off64_t offset, off64_t length) __attribute__((alias("posix_fallocate")));
ssize_t sendfile64(int out, int in, off64_t *offset, size_t length) __attribute__((alias("sendfile")));
