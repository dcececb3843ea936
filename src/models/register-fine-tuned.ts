import type { Clock } from '../kit/base/clock.ts';
import { uuid } from '../kit/base/ids.ts';
import type { Database, Signal } from '../kit/db/index.ts';
import { type FineTunedRow, insertFineTuned } from './store/fine-tuned.ts';

export type Registration = {
  workspaceId: string;
  root: string;
  file: string | null;
  adapter: string | null;
  name: string | null;
};

/** Registers weights, or an adapter over a base model, under a new id; every server is notified. */
export async function registerFineTuned(
  ports: { database: Database; signal: Signal; now: Clock },
  input: Registration,
): Promise<FineTunedRow> {
  const { database, signal, now } = ports;
  const { workspaceId, root, file, adapter, name } = input;
  const day = new Date(now()).toISOString().slice(0, 10).replaceAll('-', '');
  const row = {
    id: `ft:${root}:${workspaceId}:${day}:${uuid().slice(0, 8)}`,
    workspace_id: workspaceId,
    root,
    file,
    adapter,
    name,
    description: null,
    job: uuid(),
    archived: false,
    created: Math.floor(now() / 1000),
  };
  await database.transaction(async (tx) => {
    await insertFineTuned(tx, row);
    signal.raise(tx);
  });
  return row;
}
