import { copyFileSync, cpSync, existsSync, linkSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileShim } from './compile-shim.ts';

const source = fileURLToPath(new URL('./power-loss.c', import.meta.url));
let built: { path: string | undefined } | undefined;

/** The path of the compiled shim, or undefined where there is no Linux or no C compiler. */
export function buildPowerLossShim(): string | undefined {
  built ??= { path: compileShim(source) };
  return built.path;
}

export interface PowerLossDisk {
  /** The directory that will lose what was not synced. */
  dir: string;
  /** A directory for the shim, on the same file system and outside of `dir`. It is emptied. */
  shadow: string;
  /** How long a sync takes. It covers only earlier writes and counts only once it has returned. */
  syncMs?: number;
  /** The share (0…1) of unsynced 4 KiB blocks that reach the disk anyway, in random order. */
  leak?: number;
}

/**
 * Starts a new disk on which the current content of `dir` is durable, and returns the environment for the process that
 * will lose power. To restart a process on the same disk, reuse the environment.
 */
export function powerLossEnv({ dir, shadow, syncMs = 0, leak = 0 }: PowerLossDisk): Record<string, string> {
  const library = buildPowerLossShim();
  if (library === undefined) throw new Error('The power-loss shim needs Linux and a C compiler (cc)');
  if (!relative(resolve(dir), resolve(shadow)).startsWith('..')) throw new Error('The shadow must be outside of dir');
  rmSync(shadow, { recursive: true, force: true });
  mkdirSync(join(shadow, 'data'), { recursive: true });
  mkdirSync(dir, { recursive: true });
  seed(dir, shadow, '');
  return {
    LD_PRELOAD: library,
    POWER_LOSS_DIR: resolve(dir),
    POWER_LOSS_SHADOW: resolve(shadow),
    POWER_LOSS_SYNC_MS: String(syncMs),
    POWER_LOSS_LEAK: String(leak),
    // Writes through io_uring bypass the C library, and with it the shim.
    UV_USE_IO_URING: '0',
  };
}

/** Makes `target` the directory as found after the power loss. The process must have ended before. */
export function materialise(shadow: string, target: string): void {
  rmSync(target, { recursive: true, force: true });
  cpSync(join(shadow, 'tree'), target, { recursive: true });
}

function seed(dir: string, shadow: string, path: string): void {
  mkdirSync(join(shadow, 'tree', path));
  for (const entry of readdirSync(join(dir, path), { withFileTypes: true })) {
    const name = join(path, entry.name);
    if (entry.isDirectory()) seed(dir, shadow, name);
    if (!entry.isFile() || name.endsWith('-shm')) continue;
    const data = join(shadow, 'data', String(statSync(join(dir, name), { bigint: true }).ino));
    if (!existsSync(data)) copyFileSync(join(dir, name), data);
    linkSync(data, join(shadow, 'tree', name));
  }
}
