import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Platform } from '../compose/open-platform.ts';
import type { Config } from '../config/config.ts';
import { processEnvironment } from '../config/environment.ts';
import {
  findWeights,
  PullFailed,
  type PullProgress,
  pullWeights,
  removeWeights,
  tryWeights,
} from '../engines/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import { createLog } from '../kit/base/log.ts';
import { createSignal } from '../kit/db/index.ts';
import { registerFineTuned } from '../models/index.ts';
import { CommandFailure } from './command-failure.ts';

export { describeProgress, listCatalogue, listInstalled } from '../models/index.ts';

/** Downloads a model into the models dir. */
export async function pullModel(
  { modelsDir, modelsSeedDir: seedDir, huggingFace }: Config,
  model: string,
  options: { sha256: string | undefined; signal: AbortSignal; onProgress: (progress: PullProgress) => void },
) {
  return explainPullFailure(
    pullWeights({ model, modelsDir, seedDir, huggingFace, environment: processEnvironment(), ...options }),
  );
}

export async function removeModel({ modelsDir }: Config, id: string): Promise<number> {
  const freed = await explainPullFailure(removeWeights(modelsDir, id));
  if (freed === undefined)
    throw new CommandFailure(`There is no model '${id}' in ${modelsDir}. tramontane models list shows what is there.`);
  return freed;
}

/**
 * Registers weights or an adapter as a fine-tuned model of a workspace; running servers serve it within a second. The
 * file is loaded once before, so that a broken one is reported here and not to the first client.
 */
export async function addFineTuned(
  { database }: Platform,
  config: Config,
  input: {
    base: string;
    file: string | undefined;
    adapter: string | undefined;
    workspaceId: string;
    name: string | undefined;
  },
) {
  const base = findBaseModel(config, input.base);
  const [file = null, adapter = null] = [input.file, input.adapter].map((path) => path && resolve(path));
  if (file === null && adapter === null)
    throw new CommandFailure('Say which weights: --adapter <file> or --file <file>.');
  for (const path of [file, adapter]) {
    if (path && !existsSync(path)) throw new CommandFailure(`There is no file ${path}.`);
  }
  const weights = file ?? (await findInstalled(config, base.weights));
  const failure =
    weights && (await tryWeights({ file: weights, adapter: adapter ?? undefined, log: createLog('silent') }));
  if (failure) throw new CommandFailure(`${adapter ?? file} does not work over '${base.id}': ${failure}`);
  const signal = createSignal(database, 'models', systemClock);
  const row = await registerFineTuned(
    { database, signal, now: systemClock },
    { workspaceId: input.workspaceId, root: base.id, file, adapter, name: input.name ?? null },
  );
  return { row, wasTried: weights !== undefined };
}

function findBaseModel({ file: { models } }: Config, name: string) {
  const base = models.find(({ id, aliases }) => id === name || aliases.includes(name));
  if (!base) {
    const configured = models.filter(({ isLazy }) => !isLazy).map(({ id }) => id);
    throw new CommandFailure(`There is no base model '${name}'. Configured: ${configured.join(', ')}.`);
  }
  if (base.engine !== 'llama')
    throw new CommandFailure(
      `The model '${base.id}' runs on the engine ${base.engine}; only llama models can carry an adapter.`,
    );
  return base;
}

async function findInstalled({ modelsDir }: Config, weights: string): Promise<string | undefined> {
  return existsSync(weights) ? resolve(weights) : (await findWeights(modelsDir, weights))?.files[0];
}

async function explainPullFailure<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PullFailed) throw new CommandFailure(error.message);
    throw error;
  }
}
