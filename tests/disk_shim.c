/* The C library's calls that change a folder, preloaded into a process: they fail when told to, and are recorded.

   Calls are counted from `disk_fails` on, in the folder FAILING_FOLDER. Of a write that fails half may have been
   written before. `disk_records` begins a record of every change in that folder, which tests/crash_disk.py reads:
   one letter, the file's number, an offset, the lengths of two names and of the bytes, then these. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define NEXT(name) ((__typeof__(&name)) dlsym(RTLD_NEXT, #name))
#define HERE(path) path_of(AT_FDCWD, path, (char[PATH_MAX]){0})
#define THERE(at, path) path_of(at, path, (char[PATH_MAX]){0})

static volatile int counting, calls, first, many, error, half, names;
static int record = -1;
static pthread_mutex_t one = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

/* `with_names`: making, renaming and linking files fail too. */
void disk_fails(int at, int number, int with, int by_half, int with_names) {
    calls = 0; first = at; many = number; error = with; half = by_half; names = with_names; counting = 1;
}
int disk_calls(void) { return calls; }
void disk_works(void) { counting = 0; }

static const char *path_of(int at, const char *path, char *space) {
    char link[64];
    if (path[0] == '/') return path;
    if (at == AT_FDCWD) strcpy(link, "/proc/self/cwd");
    else snprintf(link, sizeof link, "/proc/self/fd/%d", at);
    ssize_t length = readlink(link, space, PATH_MAX - 1);
    if (length < 0) return path;
    snprintf(space + length, PATH_MAX - length, "/%s", path);
    return space;
}

static int ours(const char *path) {
    const char *folder = getenv("FAILING_FOLDER");
    return folder && strncmp(path, folder, strlen(folder)) == 0;
}

static const char *path_of_handle(int handle, char *space) {
    char link[64];
    int kept = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, space, PATH_MAX - 1);
    errno = kept;
    space[length < 0 ? 0 : length] = 0;
    return space;
}

static int handle_is_ours(int handle) { return ours(path_of_handle(handle, (char[PATH_MAX]){0})); }

static int fails(void) {
    int call = __sync_add_and_fetch(&calls, 1);
    if (call < first || call >= first + many) return 0;
    errno = error;
    return 1;
}
static int path_fails(const char *path) { return counting && names && ours(path) && fails(); }
static int handle_fails(int handle) { return counting && handle_is_ours(handle) && fails(); }

/* ---- The record */

static void note(char what, uint64_t file, uint64_t at, const char *name, const char *other, const void *from,
                 size_t size) {
    uint64_t head[6] = {what, file, at, strlen(name), strlen(other), size};
    struct iovec parts[4] = {{head, sizeof head}, {(void *) name, head[3]}, {(void *) other, head[4]},
                             {(void *) from, size}};
    int kept = errno;
    if (NEXT(writev)(record, parts, 4) != (ssize_t) (sizeof head + head[3] + head[4] + size)) abort();
    errno = kept;
}

void disk_records(const char *path) {
    record = path ? NEXT(open)(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
}
void disk_marks(const char *said) { if (record >= 0) note('M', 0, 0, said, "", "", 0); }

static uint64_t number_of(int handle) {
    struct stat state;
    return fstat(handle, &state) ? 0 : state.st_ino;
}

static void note_sync(int handle) {
    struct stat state;
    if (!handle_is_ours(handle) || fstat(handle, &state)) return;
    const char *folder = S_ISDIR(state.st_mode) ? path_of_handle(handle, (char[PATH_MAX]){0}) : "";
    note('S', state.st_ino, 0, folder, "", "", 0);
}

static int begin(void) { pthread_mutex_lock(&one); return record >= 0; }
#define END(result) do { int kept = errno; pthread_mutex_unlock(&one); errno = kept; return result; } while (0)

static void note_write(int handle, const void *from, ssize_t size, off_t at) {
    if (size <= 0 || !handle_is_ours(handle)) return;
    if (at < 0) at = lseek(handle, 0, SEEK_CUR) - size;
    note('W', number_of(handle), at, "", "", from, size);
}

/* ---- Bytes */

#define WRITES(name, more, where, ...) \
    ssize_t name(int handle, const void *from, size_t size more) { \
        if (handle_fails(handle)) { \
            int kept = errno; \
            if (half && size > 1) NEXT(name)(handle, from, size / 2 __VA_ARGS__); \
            errno = kept; return -1; \
        } \
        int recording = begin(); \
        ssize_t done = NEXT(name)(handle, from, size __VA_ARGS__); \
        if (recording) note_write(handle, from, done, where); \
        END(done); \
    }
#define COMMA ,
WRITES(write, , -1)
WRITES(pwrite, COMMA off_t at, at, COMMA at)
WRITES(pwrite64, COMMA off64_t at, at, COMMA at)

ssize_t writev(int handle, const struct iovec *parts, int count) {
    ssize_t done = 0;
    for (int part = 0; part < count; part++) {
        ssize_t more = write(handle, parts[part].iov_base, parts[part].iov_len);
        if (more < 0) return done ? done : -1;
        done += more;
    }
    return done;
}

/* Whoever copies inside the kernel goes on with reads and writes where that is not known. */
ssize_t sendfile(int to, int from, off_t *at, size_t size) {
    if (handle_is_ours(to)) { errno = EINVAL; return -1; }
    return NEXT(sendfile)(to, from, at, size);
}
ssize_t sendfile64(int to, int from, off64_t *at, size_t size) {
    if (handle_is_ours(to)) { errno = EINVAL; return -1; }
    return NEXT(sendfile64)(to, from, at, size);
}
ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *there, size_t size, unsigned flags) {
    if (handle_is_ours(to)) { errno = EINVAL; return -1; }
    return NEXT(copy_file_range)(from, at, to, there, size, flags);
}

#define SYNCS(name) \
    int name(int handle) { \
        if (handle_fails(handle)) return -1; \
        int recording = begin(); \
        int done = recording ? 0 : NEXT(name)(handle);  /* nobody cuts the power here: the record says what was asked */ \
        if (recording) note_sync(handle); \
        END(done); \
    }
SYNCS(fsync)
SYNCS(fdatasync)

#define CUTS(name, kind) \
    int name(int handle, kind size) { \
        if (handle_fails(handle)) return -1; \
        int recording = begin(); \
        int done = NEXT(name)(handle, size); \
        if (recording && !done && handle_is_ours(handle)) note('T', number_of(handle), size, "", "", "", 0); \
        END(done); \
    }
CUTS(ftruncate, off_t)
CUTS(ftruncate64, off64_t)

/* ---- Names */

static int open_it(int at, const char *path, int flags, mode_t mode) {
    const char *whole = THERE(at, path);
    int changes = flags & (O_CREAT | O_TRUNC) && (flags & O_TMPFILE) != O_TMPFILE && ours(whole);
    struct stat state;
    int was = changes ? !stat(whole, &state) : 0;
    if (changes && (!was || flags & O_TRUNC) && path_fails(whole)) return -1;
    int recording = begin();
    int handle = NEXT(openat)(at, path, flags, mode);
    if (recording && changes && handle >= 0) {
        if (!was) note('C', number_of(handle), 0, whole, "", "", 0);
        else if (flags & O_TRUNC) note('T', number_of(handle), 0, "", "", "", 0);
    }
    END(handle);
}
#define MODE mode_t mode = 0; if (flags & O_CREAT) { va_list rest; va_start(rest, flags); mode = va_arg(rest, int); va_end(rest); }
int open(const char *path, int flags, ...) { MODE return open_it(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE return open_it(AT_FDCWD, path, flags | O_LARGEFILE, mode); }
int openat(int at, const char *path, int flags, ...) { MODE return open_it(at, path, flags, mode); }
int openat64(int at, const char *path, int flags, ...) { MODE return open_it(at, path, flags | O_LARGEFILE, mode); }

#define NAMES(declared, whole_path, call, what, other) \
    declared { \
        if (path_fails(whole_path)) return -1; \
        int recording = begin() && ours(whole_path); \
        int done = call; \
        if (recording && !done) note(what, 0, 0, whole_path, other, "", 0); \
        END(done); \
    }
NAMES(int rename(const char *path, const char *to), HERE(path), NEXT(rename)(path, to), 'R', HERE(to))
NAMES(int link(const char *path, const char *to), HERE(path), NEXT(link)(path, to), 'L', HERE(to))
NAMES(int linkat(int at, const char *path, int at_to, const char *to, int flags), THERE(at, path),
      NEXT(linkat)(at, path, at_to, to, flags), 'L', THERE(at_to, to))
NAMES(int mkdir(const char *path, mode_t mode), HERE(path), NEXT(mkdir)(path, mode), 'D', "")

#define REMOVES(declared, whole_path, call, folder) \
    declared { \
        const char *whole = whole_path; \
        if (counting && ours(whole) && (names || !(folder)) && fails()) { \
            if (error != ENOSPC && error != EDQUOT) return -1;  /* a full disk deletes */ \
        } \
        int recording = begin() && ours(whole); \
        int done = call; \
        if (recording && !done) note(folder ? 'E' : 'U', 0, 0, whole, "", "", 0); \
        END(done); \
    }
REMOVES(int unlink(const char *path), HERE(path), NEXT(unlink)(path), 0)
REMOVES(int rmdir(const char *path), HERE(path), NEXT(rmdir)(path), 1)
REMOVES(int unlinkat(int at, const char *path, int flags), THERE(at, path), NEXT(unlinkat)(at, path, flags),
        flags & AT_REMOVEDIR)
