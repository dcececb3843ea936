import type { ColumnType, Selectable } from 'kysely';
import type { Db, Tables, Tx } from '../../kit/db/index.ts';
import type { ConversationUsageInfo } from '../schema/responses.ts';
import type { RunError } from '../schema/run.ts';
import type { Owner } from './conversations.ts';
import type { RunRow } from './runs.ts';

declare module '../../kit/db/tables.ts' {
  interface Tables {
    /** Responses whose runs are not kept any more. Before that a response is a column of its run. */
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

const RUN_PREFIX = 'run_';
const RESPONSE_PREFIX = 'resp_';

/** A response has the id of its run with another prefix. */
export const responseIdOf = (runId: string): string => RESPONSE_PREFIX + runId.slice(RUN_PREFIX.length);

export async function findResponse(db: Db, owner: Owner, id: string): Promise<ResponseRow | undefined> {
  if (!id.startsWith(RESPONSE_PREFIX)) return undefined;
  // The run first: one that is moved meanwhile is found by the second query.
  const run = await db
    .selectFrom('conversation_runs')
    .selectAll()
    .where('id', '=', RUN_PREFIX + id.slice(RESPONSE_PREFIX.length))
    .where('workspace_id', '=', owner.workspace_id)
    .where('user_id', '=', owner.user_id)
    .executeTakeFirst();
  return (
    (run && toResponse(run)) ??
    db
      .selectFrom('responses')
      .selectAll()
      .where('id', '=', id)
      .where('workspace_id', '=', owner.workspace_id)
      .where('user_id', '=', owner.user_id)
      .executeTakeFirst()
  );
}

/** Undefined when the run is no response, or was one that is deleted. */
function toResponse(run: RunRow): ResponseRow | undefined {
  const { id, state, response, outcome, progress, output_from, created_ms } = run;
  if (!response) return undefined;
  const isEnded = state !== 'running';
  const { workspace_id, user_id, conversation_id } = run;
  return {
    ...{
      id: responseIdOf(id),
      workspace_id,
      user_id,
      conversation_id,
      run_id: id,
      ...response,
      output_from,
      created_ms,
    },
    status: statusOf(run),
    error: outcome?.error ?? null,
    usage: isEnded ? progress.usage : null,
    output_to: isEnded ? output_from + progress.outputs : null,
    completed_ms: outcome?.endedMs ?? null,
  };
}

function statusOf({ state, outcome }: RunRow): ResponseRow['status'] {
  if (state === 'running') return 'in_progress';
  if (state === 'done') return 'completed';
  return outcome?.isCancelled ? 'cancelled' : 'failed';
}

/** Of runs that were deleted in this transaction: only the runs were too old. */
export async function keepResponses(tx: Tx, runs: readonly RunRow[]): Promise<void> {
  const kept = runs.flatMap((run) => toResponse(run) ?? []);
  if (kept.length === 0) return;
  await tx
    .insertInto('responses')
    .values(
      kept.map(({ request, error, usage, ...row }) => ({
        ...row,
        request: JSON.stringify(request),
        error: error && JSON.stringify(error),
        usage: usage && JSON.stringify(usage),
      })),
    )
    .execute();
}

/** The run stays, and is no response any more. */
export async function dropResponse(tx: Tx, runId: string): Promise<void> {
  await tx.updateTable('conversation_runs').set({ response: null }).where('id', '=', runId).execute();
}

export async function deleteResponse(tx: Tx, { id, run_id }: ResponseRow): Promise<void> {
  await dropResponse(tx, run_id);
  await tx.deleteFrom('responses').where('id', '=', id).execute();
}

export async function deleteResponsesOf(tx: Tx, conversationId: string): Promise<void> {
  await tx
    .updateTable('conversation_runs')
    .set({ response: null })
    .where('conversation_id', '=', conversationId)
    .where('response', 'is not', null)
    .execute();
  await tx.deleteFrom('responses').where('conversation_id', '=', conversationId).execute();
}

export async function hasResponses(db: Db, conversationId: string): Promise<boolean> {
  const inRuns = db
    .selectFrom('conversation_runs')
    .select('id')
    .where('conversation_id', '=', conversationId)
    .where('response', 'is not', null);
  const older = db.selectFrom('responses').select('id').where('conversation_id', '=', conversationId);
  return ((await inRuns.executeTakeFirst()) ?? (await older.executeTakeFirst())) !== undefined;
}
