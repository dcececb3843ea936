"""Runs one program like the cell of a notebook: what its last expression gives is shown, unless it is None."""

import ast
import linecache
import os
import sys
import traceback
import types

NAME = "main.py"


def run(source):
    linecache.cache[NAME] = (len(source), None, source.splitlines(keepends=True), NAME)
    main = types.ModuleType("__main__")
    sys.modules["__main__"] = main
    sys.argv = [NAME]
    sys.path[0] = os.getcwd()
    try:
        tree = ast.parse(source, NAME)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, NAME, "exec"), main.__dict__)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), NAME, "eval"), main.__dict__)
            if value is not None:
                print(repr(value))
    except SystemExit:
        raise
    except SyntaxError as error:
        traceback.print_exception(type(error), error, None)
        return 1
    except BaseException as error:
        # Without our own frame, so that a reader sees only the program.
        traceback.print_exception(type(error), error, error.__traceback__.tb_next)
        return 1
    return 0
