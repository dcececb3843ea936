"""Runs scripts in forks of this process, which has imported the SDK: the import takes longer than most scripts.

A line of JSON with `script` and `args` is answered with one that has `code`, `stdout` and `stderr`.
"""
import json
import os
import runpy
import sys
import tempfile
import traceback

import mistralai.client  # noqa: F401


def run(script: str, args: list[str]) -> int:
    sys.argv = [script, *args]
    sys.path[0] = os.path.dirname(script)
    try:
        runpy.run_path(script, run_name="__main__")
        return 0
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:
        traceback.print_exc()
        return 1


for line in sys.stdin:
    asked = json.loads(line)
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.dup2(stdout.fileno(), 1)
            os.dup2(stderr.fileno(), 2)
            code = run(asked["script"], asked["args"])
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        printed = {"code": code}
        for name, file in (("stdout", stdout), ("stderr", stderr)):
            file.seek(0)
            printed[name] = file.read().decode()
        print(json.dumps(printed), flush=True)
