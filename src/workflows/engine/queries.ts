import type { Json, QueryAnswerRequest, QueryTask } from '../../../packages/workflows/src/protocol.ts';
import type { Clock } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import type { Database } from '../../kit/db/index.ts';
import { ApiError } from '../../kit/http/index.ts';
import { handlerFailed, unansweredQuery } from '../errors.ts';
import { readyTopic } from './dispatch.ts';
import { QUERIES_WAITING_MAX, QUERY_TIMEOUT_MS } from './limits.ts';
import { groupOf, type Session, type Sessions } from './sessions.ts';
import type { Outcome, RunRow } from './tables.ts';
import { createWaiters } from './waiters.ts';

const queryTopic = (queryId: string): string => `workflow-query:${queryId}`;

/**
 * Questions to workflow code. They are answered from a worker's copy of the run and leave no trace in its history. One
 * for a worker that polls at another process goes there by way of a table, which is empty otherwise.
 */
export function createQueries({ database, sessions, now }: { database: Database; sessions: Sessions; now: Clock }) {
  const { db } = database;
  const waiters = createWaiters<Outcome>(database);
  const asked = new Set<string>();

  async function ask(run: RunRow, task: QueryTask): Promise<boolean> {
    const group = groupOf(run.workspace_id, run.deployment_name);
    const session = sessions.forQuery(group, run.workflow_name, run.sticky_worker);
    if (session) {
      session.mail.queries.push(task);
      session.wake?.();
      return false;
    }
    const row = { query_id: task.query_id, workspace_id: run.workspace_id, deployment_name: run.deployment_name };
    await db
      .insertInto('workflow_queries')
      .values({ ...row, task: JSON.stringify(task), taken: false, outcome: null, created_ms: now() })
      .execute();
    sessions.hint(group);
    database.wakeups.wake(readyTopic(group));
    return true;
  }

  async function look(queryId: string): Promise<Outcome | undefined> {
    const row = await db
      .selectFrom('workflow_queries')
      .select('outcome')
      .where('query_id', '=', queryId)
      .executeTakeFirst();
    return row?.outcome ?? undefined;
  }

  return {
    async query(run: RunRow, name: string, input: Json, signal: AbortSignal): Promise<Json> {
      if (asked.size >= QUERIES_WAITING_MAX)
        throw new ApiError(429, 'Too many queries wait for their answers. Try again later.');
      const queryId = uuidv7(now());
      asked.add(queryId);
      const ends = AbortSignal.any([signal, AbortSignal.timeout(QUERY_TIMEOUT_MS)]);
      const { execution_id, run_id, workflow_name } = run;
      let isInTable = false;
      try {
        isInTable = await ask(run, { query_id: queryId, run_id, execution_id, workflow_name, name, input });
        return answerOf(name, await waiters.wait(queryTopic(queryId), () => look(queryId), ends));
      } catch (error) {
        if (ends.aborted && !signal.aborted) throw unansweredQuery(run.execution_id);
        throw error;
      } finally {
        asked.delete(queryId);
        if (isInTable) await db.deleteFrom('workflow_queries').where('query_id', '=', queryId).execute();
      }
    },
    async answer(workspaceId: string, { answers }: QueryAnswerRequest): Promise<undefined> {
      for (const { query_id, ...outcome } of answers) {
        if (asked.has(query_id)) waiters.settle(queryTopic(query_id), outcome);
        else {
          await db
            .updateTable('workflow_queries')
            .set({ outcome: JSON.stringify(outcome) })
            .where('query_id', '=', query_id)
            .where('workspace_id', '=', workspaceId)
            .execute();
          database.wakeups.wake(queryTopic(query_id));
        }
      }
      return undefined;
    },
    /** Questions from other processes, for a worker that polls here. */
    async find(session: Session): Promise<void> {
      const [workspaceId = '', deploymentName = ''] = session.group.split(' ');
      const rows = await db
        .selectFrom('workflow_queries')
        .select(['query_id', 'task'])
        .where('workspace_id', '=', workspaceId)
        .where('deployment_name', '=', deploymentName)
        .where('taken', '=', false)
        .execute();
      for (const { query_id, task } of rows) {
        if (!session.workflows.has(task.workflow_name)) continue;
        const { numUpdatedRows } = await db
          .updateTable('workflow_queries')
          .set({ taken: true })
          .where('query_id', '=', query_id)
          .where('taken', '=', false)
          .executeTakeFirstOrThrow();
        if (numUpdatedRows > 0n) session.mail.queries.push(task);
      }
    },
  };
}

function answerOf(name: string, outcome: Outcome): Json {
  if ('failure' in outcome) throw handlerFailed('query', name, outcome.failure.message);
  return outcome.result;
}
