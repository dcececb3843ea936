/*
 * An LD_PRELOAD library that simulates power loss for the regular files under $POWER_LOSS_DIR.
 *
 * `kill -9` keeps the page cache, so it cannot show a missing fsync. This library lets every call through to the real
 * file and keeps, in $POWER_LOSS_SHADOW, a copy that holds only what has been synced:
 *
 *   data/<inode>   the durable content of one inode
 *   tree/<path>    the durable names: hard links to the files in data/
 *
 * Content: per inode we remember which ranges changed since its last sync. A sync through any descriptor of the inode
 * reads those ranges when it starts and puts them into data/<inode> just before it returns, so it covers neither what
 * is written while it runs nor anything that is acknowledged without waiting for it.
 *
 * Names: the first sync of a file makes its name durable. After that names change only when the directory is synced:
 * then tree/ is made to agree with the real directory. A name whose file was never synced becomes an empty file.
 *
 * Real disks keep more than this, and the difference is on purpose: unsynced writes are always dropped (unless
 * POWER_LOSS_LEAK asks that a share of them arrives, out of order), an fsync of a file does not commit the renames
 * and unlinks around it, a file that was moved to a directory which is not synced is lost when a new file with its old
 * name is synced, and sync(), syncfs(), sync_file_range(), O_SYNC and msync() make nothing durable.
 *
 * Left out: writes through mmap, stdio (fopen) and io_uring, symbolic links, and two processes that write to one file
 * at the same time. SQLite's -shm files are ignored because they are rebuilt. A process killed in the middle of a sync
 * may leave that sync half done in the shadow, which is fair because nobody was told that it had succeeded.
 */
#undef _FORTIFY_SOURCE
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Inside this library a plain call of an intercepted function would come back to us. */
#define REAL(name)                                                                                                     \
  ({                                                                                                                   \
    static __typeof__(&name) real_##name;                                                                              \
    if (!real_##name) real_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name);                                        \
    real_##name;                                                                                                       \
  })

#define RANGES_MAX 64
#define BUCKETS 4096
#define END_OF_FILE INT64_MAX
#define BLOCK_BYTES 4096
#define LONG_PATH (2 * PATH_MAX)

struct range {
  off_t from, to;
};

struct node {
  struct node *next;
  ino_t ino;
  bool named;   /* a durable name exists, so a sync is about the content alone */
  bool dead;    /* the last real name is gone; the number may soon belong to another file */
  bool syncing; /* a second sync waits for the first, or it would return before the first one's data is durable */
  int count;
  struct range dirty[RANGES_MAX];
};

/* What one sync took with it when it started. */
struct snapshot {
  off_t size;
  int count;
  struct range ranges[RANGES_MAX];
  char *bytes[RANGES_MAX];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t sync_ended = PTHREAD_COND_INITIALIZER;
static struct node *buckets[BUCKETS];
static bool enabled;
static char root[PATH_MAX];
static size_t root_length;
static dev_t root_device;
static char *shadow;
static long sync_ms;
static double leak;
static uint64_t random_state;

/* A shadow that silently falls behind would turn into false findings, so every failure here ends the process. */
static void fail(const char *what, const char *path) {
  fprintf(stderr, "power-loss: %s %s: %s\n", what, path, strerror(errno));
  abort();
}

static void check(bool ok, const char *what, const char *path) {
  if (!ok) fail(what, path);
}

__attribute__((constructor)) static void start(void) {
  const char *dir = getenv("POWER_LOSS_DIR");
  const char *shadow_dir = getenv("POWER_LOSS_SHADOW");
  if (!dir || !shadow_dir) return;
  struct stat st;
  check(realpath(dir, root) && stat(root, &st) == 0, "cannot watch", dir);
  check(access(shadow_dir, W_OK) == 0, "cannot write", shadow_dir);
  root_length = strlen(root);
  root_device = st.st_dev;
  shadow = strdup(shadow_dir);
  const char *delay = getenv("POWER_LOSS_SYNC_MS");
  const char *share = getenv("POWER_LOSS_LEAK");
  sync_ms = delay ? atol(delay) : 0;
  leak = share ? atof(share) : 0;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  random_state = ((uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid()) | 1;
  enabled = true;
}

static double random_share(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (double)(random_state >> 11) / (double)(1ULL << 53);
}

static void wait_for_disk(void) {
  struct timespec delay = {sync_ms / 1000, sync_ms % 1000 * 1000000};
  if (sync_ms > 0) nanosleep(&delay, NULL);
}

static bool is_shm(const char *path) {
  size_t length = strlen(path);
  return length >= 4 && strcmp(path + length - 4, "-shm") == 0;
}

/* The path relative to the watched directory ("" or "/a/b"), or NULL where the descriptor is none of our business. */
static const char *watched_path(int fd, char path[PATH_MAX]) {
  char link_path[64];
  snprintf(link_path, sizeof link_path, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link_path, path, PATH_MAX - 1);
  if (length < (ssize_t)root_length) return NULL;
  path[length] = 0;
  if (strncmp(path, root, root_length) != 0 || is_shm(path)) return NULL;
  char after = path[root_length];
  return after == '/' || after == 0 ? path + root_length : NULL;
}

static char *data_path(char out[LONG_PATH], ino_t ino) {
  snprintf(out, LONG_PATH, "%s/data/%ju", shadow, (uintmax_t)ino);
  return out;
}

static char *tree_path(char out[LONG_PATH], const char *relative) {
  snprintf(out, LONG_PATH, "%s/tree%s", shadow, relative);
  return out;
}

static struct node *find(ino_t ino) {
  struct node *node = buckets[ino % BUCKETS];
  while (node && node->ino != ino) node = node->next;
  return node;
}

static struct node *insert(ino_t ino) {
  struct node *node = calloc(1, sizeof *node);
  check(node != NULL, "no memory for", "an inode");
  node->ino = ino;
  node->next = buckets[ino % BUCKETS];
  buckets[ino % BUCKETS] = node;
  return node;
}

/* Ranges may grow wider than what was written: outside of the dirty parts both copies are equal. */
static void mark(struct node *node, off_t from, off_t to) {
  for (int i = 0; i < node->count; i++) {
    struct range *range = &node->dirty[i];
    if (from > range->to || to < range->from) continue;
    if (from < range->from) range->from = from;
    if (to > range->to) range->to = to;
    return;
  }
  if (node->count == RANGES_MAX) {
    for (int i = 0; i < RANGES_MAX; i++) {
      if (node->dirty[i].from < from) from = node->dirty[i].from;
      if (node->dirty[i].to > to) to = node->dirty[i].to;
    }
    node->count = 0;
  }
  node->dirty[node->count++] = (struct range){from, to};
}

/* A file that an earlier process may have written: what it left unsynced is unknown, so all of it counts as dirty. */
static struct node *adopt(ino_t ino) {
  struct node *node = insert(ino);
  char data[LONG_PATH];
  struct stat st;
  node->named = stat(data_path(data, ino), &st) == 0 && st.st_nlink >= 2;
  mark(node, 0, END_OF_FILE);
  return node;
}

/*
 * The inode number is about to be free for another file. The durable name, if there is one, keeps the old content
 * alive until its directory is synced. The node is not freed because a sync may still hold it.
 */
static void forget(ino_t ino) {
  for (struct node **at = &buckets[ino % BUCKETS]; *at; at = &(*at)->next) {
    if ((*at)->ino != ino) continue;
    (*at)->dead = true;
    *at = (*at)->next;
    break;
  }
  char data[LONG_PATH];
  REAL(unlink)(data_path(data, ino));
}

/* Returns with the lock held if, and only if, the descriptor belongs to a watched file. */
static struct node *lock_node(int fd) {
  struct stat st;
  if (!enabled || fstat(fd, &st) != 0) return NULL;
  if (!S_ISREG(st.st_mode) || st.st_dev != root_device || st.st_nlink == 0) return NULL;
  pthread_mutex_lock(&lock);
  struct node *node = find(st.st_ino);
  char path[PATH_MAX];
  if (!node && watched_path(fd, path)) node = adopt(st.st_ino);
  if (!node) pthread_mutex_unlock(&lock);
  return node;
}

/*
 * A write-only descriptor cannot be read back, so a second one is opened. Only then: closing any descriptor of a file
 * drops the process's POSIX locks on it, and SQLite, which relies on them, never opens a file write-only.
 */
static int open_for_reading(int fd) {
  if ((fcntl(fd, F_GETFL) & O_ACCMODE) != O_WRONLY) return fd;
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int reader = REAL(open)(path, O_RDONLY | O_CLOEXEC);
  check(reader >= 0, "cannot read back", path);
  return reader;
}

static off_t read_all(int fd, char *into, off_t from, off_t length) {
  off_t done = 0;
  while (done < length) {
    ssize_t count = pread(fd, into + done, length - done, from + done);
    if (count < 0 && errno == EINTR) continue;
    check(count >= 0, "cannot read", "a watched file");
    if (count == 0) break;
    done += count;
  }
  return done;
}

static void write_all(int fd, const char *bytes, off_t from, off_t length, const char *path) {
  for (off_t done = 0; done < length;) {
    ssize_t count = REAL(pwrite)(fd, bytes + done, length - done, from + done);
    if (count < 0 && errno == EINTR) continue;
    check(count > 0, "cannot write", path);
    done += count;
  }
}

static int open_data(const char *path) {
  int out = REAL(open)(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  check(out >= 0, "cannot open", path);
  return out;
}

static void take_snapshot(int fd, struct node *node, struct snapshot *snapshot) {
  struct stat st;
  check(fstat(fd, &st) == 0, "cannot stat", "a watched file");
  int reader = open_for_reading(fd);
  snapshot->size = st.st_size;
  snapshot->count = 0;
  for (int i = 0; i < node->count; i++) {
    struct range range = node->dirty[i];
    if (range.to > st.st_size) range.to = st.st_size;
    if (range.from >= range.to) continue;
    char *bytes = malloc(range.to - range.from);
    check(bytes != NULL, "no memory for", "a snapshot");
    range.to = range.from + read_all(reader, bytes, range.from, range.to - range.from);
    snapshot->ranges[snapshot->count] = range;
    snapshot->bytes[snapshot->count++] = bytes;
  }
  node->count = 0;
  if (reader != fd) close(reader);
}

static void store_snapshot(ino_t ino, struct snapshot *snapshot) {
  char data[LONG_PATH];
  int out = open_data(data_path(data, ino));
  for (int i = 0; i < snapshot->count; i++) {
    struct range range = snapshot->ranges[i];
    write_all(out, snapshot->bytes[i], range.from, range.to - range.from, data);
  }
  check(REAL(ftruncate)(out, snapshot->size) == 0, "cannot resize", data);
  close(out);
}

static bool is_dot(const char *name) {
  return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

static void make_directories(const char *path) {
  char part[LONG_PATH];
  snprintf(part, sizeof part, "%s", path);
  for (char *at = strchr(part + strlen(shadow) + 1, '/'); at; at = strchr(at + 1, '/')) {
    *at = 0;
    check(mkdir(part, 0755) == 0 || errno == EEXIST, "cannot make", part);
    *at = '/';
  }
}

/*
 * Removes what the real directory no longer has. A file with exactly two links (data/ and this one) still lives under
 * a new name in a directory that was not synced yet: it keeps the old name, because synced content must not get lost.
 */
static void drop_name(const char *path) {
  struct stat st;
  if (lstat(path, &st) != 0) return;
  if (!S_ISDIR(st.st_mode)) {
    if (st.st_nlink != 2) REAL(unlink)(path);
    return;
  }
  DIR *dir = opendir(path);
  check(dir != NULL, "cannot list", path);
  for (struct dirent *entry; (entry = readdir(dir));) {
    char child[LONG_PATH + NAME_MAX + 2];
    snprintf(child, sizeof child, "%s/%s", path, entry->d_name);
    if (!is_dot(entry->d_name)) drop_name(child);
  }
  closedir(dir);
  rmdir(path);
}

static bool names_other_file(const char *relative, ino_t ino) {
  char tree[LONG_PATH], data[LONG_PATH];
  struct stat old, wanted;
  return lstat(tree_path(tree, relative), &old) == 0 && stat(data_path(data, ino), &wanted) == 0 &&
         old.st_ino != wanted.st_ino;
}

static void set_name(const char *relative, ino_t ino) {
  char tree[LONG_PATH], data[LONG_PATH], fresh[LONG_PATH];
  struct stat old, wanted;
  data_path(data, ino);
  check(stat(data, &wanted) == 0, "cannot stat", data);
  bool taken = lstat(tree_path(tree, relative), &old) == 0;
  if (taken && old.st_ino == wanted.st_ino) return;
  if (taken && S_ISDIR(old.st_mode)) drop_name(tree);
  make_directories(tree);
  snprintf(fresh, sizeof fresh, "%s/data/fresh.%d", shadow, (int)getpid());
  REAL(unlink)(fresh);
  check(link(data, fresh) == 0, "cannot link", data);
  check(REAL(rename)(fresh, tree) == 0, "cannot name", tree);
}

static void sync_names(const char *relative);

static void sync_name(const char *relative, const struct stat *st, bool only_new) {
  char tree[LONG_PATH], data[LONG_PATH];
  struct stat old;
  bool taken = lstat(tree_path(tree, relative), &old) == 0;
  if (taken && only_new) return;
  if (S_ISDIR(st->st_mode)) {
    if (taken && !S_ISDIR(old.st_mode)) REAL(unlink)(tree);
    if (mkdir(tree, 0755) == 0) sync_names(relative);
  } else if (S_ISREG(st->st_mode)) {
    close(open_data(data_path(data, st->st_ino)));
    set_name(relative, st->st_ino);
    struct node *node = find(st->st_ino);
    if (node) node->named = true;
  }
}

/*
 * Names that are new come first, then those that change hands, and the old ones go last: a file that was renamed is
 * not without a name if the process is killed in between. A directory whose name is new brings the names inside along,
 * which is how a renamed directory keeps its content.
 */
static void sync_names(const char *relative) {
  char real_dir[LONG_PATH], tree_dir[LONG_PATH];
  snprintf(real_dir, sizeof real_dir, "%s%s", root, relative);
  tree_path(tree_dir, relative);
  make_directories(tree_dir);
  check(mkdir(tree_dir, 0755) == 0 || errno == EEXIST, "cannot make", tree_dir);

  DIR *dir = opendir(real_dir);
  if (!dir) return;
  for (int pass = 0; pass < 2; pass++) {
    rewinddir(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
      char child[PATH_MAX];
      struct stat st;
      if (is_dot(entry->d_name) || is_shm(entry->d_name)) continue;
      if (fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0) continue;
      check(snprintf(child, sizeof child, "%s/%s", relative, entry->d_name) < PATH_MAX, "too long:", entry->d_name);
      sync_name(child, &st, pass == 0);
    }
  }
  closedir(dir);

  dir = opendir(tree_dir);
  check(dir != NULL, "cannot list", tree_dir);
  for (struct dirent *entry; (entry = readdir(dir));) {
    char real_path[LONG_PATH + NAME_MAX + 2], tree[LONG_PATH + NAME_MAX + 2];
    snprintf(real_path, sizeof real_path, "%s/%s", real_dir, entry->d_name);
    snprintf(tree, sizeof tree, "%s/%s", tree_dir, entry->d_name);
    if (!is_dot(entry->d_name) && faccessat(AT_FDCWD, real_path, F_OK, AT_SYMLINK_NOFOLLOW) != 0) drop_name(tree);
  }
  closedir(dir);
}

static void sync_file(int fd, struct node *node) {
  while (node->syncing) pthread_cond_wait(&sync_ended, &lock);
  node->syncing = true;
  struct snapshot snapshot;
  char path[PATH_MAX];
  const char *relative = watched_path(fd, path);
  take_snapshot(fd, node, &snapshot);
  pthread_mutex_unlock(&lock);

  wait_for_disk();

  pthread_mutex_lock(&lock);
  if (!node->dead) {
    store_snapshot(node->ino, &snapshot);
    if (!node->named && relative) {
      /* The name may still be that of a file which was moved away; then the move has to become durable as well. */
      char parent[PATH_MAX];
      snprintf(parent, sizeof parent, "%s", relative);
      *strrchr(parent, '/') = 0;
      if (names_other_file(relative, node->ino)) sync_names(parent);
      set_name(relative, node->ino);
      node->named = true;
    }
  }
  for (int i = 0; i < snapshot.count; i++) free(snapshot.bytes[i]);
  node->syncing = false;
  pthread_cond_broadcast(&sync_ended);
}

/* True if the descriptor was ours. The real call is left out: it is slow, and the real file is not what we look at. */
static bool sync_watched(int fd) {
  struct node *node = lock_node(fd);
  if (node) {
    sync_file(fd, node);
    pthread_mutex_unlock(&lock);
    return true;
  }
  struct stat st;
  char path[PATH_MAX];
  if (!enabled || fstat(fd, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_nlink == 0) return false;
  const char *relative = watched_path(fd, path);
  if (!relative) return false;
  wait_for_disk();
  pthread_mutex_lock(&lock);
  sync_names(relative);
  pthread_mutex_unlock(&lock);
  return true;
}

int fsync(int fd) {
  return sync_watched(fd) ? 0 : REAL(fsync)(fd);
}

int fdatasync(int fd) {
  return sync_watched(fd) ? 0 : REAL(fdatasync)(fd);
}

/* Some unsynced blocks may reach the disk early and in any order; they stay dirty until the sync. */
static void leak_blocks(int fd, struct node *node, off_t from, off_t to) {
  char data[LONG_PATH], block[BLOCK_BYTES];
  int reader = open_for_reading(fd);
  int out = open_data(data_path(data, node->ino));
  while (from < to) {
    off_t end = (from / BLOCK_BYTES + 1) * BLOCK_BYTES;
    if (end > to) end = to;
    if (random_share() < leak) write_all(out, block, from, read_all(reader, block, from, end - from), data);
    from = end;
  }
  close(out);
  if (reader != fd) close(reader);
}

static void wrote(int fd, struct node *node, off_t from, off_t to) {
  mark(node, from, to);
  if (leak > 0 && node->named) leak_blocks(fd, node, from, to);
}

static void wrote_at_position(int fd, struct node *node, ssize_t count) {
  if (!node) return;
  off_t end = lseek(fd, 0, SEEK_CUR);
  if (count > 0) wrote(fd, node, end - count, end);
  pthread_mutex_unlock(&lock);
}

static void wrote_at(int fd, struct node *node, off_t offset, ssize_t count) {
  if (!node) return;
  if (count > 0) wrote(fd, node, offset, offset + count);
  pthread_mutex_unlock(&lock);
}

static void changed_after(struct node *node, off_t from, bool ok) {
  if (!node) return;
  if (ok) mark(node, from, END_OF_FILE);
  pthread_mutex_unlock(&lock);
}

ssize_t write(int fd, const void *bytes, size_t length) {
  struct node *node = lock_node(fd);
  ssize_t count = REAL(write)(fd, bytes, length);
  wrote_at_position(fd, node, count);
  return count;
}

ssize_t writev(int fd, const struct iovec *parts, int part_count) {
  struct node *node = lock_node(fd);
  ssize_t count = REAL(writev)(fd, parts, part_count);
  wrote_at_position(fd, node, count);
  return count;
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  struct node *node = lock_node(fd);
  ssize_t count = REAL(pwrite)(fd, bytes, length, offset);
  wrote_at(fd, node, offset, count);
  return count;
}

ssize_t pwritev(int fd, const struct iovec *parts, int part_count, off_t offset) {
  struct node *node = lock_node(fd);
  ssize_t count = REAL(pwritev)(fd, parts, part_count, offset);
  wrote_at(fd, node, offset, count);
  return count;
}

int ftruncate(int fd, off_t length) {
  struct node *node = lock_node(fd);
  int result = REAL(ftruncate)(fd, length);
  changed_after(node, length, result == 0);
  return result;
}

int truncate(const char *path, off_t length) {
  int fd = REAL(open)(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return -1;
  int result = ftruncate(fd, length);
  int error = errno;
  close(fd);
  errno = error;
  return result;
}

int fallocate(int fd, int mode, off_t offset, off_t length) {
  struct node *node = lock_node(fd);
  int result = REAL(fallocate)(fd, mode, offset, length);
  changed_after(node, offset, result == 0);
  return result;
}

int posix_fallocate(int fd, off_t offset, off_t length) {
  struct node *node = lock_node(fd);
  int result = REAL(posix_fallocate)(fd, offset, length);
  changed_after(node, offset, result == 0);
  return result;
}

ssize_t sendfile(int out, int in, off_t *offset, size_t length) {
  struct node *node = lock_node(out);
  ssize_t count = REAL(sendfile)(out, in, offset, length);
  changed_after(node, 0, count > 0);
  return count;
}

ssize_t copy_file_range(int in, off_t *in_offset, int out, off_t *out_offset, size_t length, unsigned flags) {
  struct node *node = lock_node(out);
  ssize_t count = REAL(copy_file_range)(in, in_offset, out, out_offset, length, flags);
  changed_after(node, 0, count > 0);
  return count;
}

/* libuv copies files with the bare system call. */
long syscall(long number, ...) {
  long arg[6];
  va_list args;
  va_start(args, number);
  for (int i = 0; i < 6; i++) arg[i] = va_arg(args, long);
  va_end(args);
  struct node *node = number == SYS_copy_file_range ? lock_node((int)arg[2]) : NULL;
  long result = REAL(syscall)(number, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
  changed_after(node, 0, result > 0);
  return result;
}

static int open_at(int dir, const char *path, int flags, mode_t mode) {
  bool changes = (flags & (O_CREAT | O_TRUNC)) && (flags & O_TMPFILE) != O_TMPFILE;
  if (!enabled || !changes) return REAL(openat)(dir, path, flags, mode);
  pthread_mutex_lock(&lock);
  bool existed = faccessat(dir, path, F_OK, 0) == 0;
  int fd = REAL(openat)(dir, path, flags, mode);
  int error = errno;
  struct stat st;
  char now[PATH_MAX];
  if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_dev == root_device && watched_path(fd, now)) {
    if (!existed) {
      forget(st.st_ino);
      insert(st.st_ino);
    } else if (flags & O_TRUNC) {
      struct node *node = find(st.st_ino);
      mark(node ? node : adopt(st.st_ino), 0, END_OF_FILE);
    }
  }
  pthread_mutex_unlock(&lock);
  errno = error;
  return fd;
}

#define MODE_ARGUMENT(flags)                                                                                           \
  mode_t mode = 0;                                                                                                     \
  if ((flags) & (O_CREAT | __O_TMPFILE)) {                                                                             \
    va_list args;                                                                                                      \
    va_start(args, flags);                                                                                             \
    mode = (mode_t)va_arg(args, int);                                                                                  \
    va_end(args);                                                                                                      \
  }

int open(const char *path, int flags, ...) {
  MODE_ARGUMENT(flags)
  return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int dir, const char *path, int flags, ...) {
  MODE_ARGUMENT(flags)
  return open_at(dir, path, flags, mode);
}

int creat(const char *path, mode_t mode) {
  return open_at(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

/* Whether the name is the last one of a file, so that removing or replacing it frees the inode number. */
static bool is_last_name(int dir, const char *path, struct stat *st) {
  return enabled && fstatat(dir, path, st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st->st_mode) &&
         st->st_dev == root_device && st->st_nlink == 1;
}

static int rename_at(int from_dir, const char *from, int to_dir, const char *to, unsigned flags) {
  struct stat replaced, now;
  pthread_mutex_lock(&lock);
  bool replaces = !(flags & RENAME_EXCHANGE) && is_last_name(to_dir, to, &replaced);
  int result = REAL(renameat2)(from_dir, from, to_dir, to, flags);
  int error = errno;
  if (result == 0 && replaces && fstatat(to_dir, to, &now, AT_SYMLINK_NOFOLLOW) == 0 && now.st_ino != replaced.st_ino) {
    forget(replaced.st_ino);
  }
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int rename(const char *from, const char *to) {
  return rename_at(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to) {
  return rename_at(from_dir, from, to_dir, to, 0);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags) {
  return rename_at(from_dir, from, to_dir, to, flags);
}

int unlinkat(int dir, const char *path, int flags) {
  struct stat removed;
  pthread_mutex_lock(&lock);
  bool last = !(flags & AT_REMOVEDIR) && is_last_name(dir, path, &removed);
  int result = REAL(unlinkat)(dir, path, flags);
  int error = errno;
  if (result == 0 && last) forget(removed.st_ino);
  pthread_mutex_unlock(&lock);
  errno = error;
  return result;
}

int unlink(const char *path) {
  return unlinkat(AT_FDCWD, path, 0);
}

/* On 64-bit Linux the two families are the same functions. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int dir, const char *path, int flags, ...) __attribute__((alias("openat")));
int creat64(const char *path, mode_t mode) __attribute__((alias("creat")));
ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) __attribute__((alias("pwrite")));
ssize_t pwritev64(int fd, const struct iovec *parts, int part_count, off64_t offset) __attribute__((alias("pwritev")));
int ftruncate64(int fd, off64_t length) __attribute__((alias("ftruncate")));
int truncate64(const char *path, off64_t length) __attribute__((alias("truncate")));
int fallocate64(int fd, int mode, off64_t offset, off64_t length) __attribute__((alias("fallocate")));
int posix_fallocate64(int fd, off64_t offset, off64_t length) __attribute__((alias("posix_fallocate")));
ssize_t sendfile64(int out, int in, off64_t *offset, size_t length) __attribute__((alias("sendfile")));
