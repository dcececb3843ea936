import { randomUUID } from 'node:crypto';
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { temporal } from '@temporalio/proto';
import { atEnd } from './cleanup.ts';

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;
type PendingActivity = temporal.api.workflow.v1.IPendingActivityInfo;
type Payload = temporal.api.common.v1.IPayload;
type Message = Record<string, unknown>;
type Codec = {
  decode(bytes: Uint8Array): Message;
  encode(message: object): { finish(): Uint8Array };
};

/** A run of the fake: its first event, what came of it, and, once it has ended, its last. */
export type FakeRun = {
  executionId: string;
  runId: string;
  first: HistoryEvent;
  steps?: HistoryEvent[];
  pending?: PendingActivity[];
  last?: HistoryEvent;
};

export type FakeTemporal = {
  address: string;
  /** Every request of the server, by the name of the call. */
  asked: { call: string; request: Message }[];
  /** A run that was started directly by a worker, without the server. */
  add(run: FakeRun): void;
  finish(runId: string, last: HistoryEvent): void;
  /** What its history shows between the first event and the last, and which steps have not ended. */
  work(runId: string, steps: HistoryEvent[], pending?: PendingActivity[]): void;
  /** Its turn has failed and is tried again. */
  retryTurn(runId: string): void;
  /** The ids of the next starts; others get generated ids. */
  nameRuns(runIds: Record<string, string>): void;
  /** The results of queries and updates, by name. */
  answerWith(answers: Record<string, Payload>): void;
};

const NOT_FOUND = 5;
const { EventType, WorkflowExecutionStatus, HistoryEventFilterType, UpdateWorkflowExecutionLifecycleStage } =
  temporal.api.enums.v1;

class Missing extends Error {}

/**
 * The part of a Temporal frontend that our server uses, without workers: the test decides the outcome of runs. It is at
 * the network border; everything on our side is real.
 */
export async function startFakeTemporal(): Promise<FakeTemporal> {
  const runs = new Map<string, FakeRun>();
  const asked: FakeTemporal['asked'] = [];
  const waiting = new Set<() => void>();
  const retrying = new Set<string>();
  let named: Record<string, string> = {};
  let answers: Record<string, Payload> = {};

  function find({ workflowId, runId }: { workflowId?: string; runId?: string }): FakeRun {
    const run = runId ? runs.get(runId) : [...runs.values()].findLast(({ executionId }) => executionId === workflowId);
    if (run?.executionId !== workflowId) throw new Missing();
    return run as FakeRun;
  }

  async function closed(run: FakeRun, stream: ServerHttp2Stream): Promise<void> {
    while (!run.last && !stream.destroyed)
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
        stream.once('close', resolve);
      });
  }

  const handlers: Record<string, (request: never, stream: ServerHttp2Stream) => Message | Promise<Message>> = {
    GetSystemInfo: () => ({ serverVersion: 'fake', capabilities: {} }),
    RegisterNamespace: () => ({}),
    ListSearchAttributes: () => ({ customAttributes: { OtelTraceId: 2 } }),
    CountWorkflowExecutions: () => ({ count: 0 }),
    ListWorkflowExecutions: () => ({ executions: [] }),
    StartWorkflowExecution(request: { workflowId: string; workflowType: object; taskQueue: object; input: object }) {
      const runId = named[request.workflowId] ?? randomUUID();
      const { workflowType, taskQueue, input } = request;
      const first = {
        eventId: 1,
        eventTime: { seconds: 1_800_000_000 },
        eventType: EventType.EVENT_TYPE_WORKFLOW_EXECUTION_STARTED,
        workflowExecutionStartedEventAttributes: { workflowType, taskQueue, input, firstExecutionRunId: runId },
      } as unknown as HistoryEvent;
      runs.set(runId, { executionId: request.workflowId, runId, first });
      return { runId };
    },
    async GetWorkflowExecutionHistory(
      request: { execution: object; historyEventFilterType: number; waitNewEvent: boolean },
      stream,
    ) {
      const run = find(request.execution);
      const isClose = request.historyEventFilterType === HistoryEventFilterType.HISTORY_EVENT_FILTER_TYPE_CLOSE_EVENT;
      // A cluster holds requests for the closing event of a run until it exists, even without waitNewEvent.
      if (request.waitNewEvent || isClose) await closed(run, stream);
      const whole = [run.first, ...(run.steps ?? []), ...(run.last ? [run.last] : [])];
      const events = isClose ? [run.last ?? run.first] : whole;
      return { history: { events } };
    },
    GetWorkflowExecutionHistoryReverse(request: { execution: object }) {
      const run = find(request.execution);
      return { history: { events: [run.last ?? run.first] } };
    },
    DescribeWorkflowExecution(request: { execution: object }) {
      const run = find(request.execution);
      const { WORKFLOW_EXECUTION_STATUS_RUNNING, WORKFLOW_EXECUTION_STATUS_COMPLETED } = WorkflowExecutionStatus;
      const status = run.last ? WORKFLOW_EXECUTION_STATUS_COMPLETED : WORKFLOW_EXECUTION_STATUS_RUNNING;
      const pendingWorkflowTask = { attempt: retrying.has(run.runId) ? 2 : 1 };
      return { workflowExecutionInfo: { status }, pendingWorkflowTask, pendingActivities: run.pending ?? [] };
    },
    SignalWorkflowExecution: () => ({}),
    RequestCancelWorkflowExecution: () => ({}),
    QueryWorkflow: ({ query }: { query: { queryType: string } }) => ({
      queryResult: { payloads: [answers[query.queryType]] },
    }),
    UpdateWorkflowExecution: ({
      request,
      workflowExecution,
    }: {
      request: { input: { name: string }; meta: { updateId: string } };
      workflowExecution: object;
    }) => ({
      updateRef: { workflowExecution, updateId: request.meta.updateId },
      stage: UpdateWorkflowExecutionLifecycleStage.UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_COMPLETED,
      outcome: { success: { payloads: [answers[request.input.name]] } },
    }),
  };

  const sessions = new Set<ServerHttp2Session>();
  const server = createServer();
  server.on('session', (session) => sessions.add(session));
  server.on('stream', async (stream, headers) => {
    stream.on('error', () => undefined);
    const [, service = '', call = ''] = (headers[':path'] ?? '').split('/');
    const types = (service.includes('operatorservice')
      ? temporal.api.operatorservice.v1
      : temporal.api.workflowservice.v1) as unknown as Record<string, Codec>;
    const request = types[`${call}Request`]?.decode((await buffer(stream)).subarray(5)) ?? {};
    asked.push({ call, request });
    try {
      const handler = handlers[call];
      if (!handler) throw new Error(`The fake has no ${call}.`);
      const message = await handler(request as never, stream);
      answer(stream, types[`${call}Response`]?.encode(message).finish() ?? new Uint8Array());
    } catch (error) {
      const status = error instanceof Missing ? NOT_FOUND : 12;
      if (!stream.destroyed)
        stream.respond(
          {
            'content-type': 'application/grpc',
            'grpc-status': String(status),
            'grpc-message': (error as Error).message,
          },
          { endStream: true },
        );
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });

  function mustFind(runId: string): FakeRun {
    const run = runs.get(runId);
    if (!run) throw new Error(`There is no run ${runId}.`);
    return run;
  }

  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    add: (run) => void runs.set(run.runId, run),
    finish(runId, last) {
      mustFind(runId).last = last;
      for (const wake of waiting) wake();
      waiting.clear();
    },
    work: (runId, steps, pending = []) => void Object.assign(mustFind(runId), { steps, pending }),
    retryTurn: (runId) => void retrying.add(runId),
    nameRuns: (runIds) => {
      named = runIds;
    },
    answerWith: (given) => {
      answers = given;
    },
  };
}

function answer(stream: ServerHttp2Stream, message: Uint8Array): void {
  if (stream.destroyed) return;
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  stream.respond({ 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.concat([prefix, message]));
}
