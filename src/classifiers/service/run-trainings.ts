import { isoMicros } from '../../kit/base/clock.ts';
import { storageProblemOf } from '../../kit/base/storage-failure.ts';
import type { Tx } from '../../kit/db/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import {
  createTaskRunner,
  DIED_WITH_IT,
  type QuarantinedTask,
  type RunningTask,
  type TaskRunner,
} from '../../kit/tasks/index.ts';
import { type Call, startRun } from '../../metering/index.ts';
import { type Model, registerClassifier } from '../../models/index.ts';
import { actorOf, type Holder, type Scope, tenantOf } from '../../tenants/index.ts';
import { classifierErrors } from '../errors.ts';
import { findTraining, type TrainingRow, updateTraining } from '../store.ts';
import { chooseEmbeddingModel } from '../train/choose-embedding-model.ts';
import { ExamplesInvalid } from '../train/read-examples.ts';
import { trainInThread } from '../train/train-in-thread.ts';
import type { TrainingPorts } from './ports.ts';

export const TRAINING_QUEUE = 'classifier-trainings';
export const TRAINING_ATTEMPTS_MAX = 3;
export type TrainingTask = { training_id: string; holder: Holder };

const TURNS = { perTenantMax: 1, perKeyMax: 1 };
/** A thread each. */
const CONCURRENCY = 1;
const LEASE_MS = 30_000;
/** Fewer than a command may have: others wait for the place and for the embedding model. */
const EXAMPLES_MAX = 20_000;
const EXAMPLE_CHARACTERS_MAX = 20_000;
const BATCH_TEXTS = 64;
const CHARACTERS_PER_TOKEN = 4;
/** For the whole of one training. */
const TIME_MAX_MS = 15 * 60 * 1000;
const DETAIL_CHARACTERS_MAX = 1000;

/** The training was deleted, or another process has ended it. */
class Gone extends Error {}

/** Trains as a task: with what the caller may do at that time, in a thread, within a time. */
export function createTrainingRunner(ports: TrainingPorts): TaskRunner {
  const { database, authority, audit, files, models, signal: changes, meter, embeddingModel, now, log } = ports;
  const { db } = database;

  async function note(row: TrainingRow, message: string | null, model = row.model): Promise<void> {
    if (!(await updateTraining(db, row, { status: 'RUNNING', message, model }))) throw new Gone();
  }

  function modelOf({ workspace_id, model: wanted }: TrainingRow): Model {
    const model = chooseEmbeddingModel(models.served(workspace_id), wanted ?? undefined, embeddingModel);
    if (!model) throw classifierErrors.embedding_model_not_found(wanted ?? embeddingModel);
    return model;
  }

  async function embed(call: Call, model: Model, texts: string[]): Promise<Float32Array[]> {
    const estimatedTokens = Math.ceil(texts.reduce((sum, { length }) => sum + length, 0) / CHARACTERS_PER_TOKEN);
    const run = await startRun({ now, meter }, call, { kind: 'embeddings', model: model.id, estimatedTokens });
    try {
      const embedded = await model.engine.embed?.(texts, call.signal, undefined, run, tenantOf(call.scope));
      if (embedded?.vectors.length !== texts.length) throw classifierErrors.embedding_model_not_found(model.id);
      run.settle(200);
      return embedded.vectors;
    } catch (error) {
      throw run.fail(error);
    }
  }

  async function train(row: TrainingRow, scope: Scope, signal: AbortSignal) {
    const model = modelOf(row);
    await note(row, null, model.id);
    const { content } = await files.open(scope, row.file_id);
    const chunks: Uint8Array[] = [];
    for await (const chunk of content.stream()) chunks.push(chunk);
    const call: Call = { scope, signal, requestId: `training-${row.id}`, setHeader: () => undefined };
    const { definition, figures } = await trainInThread({
      content: Buffer.concat(chunks),
      examplesMax: EXAMPLES_MAX,
      heldOutShare: row.held_out,
      seed: row.seed,
      signal,
      // The fit itself says nothing of how far it is.
      onFit: () => void note(row, 'fitting', model.id).catch(() => undefined),
      async embed(texts) {
        const long = texts.findIndex(({ length }) => length > EXAMPLE_CHARACTERS_MAX);
        if (long >= 0)
          throw new ExamplesInvalid(`Example ${long + 1} has more than ${EXAMPLE_CHARACTERS_MAX} characters.`);
        const vectors: Float32Array[] = [];
        while (vectors.length < texts.length) {
          await note(row, `embedding: ${vectors.length} of ${texts.length} examples`, model.id);
          vectors.push(...(await embed(call, model, texts.slice(vectors.length, vectors.length + BATCH_TEXTS))));
        }
        return vectors;
      },
    });
    return { root: model.id, definition, figures };
  }

  async function succeed(
    task: RunningTask,
    row: TrainingRow,
    scope: Scope,
    trained: Awaited<ReturnType<typeof train>>,
  ) {
    const { organization_id, workspace_id, name } = row;
    const input = { workspaceId: workspace_id, name, ...trained };
    await registerClassifier({ database, signal: changes, now }, input, async (tx, { id }) => {
      await task.complete(tx);
      const change = { status: 'SUCCESS', message: null, task_id: null, classifier_id: id } as const;
      const ended = { ...change, figures: trained.figures, ended_at: isoMicros(now) };
      if (!(await updateTraining(tx, row, ended))) throw new Gone();
      await audit.record(tx, {
        ...{ organization_id, workspace_id, actor: actorOf(scope), event_type: 'model.create' },
        ...{ event_metadata: { training_id: row.id }, target_type: 'MODEL', target_metadata: { id } },
      });
    });
  }

  async function fail(task: RunningTask, row: TrainingRow, message: string): Promise<void> {
    await database.transaction(async (tx) => {
      await task.complete(tx);
      const text = message.slice(0, DETAIL_CHARACTERS_MAX);
      await updateTraining(tx, row, { status: 'FAILED', message: text, task_id: null, ended_at: isoMicros(now) });
    });
  }

  async function run(task: RunningTask, signal: AbortSignal): Promise<void> {
    const { training_id, holder } = task.payload as TrainingTask;
    const row = await findTraining(db, holder.workspace_id, training_id);
    if (!row || row.ended_at !== null) return;
    const time = AbortSignal.timeout(TIME_MAX_MS);
    try {
      const scope = { ...(await authority.scopeOf(holder, 'models:write')), isBackground: true };
      const trained = await train(row, scope, AbortSignal.any([signal, time]));
      await succeed(task, row, scope, trained);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Gone) return;
      const message = time.aborted ? TOO_LONG : explain(error);
      if (message === undefined) {
        if (task.attempt < TRAINING_ATTEMPTS_MAX || storageProblemOf(error)) throw error;
        log.error({ err: error, training: row.id }, 'a training was given up');
      }
      await fail(task, row, message ?? 'The training failed. Report its id to the operator.');
    }
  }

  async function onQuarantine(tx: Tx, { payload }: QuarantinedTask): Promise<void> {
    const { training_id, holder } = payload as TrainingTask;
    const row = await findTraining(tx, holder.workspace_id, training_id);
    const change = { status: 'FAILED', message: DIED_WITH_IT, task_id: null, ended_at: isoMicros(now) } as const;
    if (row?.ended_at === null) await updateTraining(tx, row, change);
  }

  return createTaskRunner({
    database,
    now,
    log,
    queues: {
      [TRAINING_QUEUE]: {
        onQuarantine,
        concurrency: CONCURRENCY,
        turns: TURNS,
        leaseMs: LEASE_MS,
        handler: (task, { signal }) => run(task, signal),
      },
    },
  });
}

const TOO_LONG = `The training took longer than ${TIME_MAX_MS / 60_000} minutes. Send fewer examples, or fewer labels.`;

/** What another attempt would not change. */
function explain(error: unknown): string | undefined {
  if (error instanceof ExamplesInvalid) return error.message;
  return error instanceof ApiError && error.status < 500 && error.status !== 429 ? error.message : undefined;
}
