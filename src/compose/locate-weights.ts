import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import { findWeights, type PullProgress, pullWeights } from '../engines/index.ts';
import { describeProgress } from '../models/index.ts';

/** Called while a model's weights are downloaded, and with `here` when they are complete. */
export type OnPullProgress = (model: string, progress: PullProgress | 'here') => void;

export type WeightsLocation = {
  describe: () => string;
  /** Undefined while they are not on this machine. */
  find: () => Promise<string[] | undefined>;
  /** Undefined where nothing may be downloaded. */
  fetch: (() => Promise<string[]>) | undefined;
};

export type PullContext = {
  config: Pick<Config, 'dataDir' | 'modelsDir' | 'modelsSeedDir' | 'huggingFace' | 'autoPull'>;
  environment: Environment;
  signal: AbortSignal;
  onProgress: OnPullProgress;
};

/** The files of the first candidate that is installed or can be downloaded; candidates are ids, paths or addresses. */
export function locateWeights(
  { config, environment, signal, onProgress }: PullContext,
  candidates: string[],
): WeightsLocation {
  const { modelsDir, modelsSeedDir: seedDir, huggingFace, autoPull } = config;
  let latest: PullProgress | undefined;

  async function fetchFirst([model = '', ...others]: string[]): Promise<string[]> {
    try {
      const { files } = await pullWeights({
        model,
        modelsDir,
        seedDir,
        huggingFace,
        environment,
        signal,
        onProgress(progress) {
          latest = progress;
          onProgress(model, progress);
        },
      });
      onProgress(model, 'here');
      return files.map(({ file }) => file);
    } catch (error) {
      if (others.length === 0 || signal.aborted) throw error;
      return fetchFirst(others);
    }
  }

  return {
    describe: () => describeProgress(latest),
    async find(): Promise<string[] | undefined> {
      for (const model of candidates) {
        if (existsSync(model)) return [resolve(model)];
        const installed = await findWeights(modelsDir, model);
        if (installed) return installed.files;
      }
      return undefined;
    },
    fetch: autoPull ? () => fetchFirst(candidates) : undefined,
  };
}
