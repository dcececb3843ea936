import { Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { Exchanged } from './record-exchange-for-tests.ts';

const NO_SECRET = '00000000-0000-4000-8000-000000000000';
const { HistoryEvent } = temporal.api.history.v1;

/** A run as Temporal has it: the event that began it, and the one that ended it, as they are on the wire. */
export type RecordedRun = { execution_id: string; run_id: string; first: string; last: string };

export type Recording = {
  sdk: string;
  exchanged: Exchanged[];
  runs: RecordedRun[];
  /** How often the worker called what of Temporal through the gateway, by the status of the answer. */
  calls: Record<string, Record<string, number>>;
};

/** What is kept of a real exchange: nothing of the machine, and no secret that still opens anything. */
export async function summarise(given: {
  exchanged: Exchanged[];
  logs: string[];
  address: string;
}): Promise<Recording> {
  const { exchanged, logs, address } = given;
  const starts = exchanged.flatMap(({ path, body }) =>
    path.endsWith('/executions/register') ? [body as Started] : [],
  );
  const namespace = /"namespace":"([^"]+)"/.exec(JSON.stringify(exchanged))?.[1] ?? '';
  const connection = await Connection.connect({ address, tls: false });
  const runs: RecordedRun[] = [];
  for (const { temporal_workflow_id: execution_id, temporal_run_id: run_id } of starts) {
    if (runs.some((run) => run.run_id === run_id)) continue;
    const execution = { workflowId: execution_id, runId: run_id };
    const { history } = await connection.workflowService.getWorkflowExecutionHistory({ namespace, execution });
    const [first, last] = [history?.events?.at(0), history?.events?.at(-1)];
    hideMachine(last?.workflowExecutionFailedEventAttributes?.failure);
    for (const payload of first?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [])
      if (payload.metadata?.__internal_execution_token)
        payload.metadata.__internal_execution_token = Buffer.from(NO_SECRET);
    runs.push({ execution_id, run_id, first: base64(first), last: base64(last) });
  }
  await connection.close();
  const kept = exchanged.filter(({ path }) => !path.includes('/history')).map(scrub);
  return { sdk: 'mistralai-workflows 3.16.0', exchanged: kept, runs, calls: countCalls(logs) };
}

function base64(event: temporal.api.history.v1.IHistoryEvent | undefined): string {
  return Buffer.from(HistoryEvent.encode(event ?? {}).finish()).toString('base64');
}

/** Stacks tell where Python is installed, and identities on which host. */
function hideMachine(failure: temporal.api.failure.v1.IFailure | null | undefined): void {
  if (!failure) return;
  failure.stackTrace = '';
  if (failure.activityFailureInfo) failure.activityFailureInfo.identity = 'worker';
  hideMachine(failure.cause);
}

type Started = { temporal_workflow_id: string; temporal_run_id: string };

function countCalls(logs: string[]): Recording['calls'] {
  const calls: Recording['calls'] = {};
  for (const line of logs) {
    const { call, status } = JSON.parse(line) as { call?: string; status?: number };
    if (call === undefined || status === undefined) continue;
    const counted = calls[call] ?? {};
    calls[call] = { ...counted, [status]: (counted[status] ?? 0) + 1 };
  }
  return calls;
}

/** Addresses of the machine are not part of what was said. */
function scrub(exchanged: Exchanged): Exchanged {
  const text = JSON.stringify(exchanged)
    .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'http://gateway.test:4748')
    .replace(/"(route_token|execution_token)":"[^"]+"/g, `"$1":"${NO_SECRET}"`);
  return JSON.parse(text) as Exchanged;
}
