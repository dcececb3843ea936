"""Runs inside the sandbox: takes the program and its files from standard input, runs the program in a child process
without the right to start others, and writes what it left behind to file descriptor 3."""

import ctypes
import json
import os
import platform
import resource
import signal
import stat
import struct
import sys
import time

WORK = "/work"
RESULT_FD = 3
ENTRIES_MAX = 2000
WATCH_SECONDS = 0.02
# What could start processes, hold memory that no limit counts, or reach into the kernel or other processes.
FORBIDDEN = {
    "x86_64": (0xC000003E, 56, [57, 58, 59, 322, 29, 319, 447, 101, 310, 311, 438, 155, 161, 165, 166, 272, 308, 304, 248, 249, 250, 298, 321, 323, 425]),
    "aarch64": (0xC00000B7, 220, [221, 281, 194, 279, 447, 117, 270, 271, 438, 41, 51, 40, 39, 97, 268, 265, 217, 218, 219, 241, 280, 282, 425]),
}
CLONE3 = 435
CLONE_THREAD = 0x10000
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
EPERM, ENOSYS = 1, 38
LOAD, JUMP_EQUAL, JUMP_GREATER_EQUAL, JUMP_SET, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06


def read_exactly(size):
    parts = []
    while size > 0:
        part = os.read(0, min(size, 1 << 20))
        if not part:
            raise EOFError("the request is not whole")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


def forbid_calls():
    architecture, clone, numbers = FORBIDDEN[platform.machine()]
    steps = [(LOAD, 0, 0, 4), (JUMP_EQUAL, 1, 0, architecture), (RETURN, 0, 0, KILL), (LOAD, 0, 0, 0)]
    steps += [(JUMP_GREATER_EQUAL, 0, 1, 0x40000000), (RETURN, 0, 0, ERRNO | EPERM)]
    for number in numbers:
        steps += [(JUMP_EQUAL, 0, 1, number), (RETURN, 0, 0, ERRNO | EPERM)]
    # A library that meets ENOSYS falls back on clone, whose flags can be looked at: threads are allowed.
    steps += [(JUMP_EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, ERRNO | ENOSYS)]
    steps += [(JUMP_EQUAL, 0, 3, clone), (LOAD, 0, 0, 16), (JUMP_SET, 1, 0, CLONE_THREAD), (RETURN, 0, 0, ERRNO | EPERM)]
    steps += [(RETURN, 0, 0, ALLOW)]
    code = b"".join(struct.pack("=HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("@HP", len(steps), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(38, 1, 0, 0, 0) != 0 or libc.prctl(22, 2, ctypes.c_char_p(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "the system calls could not be restricted")


def limit(kind, value):
    resource.setrlimit(kind, (value, value))


def run_program(source, limits):
    os.close(RESULT_FD)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.chdir(WORK)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_NOFILE, 256)
    limit(resource.RLIMIT_NPROC, 256)
    limit(resource.RLIMIT_FSIZE, limits["fileBytes"])
    limit(resource.RLIMIT_CPU, limits["timeMs"] // 1000 + 10)
    limit(resource.RLIMIT_AS, limits["memoryBytes"])
    forbid_calls()
    try:
        code = run(source)
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 0 if error.code is None else 1
        if isinstance(error.code, str):
            print(error.code, file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            code = code or 1
    os._exit(code & 0xFF)


def entries():
    return sum(found.f_files - found.f_ffree for found in map(os.statvfs, (WORK, "/tmp")))


def wait_for(pid):
    """The exit code of the program, which is ended when it floods the directories with entries."""
    before = entries()
    while True:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        if entries() - before > ENTRIES_MAX:
            os.kill(pid, signal.SIGKILL)
            os.write(2, b"The program was ended: it made too many files.\n")
        time.sleep(WATCH_SECONDS)


def left_behind():
    for directory, _, names in os.walk(WORK):
        for name in names:
            path = os.path.join(directory, name)
            # Only plain files, and never through a link.
            if stat.S_ISREG(os.lstat(path).st_mode):
                handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
                with open(handle, "rb") as file:
                    yield os.path.relpath(path, WORK), file.read()


def supervise():
    (size,) = struct.unpack(">I", read_exactly(4))
    request = json.loads(read_exactly(size))
    for file in request["files"]:
        path = os.path.join(WORK, file["name"])
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as handle:
            handle.write(read_exactly(file["bytes"]))
    pid = os.fork()
    if pid == 0:
        run_program(request["code"], request["limits"])
    code = wait_for(pid)
    found = list(left_behind())
    header = json.dumps({"code": code, "files": [{"name": name, "bytes": len(content)} for name, content in found]})
    with open(RESULT_FD, "wb") as result:
        result.write(struct.pack(">I", len(header)) + header.encode())
        for _, content in found:
            result.write(content)


supervise()
