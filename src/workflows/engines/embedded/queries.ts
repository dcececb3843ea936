import type { Json, QueryAnswerRequest, QueryTask } from '../../../../packages/workflows/src/protocol.ts';
import type { Clock } from '../../../kit/base/clock.ts';
import { uuidv7 } from '../../../kit/base/ids.ts';
import type { Database } from '../../../kit/db/index.ts';
import { workflowErrors } from '../../errors.ts';
import type { RunRow } from '../../store/run-tables.ts';
import { QUERY_TIMEOUT_MS } from '../port/limits.ts';
import { createWaiters } from '../port/waiters.ts';
import { readyTopic } from './dispatch.ts';
import { DEATHS_MAX, QUERIES_WAITING_MAX, QUERY_AGAIN_MS } from './limits.ts';
import { groupOf, type Session, type Sessions } from './sessions.ts';
import {
  deleteQuery,
  findOutcome,
  listOffered,
  offerQuery,
  releaseQuery,
  takeQuery,
  updateOutcome,
  upsertOutcome,
} from './store/queries.ts';
import type { Outcome } from './tables.ts';

const queryTopic = (queryId: string): string => `workflow-query:${queryId}`;

/** A pending query, the workers that got it, and whether other processes can find it. */
type Asked = { run: RunRow; task: QueryTask; workers: Set<string>; isInTable: boolean; times: number };

/**
 * Workers answer queries from their copy of the run; the history does not change. A query for a worker that polls
 * another process goes through a table.
 */
export function createQueries({ database, sessions, now }: { database: Database; sessions: Sessions; now: Clock }) {
  const { db } = database;
  const waiters = createWaiters<Outcome>(database);
  /** Pending queries of this process. */
  const asked = new Map<string, Asked>();

  /** Sends the query to a worker that has not had it: one that polls here, else, through the table, any other. */
  async function ask(question: Asked): Promise<void> {
    const { run, task } = question;
    // Its handler may be what takes workers down.
    if (++question.times > DEATHS_MAX) return;
    const session = sessions.forQuery(run, question.workers);
    if (session) {
      question.workers.add(session.worker);
      session.mail.queries.push(task);
      session.wake?.();
      return;
    }
    question.isInTable = true;
    await offerQuery(db, {
      query_id: task.query_id,
      workspace_id: run.workspace_id,
      deployment_name: run.deployment_name,
      task,
      created_ms: now(),
    });
    announce(groupOf(run.workspace_id, run.deployment_name));
  }

  function announce(group: string): void {
    sessions.hint(group);
    database.wakeups.wake(readyTopic(group));
  }

  /**
   * Stores the outcome for the process that asked. Polls and answers of a worker may reach different processes, so on
   * PostgreSQL the query need not be in the table.
   */
  async function storeOutcome(workspaceId: string, queryId: string, outcome: Outcome): Promise<void> {
    if (database.kind === 'postgres')
      await upsertOutcome(db, { query_id: queryId, workspace_id: workspaceId, created_ms: now() }, outcome);
    else await updateOutcome(db, workspaceId, queryId, outcome);
  }

  return {
    async query(run: RunRow, name: string, input: Json, signal: AbortSignal): Promise<Json> {
      if (asked.size >= QUERIES_WAITING_MAX) throw workflowErrors.too_many_queries();
      const queryId = uuidv7(now());
      const ends = AbortSignal.any([signal, AbortSignal.timeout(QUERY_TIMEOUT_MS)]);
      const { execution_id, run_id, workflow_name } = run;
      const task = { query_id: queryId, run_id, execution_id, workflow_name, name, input };
      const question: Asked = { run, task, workers: new Set(), isInTable: false, times: 0 };
      asked.set(queryId, question);
      // Queries have no side effects, so one may be sent twice; the first answer counts.
      const again = setInterval(() => void ask(question).catch(() => undefined), QUERY_AGAIN_MS);
      try {
        await ask(question);
        return resultOf(
          name,
          await waiters.wait(queryTopic(queryId), () => findOutcome(db, run.workspace_id, queryId), ends),
        );
      } catch (error) {
        if (ends.aborted && !signal.aborted) throw workflowErrors.query_timeout(run.execution_id);
        throw error;
      } finally {
        clearInterval(again);
        asked.delete(queryId);
        if (question.isInTable || database.kind === 'postgres') await deleteQuery(db, queryId);
      }
    },
    /** Offers a query again that its worker did not collect. */
    async offerAgain(task: QueryTask): Promise<void> {
      const question = asked.get(task.query_id);
      if (question) return ask(question);
      const row = await releaseQuery(db, task.query_id);
      if (row) announce(groupOf(row.workspace_id, row.deployment_name));
    },
    async answer(workspaceId: string, { answers }: QueryAnswerRequest): Promise<undefined> {
      for (const { query_id, ...outcome } of answers) {
        if (asked.get(query_id)?.run.workspace_id === workspaceId) waiters.settle(queryTopic(query_id), outcome);
        else {
          await storeOutcome(workspaceId, query_id, outcome);
          database.wakeups.wake(queryTopic(query_id));
        }
      }
      return undefined;
    },
    /** Takes queries of other processes for a worker that polls here. */
    async find(session: Session): Promise<void> {
      const [workspaceId = '', deploymentName = ''] = session.group.split(' ');
      for (const { query_id, task } of await listOffered(db, workspaceId, deploymentName)) {
        if (!session.workflows.has(task.workflow_name)) continue;
        if (await takeQuery(db, query_id)) session.mail.queries.push(task);
      }
    },
  };
}

function resultOf(name: string, outcome: Outcome): Json {
  if ('failure' in outcome) throw workflowErrors.handler_failed('query', name, outcome.failure.message);
  return outcome.result;
}
