import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, systemClock } from '../../kit/base/clock.ts';
import { lockFile } from '../weights/lock-file.ts';
import { GPU_KINDS, type GpuKind, type GpuPackage, RUNTIME_VERSION } from './packages.ts';

/** One for each kind; `isCurrent` when it is of the version that this program runs. */
type InstalledGpu = { kind: GpuKind; version: string; isCurrent: boolean; bytes: number };

/** Below the data dir: `<version>/<kind>/<package>`, and `downloads`. */
export function gpuDirOf(dataDir: string): string {
  return join(dataDir, 'gpu');
}

export function kindDir(gpuDir: string, kind: GpuKind, version = RUNTIME_VERSION): string {
  return join(gpuDir, version, kind);
}

export function packageEntry(gpuDir: string, kind: GpuKind, name: string): string {
  return join(kindDir(gpuDir, kind), name, 'dist', 'index.js');
}

/** Kinds of the version that this program runs, best first. */
export function listKinds(gpuDir: string): GpuKind[] {
  return GPU_KINDS.filter((kind) => existsSync(kindDir(gpuDir, kind)));
}

export async function listInstalledGpus(gpuDir: string): Promise<InstalledGpu[]> {
  const found: InstalledGpu[] = [];
  for (const version of await namesIn(gpuDir)) {
    if (!/^\d+\.\d+\.\d+/.test(version)) continue;
    for (const kind of GPU_KINDS) {
      const dir = kindDir(gpuDir, kind, version);
      if ((await namesIn(dir)).length === 0) continue;
      found.push({ kind, version, isCurrent: version === RUNTIME_VERSION, bytes: await bytesIn(dir) });
    }
  }
  return found;
}

/** Whether all packages of a kind are there. A directory has its final name only when it is whole. */
export async function isInstalled(gpuDir: string, kind: GpuKind, packages: readonly GpuPackage[]): Promise<boolean> {
  for (const { name } of packages) {
    const file = join(kindDir(gpuDir, kind), name, 'package.json');
    const text = await readFile(file, 'utf8').catch(() => '');
    if (!text.includes(`"version": "${RUNTIME_VERSION}"`)) return false;
  }
  return packages.length > 0;
}

export function lockOf(gpuDir: string): string {
  return join(gpuDir, 'install.lock');
}

/** Removes one kind, or everything. Returns what was freed; undefined when there was nothing. */
export async function removeGpu(
  gpuDir: string,
  kind: GpuKind | undefined,
  { signal, now = systemClock }: { signal: AbortSignal; now?: Clock },
): Promise<number | undefined> {
  const installed = (await listInstalledGpus(gpuDir)).filter((one) => kind === undefined || one.kind === kind);
  if (installed.length === 0) return undefined;
  const release = await lockFile(lockOf(gpuDir), { signal, now });
  try {
    for (const one of installed) await rm(kindDir(gpuDir, one.kind, one.version), { recursive: true, force: true });
  } finally {
    await release();
  }
  if ((await listInstalledGpus(gpuDir)).length === 0) await rm(gpuDir, { recursive: true, force: true });
  return installed.reduce((sum, { bytes }) => sum + bytes, 0);
}

async function namesIn(dir: string): Promise<string[]> {
  return readdir(dir).catch(() => []);
}

async function bytesIn(dir: string): Promise<number> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sizes = await Promise.all(files.map((file) => stat(file).then(({ size }) => size)));
  return sizes.reduce((sum, size) => sum + size, 0);
}
