import { isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import type { TaskRunner } from '../../kit/tasks/index.ts';
import { holderOf, type Scope } from '../../tenants/index.ts';
import { classifierErrors } from '../errors.ts';
import type { ClassifierTraining, ClassifierTrainings, CreateClassifierTraining } from '../schema/trainings.ts';
import {
  countOpenTrainings,
  deleteOldTrainings,
  deleteTraining,
  findTraining,
  insertTraining,
  listTrainings,
  type TrainingRow,
} from '../store.ts';
import { chooseEmbeddingModel } from '../train/choose-embedding-model.ts';
import type { TrainingPorts } from './ports.ts';
import { createTrainingRunner, TRAINING_ATTEMPTS_MAX, TRAINING_QUEUE, type TrainingTask } from './run-trainings.ts';

const OPEN_MAX = 10;
const KEPT_MAX = 500;
const FILE_BYTES_MAX = 64 * 1024 * 1024;

export type TrainingService = Pick<TaskRunner, 'start' | 'stop'> & {
  create(scope: Scope, request: CreateClassifierTraining): Promise<ClassifierTraining>;
  list(scope: Scope, limit: number): Promise<ClassifierTrainings>;
  get(scope: Scope, id: string): Promise<ClassifierTraining>;
  remove(scope: Scope, id: string): Promise<undefined>;
};

export function createTrainingService(ports: TrainingPorts): TrainingService {
  const { database, tasks, files, models, embeddingModel, now } = ports;
  const { db } = database;
  const runner = createTrainingRunner(ports);

  async function find({ workspace_id }: Scope, id: string): Promise<TrainingRow> {
    const row = await findTraining(db, workspace_id, id);
    if (!row) throw classifierErrors.classifier_training_not_found(id);
    return row;
  }

  return {
    start: runner.start,
    stop: runner.stop,
    async create(scope, { name, file_id, model: wanted, held_out, seed }) {
      const file = await files.get(scope, file_id);
      if (file.bytes > FILE_BYTES_MAX) throw classifierErrors.training_file_too_large(FILE_BYTES_MAX);
      const model = wanted
        ? chooseEmbeddingModel(models.served(scope.workspace_id), wanted, embeddingModel)
        : undefined;
      if (wanted && !model) throw classifierErrors.embedding_model_not_found(wanted);
      const { organization_id, workspace_id, user_id: creator_id } = scope;
      const id = uuidv7(now());
      const payload: TrainingTask = { training_id: id, holder: holderOf(scope) };
      return database.transaction(async (tx) => {
        if ((await countOpenTrainings(tx, workspace_id)) >= OPEN_MAX)
          throw classifierErrors.too_many_trainings(OPEN_MAX);
        const task_id = await tasks.enqueue(tx, {
          queue: TRAINING_QUEUE,
          payload,
          tenant: { organization: organization_id, key: workspace_id },
          attemptsMax: TRAINING_ATTEMPTS_MAX,
        });
        const row: TrainingRow = {
          ...{ id, organization_id, workspace_id, creator_id, name, file_id, model: model?.id ?? null, held_out, seed },
          ...{ status: 'QUEUED', message: null, task_id, classifier_id: null, figures: null },
          ...{ created_at: isoMicros(now), ended_at: null },
        };
        await insertTraining(tx, row);
        await deleteOldTrainings(tx, workspace_id, KEPT_MAX);
        return show(row, scope);
      });
    },
    list: async (scope, limit) => ({
      data: (await listTrainings(db, scope.workspace_id, limit)).map((row) => show(row, scope)),
    }),
    get: async (scope, id) => show(await find(scope, id), scope),
    async remove(scope, id) {
      await database.transaction(async (tx) => {
        const row = await deleteTraining(tx, scope.workspace_id, id);
        if (!row) throw classifierErrors.classifier_training_not_found(id);
        if (row.ended_at === null && row.task_id !== null) await tasks.cancel(tx, row.task_id);
      });
      return undefined;
    },
  };
}

/** A file may be its owner's alone, so its id is, too. */
function show(
  { organization_id: _, workspace_id: __, task_id: ___, file_id, ...row }: TrainingRow,
  { user_id }: Scope,
): ClassifierTraining {
  return { ...row, file_id: row.creator_id === user_id ? file_id : null };
}
