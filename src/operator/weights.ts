import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Platform } from '../compose/open-platform.ts';
import type { Config } from '../config/config.ts';
import { processEnvironment } from '../config/environment.ts';
import type { ModelConfig } from '../config/schema.ts';
import {
  catalogue,
  DEFAULT_SPEECH_ID,
  findWeights,
  languageId,
  listWeights,
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

export { describeProgress } from '../compose/open-models.ts';

/** What a configured model needs in the models dir: catalogue ids, a path or an address. */
export function weightsOf(model: ModelConfig): string[] {
  if ('weights' in model) return [model.weights];
  if (model.engine === 'tesseract') return model.languages.filter((language) => language !== 'eng').map(languageId);
  return model.engine === 'kokoro' ? [DEFAULT_SPEECH_ID] : [];
}

/** Brings a model into the models dir; a failure says what to do. */
export async function pullModel(
  config: Config,
  model: string,
  options: { sha256: string | undefined; signal: AbortSignal; onProgress: (progress: PullProgress) => void },
) {
  try {
    const { modelsDir, huggingFace } = config;
    return await pullWeights({ model, modelsDir, huggingFace, environment: processEnvironment(), ...options });
  } catch (error) {
    if (error instanceof PullFailed) throw new CommandFailure(error.message);
    throw error;
  }
}

export function listCatalogue() {
  return catalogue.map(({ id, purpose, summary, licence, memoryBytes, speed, choosesTools, files }) => ({
    id,
    purpose,
    summary,
    licence,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    memory_bytes: memoryBytes,
    speed,
    chooses_tools: choosesTools,
    sources: [...new Set(files.flatMap(({ sources }) => sources.map(({ kind }) => kind)))],
    sha256: files.map(({ name, sha256 }) => ({ file: name, sha256 })),
  }));
}

export async function listInstalled({ modelsDir }: Config) {
  const installed = await listWeights(modelsDir);
  return installed.map(({ id, purpose, file, bytes }) => ({ id, purpose, file, bytes }));
}

export async function removeModel({ modelsDir }: Config, id: string): Promise<number> {
  try {
    const freed = await removeWeights(modelsDir, id);
    if (freed === undefined)
      throw new CommandFailure(
        `There is no model '${id}' in ${modelsDir}. tramontane models list shows what is there.`,
      );
    return freed;
  } catch (error) {
    if (error instanceof PullFailed) throw new CommandFailure(error.message);
    throw error;
  }
}

/**
 * Makes weights or an adapter known to a workspace as a fine-tuned model; a running server serves it within a second. It
 * is loaded once before, so that a broken file is heard of here and not from the first client.
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
  const base = config.file.models.find(({ id, aliases }) => id === input.base || aliases.includes(input.base));
  if (!base)
    throw new CommandFailure(
      `There is no base model '${input.base}'. Configured: ${config.file.models.map(({ id }) => id).join(', ')}.`,
    );
  if (base.engine !== 'llama')
    throw new CommandFailure(
      `The model '${base.id}' runs on the engine ${base.engine}; only llama models can carry an adapter.`,
    );
  const [file, adapter] = [input.file, input.adapter].map((path) => (path === undefined ? null : resolve(path)));
  if (file === null && adapter === null)
    throw new CommandFailure('Say which weights: --adapter <file> or --file <file>.');
  for (const path of [file, adapter]) {
    if (path && !existsSync(path)) throw new CommandFailure(`There is no file ${path}.`);
  }
  const weights = file ?? (await findFile(config, base.weights));
  const failure =
    weights && (await tryWeights({ file: weights, adapter: adapter ?? undefined, log: createLog('silent') }));
  if (failure) throw new CommandFailure(`${adapter ?? file} does not work over '${base.id}': ${failure}`);
  const signal = createSignal(database, 'models', systemClock);
  const row = await registerFineTuned(
    { database, signal, now: systemClock },
    {
      workspaceId: input.workspaceId,
      root: base.id,
      file: file ?? null,
      adapter: adapter ?? null,
      name: input.name ?? null,
    },
  );
  return { row, wasTried: weights !== undefined };
}

/** The file of a model's weights, if it is here. */
async function findFile({ modelsDir }: Config, weights: string): Promise<string | undefined> {
  return existsSync(weights) ? resolve(weights) : (await findWeights(modelsDir, weights))?.files[0];
}
