import { chmodSync, closeSync, mkdirSync, openSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const PRIVATE_FILE = 0o600;
const PRIVATE_DIR = 0o700;

/** Creates the file if it is missing. Whatever the umask and its mode so far, only its owner may read it then. */
export function makeFilePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'a', PRIVATE_FILE));
  } catch {
    // Whoever opens the file next explains why that fails.
    return;
  }
  restrict(path, PRIVATE_FILE);
}

/** Creates the directory for its owner alone; one that exists keeps its mode. */
export function createPrivateDir(path: string): void {
  const first = mkdirSync(path, { recursive: true, mode: PRIVATE_DIR });
  if (first !== undefined) restrict(path, PRIVATE_DIR);
}

/** Takes group and others off the entries of a directory with these names; missing ones are skipped. */
export function restrictEntries(dir: string, { files, dirs }: { files: RegExp; dirs: RegExp }): void {
  for (const entry of readdirSync(dir, { withFileTypes: true })) {
    if (entry.isFile() && files.test(entry.name)) restrict(join(dir, entry.name), PRIVATE_FILE);
    if (entry.isDirectory() && dirs.test(entry.name)) restrict(join(dir, entry.name), PRIVATE_DIR);
  }
}

/** A file of another owner stays as it is; `doctor` reports it. */
function restrict(path: string, mode: number): void {
  try {
    chmodSync(path, mode);
  } catch (error) {
    if (!['EPERM', 'ENOENT', 'EROFS', 'ENOTSUP'].includes((error as { code?: string }).code ?? '')) throw error;
  }
}
