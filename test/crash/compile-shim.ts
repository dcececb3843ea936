import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const compiler = 'cc';

/**
 * The path of a library, as for LD_PRELOAD, or undefined without Linux or a C compiler. Source that does not compile
 * throws: otherwise a broken shim would skip its tests silently.
 */
export function compileShim(source: string, more: string[] = []): string | undefined {
  if (process.platform !== 'linux' || spawnSync(compiler, ['--version']).status !== 0) return undefined;
  const name = basename(source, '.c');
  // Test processes are killed without their exit handlers, so a folder per process would never be removed.
  const version = createHash('sha256').update(readFileSync(source)).update(more.join(' ')).digest('hex').slice(0, 16);
  const folder = openPrivateFolder(join(tmpdir(), `${name}-${process.getuid?.()}-${version}`));
  const library = join(folder, `${name}.so`);
  if (existsSync(library)) return library;
  const draft = join(folder, `${process.pid}.so`);
  const flags = ['-shared', '-fPIC', '-O1', '-Wall', '-o', draft, source, '-ldl', '-lpthread', ...more];
  const result = spawnSync(compiler, flags, { encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`${name}.c does not compile:\n${result.stderr}`);
  renameSync(draft, library);
  return library;
}

/** The path can be guessed, and its content is loaded into processes: only this user may own it. */
function openPrivateFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const found = lstatSync(path);
  if (!found.isDirectory() || found.uid !== process.getuid?.() || (found.mode & 0o077) !== 0) {
    throw new Error(`${path} must be a folder that only this user can open; remove it`);
  }
  return path;
}
