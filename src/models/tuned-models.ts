import type { ClassifierDefinition, Engine } from '../engines/index.ts';
import type { Database, Tx } from '../kit/db/index.ts';
import type { Model } from './model.ts';
import { ModelCapabilities } from './schema.ts';
import {
  deleteClassifier,
  findDefinition,
  type ListedClassifier,
  listClassifiers,
  updateClassifier,
} from './store/classifiers.ts';
import { deleteFineTuned, type FineTunedRow, listFineTuned, updateFineTuned } from './store/fine-tuned.ts';

export type TunedChanges = { name?: string | null; description?: string | null; archived?: boolean };

/** The models that were made here, over configured ones: fine-tuned models and classifiers. In memory. */
export type TunedModels = {
  get(id: string): Model | undefined;
  all(): Model[];
  load(): Promise<void>;
  /** False where the workspace has no such model. */
  update(tx: Tx, workspaceId: string, model: Model, changes: TunedChanges): Promise<boolean>;
  delete(tx: Tx, workspaceId: string, model: Model): Promise<boolean>;
};

export type TunedPorts = {
  database: Database;
  /** Opens the engine of a fine-tuned model; undefined when its base model cannot have one. */
  openFineTuned(row: FineTunedRow, root: Model): Engine | undefined;
  openClassifier(definition: ClassifierDefinition, root: Model): Engine;
};

export function createTunedModels(ports: TunedPorts, names: () => ReadonlyMap<string, Model>): TunedModels {
  const { db } = ports.database;
  const known = new Map<string, Model>();
  let loading: Promise<void> = Promise.resolve();

  async function read(): Promise<void> {
    const fineTuned = await listFineTuned(db);
    const classifiers = await listClassifiers(db);
    const kept = new Set<string>();
    for (const row of fineTuned) keep(row.id, openFineTuned(row));
    for (const row of classifiers) keep(row.id, await openClassifier(row));
    for (const [id, model] of known) {
      if (kept.has(id)) continue;
      known.delete(id);
      await model.engine.close();
    }

    function keep(id: string, model: Model | undefined) {
      if (!model) return;
      known.set(id, model);
      kept.add(id);
    }
  }

  function openFineTuned(row: FineTunedRow): Model | undefined {
    const root = names().get(row.root);
    const engine = known.get(row.id)?.engine ?? (root && ports.openFineTuned(row, root));
    if (!root || !engine) return undefined;
    const { id, name, description } = row;
    return { ...root, id, aliases: [], name, description, engine, tuned: row };
  }

  async function openClassifier(row: ListedClassifier): Promise<Model | undefined> {
    const root = names().get(row.root);
    // A configured model of the same name is the stronger one.
    if (!root || names().has(row.id)) return undefined;
    const open = known.get(row.id)?.classifier;
    const before = open?.job === row.job ? known.get(row.id) : undefined;
    const definition = before ? undefined : await findDefinition(db, row.id, row.job);
    const engine = before?.engine ?? (definition && ports.openClassifier(definition, root));
    const targets = before?.classifier?.targets ?? definition?.targets.map(({ weights: _, ...target }) => target);
    if (!engine || !targets) return undefined;
    const { id, name, description, job, created, workspace_id } = row;
    return {
      ...{ id, aliases: [], name, description, engine, max_context_length: root.max_context_length },
      ...{ deprecation: null, replacement: null, temperature: null },
      capabilities: ModelCapabilities.parse({ classification: true }),
      classifier: { job, created, targets, root: row.root },
      ...(workspace_id === null ? {} : { tuned: { ...row, workspace_id } }),
    };
  }

  return {
    get: (id) => known.get(id),
    all: () => [...known.values()],
    // One load at a time: an older list must not replace a newer one.
    load() {
      loading = loading.then(read, read);
      return loading;
    },
    update: async (tx, workspaceId, { id, classifier }, changes) =>
      classifier
        ? updateClassifier(tx, workspaceId, id, changes)
        : Boolean(await updateFineTuned(tx, workspaceId, id, changes)),
    delete: (tx, workspaceId, { id, classifier }) =>
      classifier ? deleteClassifier(tx, workspaceId, id) : deleteFineTuned(tx, workspaceId, id),
  };
}
