import type { ClassifierDefinition } from '../engines/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import { uuid } from '../kit/base/ids.ts';
import type { Database, Signal, Tx } from '../kit/db/index.ts';
import { type ClassifierRow, deleteClassifier, insertClassifier } from './store/classifiers.ts';

export type ClassifierRegistration = {
  /** Null: every workspace may use it, under its name as id. */
  workspaceId: string | null;
  root: string;
  name: string;
  definition: ClassifierDefinition;
  figures: Record<string, unknown>;
};

type Ports = { database: Database; signal: Signal; now: Clock };

/**
 * Registers a trained classifier; one for all workspaces replaces an earlier one of its name. Every server is notified.
 * `also` belongs to the same transaction.
 */
export async function registerClassifier(
  ports: Ports,
  input: ClassifierRegistration,
  also?: (tx: Tx, row: ClassifierRow) => Promise<void>,
): Promise<ClassifierRow> {
  const { database, signal, now } = ports;
  const { workspaceId, root, name, definition, figures } = input;
  const day = new Date(now()).toISOString().slice(0, 10).replaceAll('-', '');
  const row: ClassifierRow = {
    id: workspaceId === null ? name : `ft:classifier:${root}:${workspaceId}:${day}:${uuid().slice(0, 8)}`,
    workspace_id: workspaceId,
    root,
    name,
    description: null,
    job: uuid(),
    definition,
    figures,
    archived: false,
    created: Math.floor(now() / 1000),
  };
  await database.transaction(async (tx) => {
    if (workspaceId === null) await deleteClassifier(tx, null, row.id);
    await insertClassifier(tx, row);
    signal.raise(tx);
    await also?.(tx, row);
  });
  return row;
}

/** False where there is none. */
export async function removeClassifier(
  { database, signal }: Omit<Ports, 'now'>,
  { id, workspace_id }: Pick<ClassifierRow, 'id' | 'workspace_id'>,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const isDeleted = await deleteClassifier(tx, workspace_id, id);
    signal.raise(tx);
    return isDeleted;
  });
}
