import type { ColumnType, Selectable } from 'kysely';
import type { Db, Tables, Tx } from '../../kit/db/index.ts';
import type { ConversationUsageInfo } from '../schema/responses.ts';
import type { Outcome, RunError } from '../schema/run.ts';
import type { Owner } from './conversations.ts';
import type { RunRow } from './runs.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    responses: {
      id: string;
      workspace_id: string;
      user_id: string;
      conversation_id: string;
      run_id: string;
      previous_id: string | null;
      status: 'in_progress' | 'completed' | 'failed' | 'cancelled';
      background: boolean;
      /** What it was asked for, in the words of whoever shows it. */
      request: ColumnType<Record<string, unknown>, string, string>;
      error: ColumnType<RunError | null, string | null, string | null>;
      usage: ColumnType<ConversationUsageInfo | null, string | null, string | null>;
      /** Positions of its entries in the conversation. */
      input_from: number;
      output_from: number;
      output_to: number | null;
      created_ms: number;
      completed_ms: number | null;
    };
  }
}

export type ResponseRow = Selectable<Tables['responses']>;

export async function insertResponse(
  tx: Tx,
  run: RunRow,
  response: Pick<ResponseRow, 'id' | 'previous_id' | 'background' | 'request'>,
  inputFrom: number,
): Promise<void> {
  const { workspace_id, user_id, conversation_id, id: run_id, output_from, created_ms } = run;
  await tx
    .insertInto('responses')
    .values({
      ...response,
      request: JSON.stringify(response.request),
      workspace_id,
      user_id,
      conversation_id,
      run_id,
      status: 'in_progress',
      error: null,
      usage: null,
      input_from: inputFrom,
      output_from,
      output_to: null,
      created_ms,
      completed_ms: null,
    })
    .execute();
}

export function findResponse(db: Db, owner: Owner, id: string): Promise<ResponseRow | undefined> {
  return db
    .selectFrom('responses')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', owner.workspace_id)
    .where('user_id', '=', owner.user_id)
    .executeTakeFirst();
}

/** Of a run that ended. What failed before its first output leaves nothing, unless nobody waits for it. */
export async function endResponse(tx: Tx, run: RunRow, { error }: Outcome, nowMs: number): Promise<void> {
  const { responseId: id = '' } = run.task;
  const { outputs, usage } = run.progress;
  if (error && outputs === 0)
    await tx.deleteFrom('responses').where('id', '=', id).where('background', '=', false).execute();
  await tx
    .updateTable('responses')
    .set({
      status: error ? 'failed' : 'completed',
      error: error && JSON.stringify(error),
      usage: JSON.stringify(usage),
      output_to: run.output_from + outputs,
      completed_ms: nowMs,
    })
    .where('id', '=', id)
    .execute();
}

export async function cancelResponse(tx: Tx, run: RunRow, id: string, nowMs: number): Promise<void> {
  await tx
    .updateTable('responses')
    .set({
      status: 'cancelled',
      usage: JSON.stringify(run.progress.usage),
      output_to: run.output_from + run.progress.outputs,
      completed_ms: nowMs,
    })
    .where('id', '=', id)
    .execute();
}

export async function deleteResponse(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('responses').where('id', '=', id).execute();
}

export async function deleteResponsesOf(tx: Tx, conversationId: string): Promise<void> {
  await tx.deleteFrom('responses').where('conversation_id', '=', conversationId).execute();
}

export async function hasResponses(db: Db, conversationId: string): Promise<boolean> {
  const query = db.selectFrom('responses').select('id').where('conversation_id', '=', conversationId);
  return (await query.executeTakeFirst()) !== undefined;
}
