"""Runs one program like the cell of a notebook: what its last expression gives is shown, unless it is None."""

import _ast
import os
import sys

NAME = "main.py"
SYNTAX_TREE = 0x400


def run(source):
    main = type(sys)("__main__")
    sys.modules["__main__"] = main
    sys.argv = [NAME]
    sys.path[0] = os.getcwd()
    try:
        tree = compile(source, NAME, "exec", SYNTAX_TREE)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], _ast.Expr) else None
        exec(compile(tree, NAME, "exec"), main.__dict__)
        if last is not None:
            value = eval(compile(_ast.Expression(last.value), NAME, "eval"), main.__dict__)
            if value is not None:
                print(repr(value))
    except SystemExit:
        raise
    except BaseException as error:
        show(error, source)
        return 1
    return 0


def show(error, source):
    # Here, because these two take longer to be read than most programs to run.
    import linecache
    import traceback

    linecache.cache[NAME] = (len(source), None, source.splitlines(keepends=True), NAME)
    # Without our own frame, so that a reader sees only the program.
    traceback.print_exception(type(error), error, error.__traceback__.tb_next)
