// Faulty calls: a library to preload that makes one file call below a directory fail, or do half of its work. Memory
// shared with the test selects the call, so that it can change while a service runs; children load the library, too.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { OPEN, READ, WRITE, SYNC, CLOSE, RENAME, LINK, UNLINK, MKDIR, TRUNCATE, KINDS };
enum role { SERVICE, CHILDREN, ROLES };

/** The same as in faulty-calls.ts. */
struct control {
  _Atomic int kind, role, at, fault;
  _Atomic int met, synced_again, calls[ROLES][KINDS];
  char root[512], path[1024];
};
#define HALF (-1)

static struct control *control;
static int role, control_fd = -1;
static char library[1024];

__attribute__((constructor)) static void begin(void) {
  // Of the commands that start a child, only the last is Node.
  const char *inherited = getenv("FAULTY_CALLS_FD"), *path = getenv("FAULTY_CALLS");
  if (getenv("LD_PRELOAD") != NULL) snprintf(library, sizeof library, "%s", getenv("LD_PRELOAD"));
  if (strcmp(program_invocation_short_name, "node") != 0) return;
  if (inherited != NULL) {
    role = CHILDREN;
    control_fd = atoi(inherited);
  } else if (path != NULL) {
    int opened = open(path, O_RDWR);
    // High enough not to count in a low limit of descriptors; stays open in children, who may not open the file.
    control_fd = fcntl(opened, F_DUPFD, 200);
    close(opened);
  }
  void *shared = mmap(NULL, sizeof *control, PROT_READ | PROT_WRITE, MAP_SHARED, control_fd, 0);
  if (shared != MAP_FAILED) control = shared;
}

static int is_below(const char *path) {
  size_t length = strlen(control->root);
  return strncmp(path, control->root, length) == 0 && (path[length] == '/' || path[length] == 0);
}

/** The fault of a call on an absolute path: 0, an errno, or HALF. */
static int fault_of_path(enum kind kind, const char *path) {
  if (!is_below(path)) return 0;
  // An interruption is not a failure: the call may be repeated.
  if (kind == SYNC && control->met != 0 && control->kind == SYNC && control->fault != EINTR && strcmp(path, control->path) == 0)
    control->synced_again = 1;
  int number = atomic_fetch_add(&control->calls[role][kind], 1) + 1;
  if (control->kind != (int)kind || control->role != role || control->at != number) return 0;
  snprintf(control->path, sizeof control->path, "%s", path);
  control->met = 1;
  return control->fault;
}

/** The same for a name below the target of a /proc link, or for the target itself without a name. */
static int fault_below(enum kind kind, const char *link, const char *name) {
  char path[2048];
  int before = errno;
  ssize_t length = readlink(link, path, 1023);
  errno = before;
  if (length <= 0) return 0;
  snprintf(path + length, sizeof path - (size_t)length, name == NULL ? "" : "/%s", name);
  return fault_of_path(kind, path);
}

static int fault_of_fd(enum kind kind, int fd) {
  char link[64];
  if (control == NULL) return 0;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  return fault_below(kind, link, NULL);
}

static int fault_of_name(enum kind kind, int directory, const char *name) {
  char link[64];
  if (control == NULL) return 0;
  if (name[0] == '/') return fault_of_path(kind, name);
  if (directory == AT_FDCWD) return fault_below(kind, "/proc/self/cwd", name);
  snprintf(link, sizeof link, "/proc/self/fd/%d", directory);
  return fault_below(kind, link, name);
}

static int fault_of(enum kind kind, const char *name) { return fault_of_name(kind, AT_FDCWD, name); }

#define REAL(name) static __typeof__(&name) real; if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define FAIL_IF(expression) do { int fault = expression; if (fault > 0) { errno = fault; return -1; } } while (0)
#define MODE mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }

#define OPENS(name) int name(const char *path, int flags, ...) { REAL(name); MODE FAIL_IF(fault_of(OPEN, path)); return real(path, flags, mode); }
OPENS(open)
OPENS(open64)
#define OPENS_AT(name) int name(int dir, const char *path, int flags, ...) { REAL(name); MODE FAIL_IF(fault_of_name(OPEN, dir, path)); return real(dir, path, flags, mode); }
OPENS_AT(openat)
OPENS_AT(openat64)

#define MOVES_BYTES(name, kind, bytes_type, rest, passed) \
  ssize_t name(int fd, bytes_type bytes, size_t count rest) { \
    REAL(name); \
    int fault = fault_of_fd(kind, fd); \
    if (fault > 0) { errno = fault; return -1; } \
    return real(fd, bytes, fault == HALF && count > 1 ? count / 2 : count passed); \
  }
#define NOTHING
#define COMMA_OFFSET , off_t offset
#define COMMA_OFFSET_PASSED , offset
MOVES_BYTES(read, READ, void *, NOTHING, NOTHING)
MOVES_BYTES(pread, READ, void *, COMMA_OFFSET, COMMA_OFFSET_PASSED)
MOVES_BYTES(pread64, READ, void *, COMMA_OFFSET, COMMA_OFFSET_PASSED)
MOVES_BYTES(write, WRITE, const void *, NOTHING, NOTHING)
MOVES_BYTES(pwrite, WRITE, const void *, COMMA_OFFSET, COMMA_OFFSET_PASSED)
MOVES_BYTES(pwrite64, WRITE, const void *, COMMA_OFFSET, COMMA_OFFSET_PASSED)

#define MOVES_PIECES(name, kind, rest, passed) \
  ssize_t name(int fd, const struct iovec *pieces, int count rest) { \
    REAL(name); \
    int fault = fault_of_fd(kind, fd); \
    if (fault > 0) { errno = fault; return -1; } \
    if (fault != HALF) return real(fd, pieces, count passed); \
    if (count > 1) return real(fd, pieces, count / 2 passed); \
    struct iovec half = {pieces->iov_base, pieces->iov_len > 1 ? pieces->iov_len / 2 : pieces->iov_len}; \
    return real(fd, &half, 1 passed); \
  }
MOVES_PIECES(readv, READ, NOTHING, NOTHING)
MOVES_PIECES(preadv, READ, COMMA_OFFSET, COMMA_OFFSET_PASSED)
MOVES_PIECES(preadv64, READ, COMMA_OFFSET, COMMA_OFFSET_PASSED)
MOVES_PIECES(writev, WRITE, NOTHING, NOTHING)
MOVES_PIECES(pwritev, WRITE, COMMA_OFFSET, COMMA_OFFSET_PASSED)
MOVES_PIECES(pwritev64, WRITE, COMMA_OFFSET, COMMA_OFFSET_PASSED)

int fsync(int fd) { REAL(fsync); FAIL_IF(fault_of_fd(SYNC, fd)); return real(fd); }
int fdatasync(int fd) { REAL(fdatasync); FAIL_IF(fault_of_fd(SYNC, fd)); return real(fd); }
int ftruncate(int fd, off_t bytes) { REAL(ftruncate); FAIL_IF(fault_of_fd(TRUNCATE, fd)); return real(fd, bytes); }
int ftruncate64(int fd, off_t bytes) { REAL(ftruncate64); FAIL_IF(fault_of_fd(TRUNCATE, fd)); return real(fd, bytes); }
int fallocate(int fd, int mode, off_t from, off_t bytes) { REAL(fallocate); FAIL_IF(fault_of_fd(TRUNCATE, fd)); return real(fd, mode, from, bytes); }
int fallocate64(int fd, int mode, off_t from, off_t bytes) { REAL(fallocate64); FAIL_IF(fault_of_fd(TRUNCATE, fd)); return real(fd, mode, from, bytes); }

/** The descriptor is closed even if closing fails: close(2), "Dealing with error returns". */
int close(int fd) {
  REAL(close);
  // A program that closes all inherited descriptors must not close this one.
  if (fd == control_fd && control != NULL) return 0;
  int fault = fault_of_fd(CLOSE, fd), result = real(fd);
  if (fault > 0) { errno = fault; return -1; }
  return result;
}

/** Node closes and copies files by direct system calls. */
long syscall(long number, ...) {
  REAL(syscall);
  va_list list;
  long a[6];
  va_start(list, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_close) return close((int)a[0]);
  if (number == SYS_copy_file_range) {
    int fault = fault_of_fd(WRITE, (int)a[2]);
    if (fault > 0) { errno = fault; return -1; }
    if (fault == HALF && a[4] > 1) a[4] /= 2;
  }
  return real(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/** Node copies files this way if the file system cannot clone them. */
ssize_t sendfile64(int to, int from, off64_t *offset, size_t count) {
  REAL(sendfile64);
  int fault = fault_of_fd(WRITE, to);
  if (fault > 0) { errno = fault; return -1; }
  return real(to, from, offset, fault == HALF && count > 1 ? count / 2 : count);
}

int rename(const char *from, const char *to) { REAL(rename); FAIL_IF(fault_of(RENAME, from)); return real(from, to); }
int renameat(int one, const char *from, int other, const char *to) { REAL(renameat); FAIL_IF(fault_of_name(RENAME, one, from)); return real(one, from, other, to); }
int link(const char *from, const char *to) { REAL(link); FAIL_IF(fault_of(LINK, to)); return real(from, to); }
int unlink(const char *path) { REAL(unlink); FAIL_IF(fault_of(UNLINK, path)); return real(path); }
int rmdir(const char *path) { REAL(rmdir); FAIL_IF(fault_of(UNLINK, path)); return real(path); }
int remove(const char *path) { REAL(remove); FAIL_IF(fault_of(UNLINK, path)); return real(path); }
int unlinkat(int dir, const char *path, int flags) { REAL(unlinkat); FAIL_IF(fault_of_name(UNLINK, dir, path)); return real(dir, path, flags); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); FAIL_IF(fault_of(MKDIR, path)); return real(path, mode); }
int mkdirat(int dir, const char *path, mode_t mode) { REAL(mkdirat); FAIL_IF(fault_of_name(MKDIR, dir, path)); return real(dir, path, mode); }

/** A child gets a new environment: adds this library and the shared memory to it. */
int execvp(const char *file, char *const arguments[]) {
  REAL(execvp);
  if (control != NULL && role == SERVICE) {
    char number[16];
    snprintf(number, sizeof number, "%d", control_fd);
    setenv("LD_PRELOAD", library, 1);
    setenv("FAULTY_CALLS_FD", number, 1);
  }
  return real(file, arguments);
}
