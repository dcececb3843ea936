import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import {
  chooseEmbeddingModel,
  type Example,
  ExamplesInvalid,
  readExamples,
  type Training,
  trainClassifier,
} from '../classifiers/index.ts';
import type { OnPullProgress } from '../compose/locate-weights.ts';
import { openModels } from '../compose/open-models.ts';
import type { Platform } from '../compose/open-platform.ts';
import type { Config } from '../config/config.ts';
import { processEnvironment } from '../config/environment.ts';
import { MULTILINGUAL_EMBEDDINGS_ID } from '../engines/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import { createLog } from '../kit/base/log.ts';
import { createSignal } from '../kit/db/index.ts';
import { canEmbed, listClassifiers, type Model, registerClassifier, removeClassifier } from '../models/index.ts';
import { CommandFailure } from './command-failure.ts';

const BATCH_TEXTS = 64;
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i;

export type TrainingRequest = {
  file: string;
  name: string;
  /** Undefined: every workspace may use it. */
  workspaceId: string | undefined;
  /** The embedding model; by default the one that search uses. */
  model: string | undefined;
  heldOutShare: number;
  seed: number;
  signal: AbortSignal;
  onPullProgress: OnPullProgress;
  onProgress: (text: string) => void;
};

/** Trains a classifier on the examples of a file and registers it; running servers serve it within a second. */
export async function trainFromFile({ database }: Platform, config: Config, request: TrainingRequest) {
  const { name, workspaceId = null } = request;
  if (!NAME.test(name))
    throw new CommandFailure(`The name '${name}' may have letters, digits, dots, dashes and underscores only.`);
  if (workspaceId === null && config.file.models.some(({ id, aliases }) => [id, ...aliases].includes(name)))
    throw new CommandFailure(`A configured model is called '${name}' already. Choose another name.`);
  const { examples, targets } = await readFile(request.file);
  const { root, vectors } = await embedExamples(config, examples, request);
  const { heldOutShare, seed, onProgress } = request;
  const onTarget = (target: string) => onProgress(`fitting ${target}`);
  const { definition, figures } = await trainClassifier(examples, vectors, { targets, heldOutShare, seed, onTarget });
  const signal = createSignal(database, 'models', systemClock);
  const { id } = await registerClassifier(
    { database, signal, now: systemClock },
    { workspaceId, root, name, definition, figures },
  );
  return { id, root, figures };
}

async function readFile(file: string): Promise<ReturnType<typeof readExamples>> {
  try {
    return readExamples(await text(createReadStream(file)));
  } catch (error) {
    if (error instanceof ExamplesInvalid) throw new CommandFailure(`${file}: ${error.message}`);
    const { code } = error as NodeJS.ErrnoException;
    if (code !== undefined) throw new CommandFailure(`${file} cannot be read: ${code}.`);
    throw error;
  }
}

async function embedExamples(
  config: Config,
  examples: readonly Example[],
  { model: wanted, signal, onPullProgress, onProgress }: TrainingRequest,
): Promise<{ root: string; vectors: Float32Array[] }> {
  const opened = openModels(config, createLog('silent'), processEnvironment(), onPullProgress);
  try {
    const { id, engine } = chooseModel(opened.models, wanted ?? config.file.search.embedding_model);
    const vectors: Float32Array[] = [];
    while (vectors.length < examples.length) {
      onProgress(`embedding: ${vectors.length} of ${examples.length} examples`);
      const batch = examples.slice(vectors.length, vectors.length + BATCH_TEXTS).map((example) => example.text);
      const embedded = await engine.embed?.(batch, signal);
      if (embedded?.vectors.length !== batch.length) throw new CommandFailure(`The model '${id}' does not embed.`);
      vectors.push(...embedded.vectors);
    }
    return { root: id, vectors };
  } finally {
    for (const { engine } of opened.models) await engine.close();
    await opened.close();
  }
}

function chooseModel(models: readonly Model[], wanted: string | undefined): Model {
  const found = chooseEmbeddingModel(models, wanted, MULTILINGUAL_EMBEDDINGS_ID);
  if (found) return found;
  const names = models.filter(canEmbed).map(({ id }) => id);
  throw new CommandFailure(
    names.length === 0
      ? 'No configured model embeds. See docs/classifiers.md.'
      : `There is no embedding model '${wanted}'. Configured: ${names.join(', ')}.`,
  );
}

/** Every classifier that was trained here; `isServed` is false where its embedding model is configured no longer. */
export async function listTrained({ database }: Platform, { file }: Config) {
  const names = new Set(file.models.flatMap(({ id, aliases }) => [id, ...aliases]));
  return (await listClassifiers(database.db)).map(({ figures, ...row }) => ({
    ...row,
    figures: figures as Training['figures'],
    isServed: names.has(row.root),
  }));
}

export async function removeTrained(platform: Platform, config: Config, id: string): Promise<void> {
  const row = (await listTrained(platform, config)).find((known) => known.id === id);
  const { database } = platform;
  const signal = createSignal(database, 'models', systemClock);
  if (!row || !(await removeClassifier({ database, signal }, row)))
    throw new CommandFailure(`There is no classifier '${id}'. tramontane classifiers list shows what is there.`);
}
