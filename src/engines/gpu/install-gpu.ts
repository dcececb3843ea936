import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type Clock, systemClock } from '../../kit/base/clock.ts';
import { hexId } from '../../kit/base/ids.ts';
import { codeOf, PullFailed, reasonOf, SourceFailed } from '../weights/errors.ts';
import { checkRoom } from '../weights/fetch-source.ts';
import { fetchUrl, type HttpLimits } from '../weights/fetch-url.ts';
import { integrityOf } from '../weights/hash-file.ts';
import { explainHttpError } from '../weights/http.ts';
import { lockFile } from '../weights/lock-file.ts';
import { removePartial } from '../weights/partial.ts';
import { createMeter, type OnProgress } from '../weights/progress.ts';
import { findTarball } from './find-tarball.ts';
import { isInstalled, kindDir, lockOf } from './installed.ts';
import { GPU_SCOPE, type GpuKind, type GpuPackage, type GpuTable, gpuPackages, RUNTIME_VERSION } from './packages.ts';
import { type Registry, readRegistry } from './read-registry.ts';
import { unpackPackage } from './unpack-package.ts';

const DISK_ERRORS = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR'];
const ANSWER_MS = 15_000;
const STAGING = 'unpacking-';

export type InstallOptions = {
  gpuDir: string;
  kind: GpuKind;
  /** npm's variables are in it. */
  environment: Record<string, string | undefined>;
  cwd: string;
  signal: AbortSignal;
  onProgress?: OnProgress;
  platform?: string;
  table?: GpuTable;
  limits?: HttpLimits;
  freeBytes?: (dir: string) => Promise<number>;
  now?: Clock;
};

type GpuInstallation = { kind: GpuKind; version: string; dir: string; wasThere: boolean };

/**
 * Brings the packages of one kind into the data dir: pinned by sha512, resumable, and under their final name only when all
 * of them are unpacked. Throws PullFailed with what to do, or the signal's reason.
 */
export async function installGpu(options: InstallOptions): Promise<GpuInstallation> {
  const { gpuDir, kind, signal, onProgress = () => undefined, now = systemClock } = options;
  const packages = packagesFor(options);
  const dir = kindDir(gpuDir, kind);
  const result = { kind, version: RUNTIME_VERSION, dir };
  try {
    await mkdir(gpuDir, { recursive: true, mode: 0o700 });
    const onWait = () => onProgress({ file: kind, phase: 'waiting', doneBytes: 0 });
    const release = await lockFile(lockOf(gpuDir), { signal, now, onWait });
    try {
      if (await isInstalled(gpuDir, kind, packages)) return { ...result, wasThere: true };
      await removeLeftovers(gpuDir);
      await checkRoom(gpuDir, roomFor(packages), options).catch((error: unknown) => {
        throw new PullFailed(`Nothing was installed: ${reasonOf(error)}. Make room, or choose another data directory.`);
      });
      const registry = await readRegistry(options.environment, options.cwd);
      const files: string[] = [];
      for (const wanted of packages) files.push(await download(registry, wanted, { ...options, onProgress, now }));
      await unpackAll(packages, files, options);
      await rm(downloadsDir(gpuDir), { recursive: true, force: true });
      await removeOtherVersions(gpuDir);
      return { ...result, wasThere: false };
    } finally {
      await release();
    }
  } catch (error) {
    signal.throwIfAborted();
    throw explain(error, gpuDir, kind);
  }
}

function packagesFor({
  kind,
  platform = `${process.platform}-${process.arch}`,
  table = gpuPackages,
}: Pick<InstallOptions, 'kind' | 'platform' | 'table'>): readonly GpuPackage[] {
  const packages = table[platform]?.[kind];
  if (packages) return packages;
  throw new PullFailed(
    `There is no ${kind} package of llama.cpp for ${platform}; there are packages for ${Object.keys(table).join(' and ')}.`,
  );
}

function roomFor(packages: readonly GpuPackage[]): number {
  return packages.reduce((sum, { bytes, unpackedBytes }) => sum + bytes + unpackedBytes, 0);
}

const downloadsDir = (gpuDir: string) => join(gpuDir, 'downloads');

/** The package file, checked. One that an earlier try brought here is not fetched again. */
async function download(
  registry: Registry,
  wanted: GpuPackage,
  { gpuDir, signal, limits, onProgress, now }: InstallOptions & { onProgress: OnProgress; now: Clock },
): Promise<string> {
  const name = `${wanted.name}-${RUNTIME_VERSION}.tgz`;
  const target = join(downloadsDir(gpuDir), name);
  await mkdir(downloadsDir(gpuDir), { recursive: true });
  if (await stat(target).catch(() => undefined)) {
    if ((await integrityOf(target, signal)) === wanted.integrity) return target;
    await rm(target);
  }
  const answerMs = limits?.answerMs ?? ANSWER_MS;
  const tarball = await findTarball(registry, wanted, { answerMs, signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error instanceof SourceFailed
      ? error
      : new SourceFailed(explainHttpError(error, { answerMs }), { cause: error });
  });
  const { partial } = await fetchUrl(tarball.url, {
    kind: 'npm',
    target,
    expected: { bytes: wanted.bytes },
    authorization: tarball.authorization,
    limits: { ...limits, answerMs },
    signal,
    report: createMeter({ file: name, source: 'npm' }, onProgress, now),
  });
  onProgress({ file: name, phase: 'checking', doneBytes: wanted.bytes, totalBytes: wanted.bytes });
  if ((await integrityOf(partial.path, signal)) !== wanted.integrity) {
    await removePartial(target, 'npm');
    throw new SourceFailed(`what it gave as ${GPU_SCOPE}/${wanted.name} is not the pinned package, and was removed`);
  }
  await rename(partial.path, target);
  await removePartial(target, 'npm');
  return target;
}

/** All packages into one directory, which is then renamed: nothing can find half of them. */
async function unpackAll(
  packages: readonly GpuPackage[],
  files: string[],
  { gpuDir, kind, signal }: InstallOptions,
): Promise<void> {
  const staging = join(gpuDir, `${STAGING}${hexId()}`);
  try {
    for (const [index, { name, unpackedBytes }] of packages.entries()) {
      const dir = join(staging, name);
      await unpackPackage(files[index] ?? '', dir, { bytesMax: unpackedBytes, signal });
      await checkName(dir, name);
    }
    const dir = kindDir(gpuDir, kind);
    await mkdir(join(dir, '..'), { recursive: true });
    await rm(dir, { recursive: true, force: true });
    await rename(staging, dir);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function checkName(dir: string, name: string): Promise<void> {
  const { name: found, version } = JSON.parse(await readFile(join(dir, 'package.json'), 'utf8').catch(() => '{}'));
  if (found !== `${GPU_SCOPE}/${name}` || version !== RUNTIME_VERSION)
    throw new SourceFailed(`the package is not ${GPU_SCOPE}/${name} ${RUNTIME_VERSION}`);
}

/** Of a process that was killed; the lock is ours, so nobody works in them. */
async function removeLeftovers(gpuDir: string): Promise<void> {
  for (const name of await readdir(gpuDir))
    if (name.startsWith(STAGING)) await rm(join(gpuDir, name), { recursive: true, force: true });
}

/** No program finds them any more. */
async function removeOtherVersions(gpuDir: string): Promise<void> {
  for (const name of await readdir(gpuDir))
    if (/^\d+\.\d+\.\d+/.test(name) && name !== RUNTIME_VERSION)
      await rm(join(gpuDir, name), { recursive: true, force: true });
}

function explain(error: unknown, gpuDir: string, kind: GpuKind): unknown {
  if (error instanceof SourceFailed)
    return new PullFailed(
      `The ${kind} packages could not be installed: npm's registry: ${reasonOf(error)}. Nothing was changed; run the same command to try again.`,
      { cause: error },
    );
  const code = codeOf(error);
  if (code === undefined || !DISK_ERRORS.includes(code)) return error;
  return new PullFailed(
    `${gpuDir} cannot be written (${code}). Make room, or let this user write to ${basename(gpuDir)} in the data directory.`,
    { cause: error },
  );
}
