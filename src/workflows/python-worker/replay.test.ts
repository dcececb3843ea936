import { createHash, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporal } from '@temporalio/proto';
import { expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { onSqliteFirst } from '../../../test/support/databases.ts';
import { type FakeTemporal, startFakeTemporal } from '../../../test/support/fake-temporal.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { WITHIN } from '../workflows-for-tests.ts';
import type { Exchanged } from './record-exchange-for-tests.ts';
import type { Recording } from './summarise-for-tests.ts';

const recording = JSON.parse(readFileSync(join(import.meta.dirname, 'recording.json'), 'utf8')) as Recording;
const { HistoryEvent } = temporal.api.history.v1;

type Event = { event_id: string; event_type: string; workflow_run_id: string; attributes: Record<string, unknown> };
type Sent = { event?: Event; events?: Event[] } & Record<string, string>;

const wf = (value: unknown) => ({
  metadata: { encoding: Buffer.from('json/wf_v1'), execution_id: Buffer.from('x') },
  data: Buffer.from(JSON.stringify(value)),
});
const decoded = (text: string) => HistoryEvent.decode(Buffer.from(text, 'base64'));
const eventsOf = (text: string): Event[] =>
  [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => (JSON.parse(data) as { data: Event }).data);
/** What depends on the run, and not on what the worker said. */
const told = ({ event_type, attributes: { task_id, ...rest } }: Event) => [
  event_type,
  event_type.startsWith('WORKFLOW_EXECUTION') ? rest : { task_id, ...rest },
];

/** The ids of the executions that the client began are words; workers make theirs up. */
const isChild = (executionId: string) => /^[0-9a-f-]{36}$/.test(executionId);

/** Says again what the worker and the client said, each in its turn, with the ids and tokens of this server. */
function createReplayer(server: TestServer, cluster: FakeTemporal) {
  const renamed = new Map<string, string>();
  const routeTokens = new Map<string, string>();

  function tokenOf(executionId: string): string | undefined {
    const start = cluster.asked.find(
      ({ call: name, request }) => name === 'StartWorkflowExecution' && request.workflowId === executionId,
    );
    const input = start?.request.input as { payloads: { metadata: Record<string, Uint8Array> }[] } | undefined;
    const token = input?.payloads[0]?.metadata.__internal_execution_token;
    return token && Buffer.from(token).toString();
  }

  function bodyOf({ path, body }: Exchanged): Sent | undefined {
    if (body === undefined) return undefined;
    let text = JSON.stringify(body);
    for (const [before, after] of renamed) text = text.replaceAll(before, after);
    const sent = JSON.parse(text) as Sent;
    if (path.endsWith('/executions/register')) {
      const token = tokenOf(sent.temporal_workflow_id ?? '');
      if (token) sent.execution_token_hash = createHash('sha256').update(token).digest('hex');
    }
    if (path.endsWith('/event-route-token')) {
      const token = tokenOf(sent.workflow_exec_id ?? '');
      return {
        workflow_exec_id: sent.workflow_exec_id,
        workflow_run_id: sent.workflow_run_id,
        ...(token ? { execution_token: token } : {}),
      } as unknown as Sent;
    }
    return sent;
  }

  return async (exchanged: Exchanged): Promise<string> => {
    const { method, path } = exchanged;
    const { temporal_workflow_id: begun } = (exchanged.body ?? {}) as { temporal_workflow_id?: string };
    // A worker hears of a run when the cluster has its start.
    if (begun !== undefined && !isChild(begun)) await expect.poll(() => tokenOf(begun), WITHIN).toBeDefined();
    const body = bodyOf(exchanged);
    const events = body?.events ?? (body?.event ? [body.event] : []);
    const token = routeTokens.get(events[0]?.workflow_run_id ?? '');
    const headers: Record<string, string> = token && path.startsWith('/v2/') ? { 'x-workflow-route-token': token } : {};
    const ask = (sent: Sent | undefined) =>
      call(server, path, { method, headers, ...(sent === undefined ? {} : { body: sent }) });
    const answer = await ask(body);
    expect([path, answer.status, answer.status >= 400 ? answer.text : '']).toEqual([
      path,
      exchanged.status,
      answer.status >= 400 ? expect.any(String) : '',
    ]);
    const got = answer.body as Record<string, string>;
    if (path.endsWith('/workflows/register')) rename(exchanged.answer as Registered, answer.body as Registered);
    if (path.endsWith('/event-route-token')) routeTokens.set(body?.workflow_run_id ?? '', got.route_token ?? '');
    // A task that is tried again tells of the same things under new ids.
    const again = events.filter(({ event_type }) => event_type !== 'CUSTOM_TASK_IN_PROGRESS');
    if (again.length > 0)
      await ask({
        ...(body?.event ? { event: { ...again[0], event_id: randomUUID() } } : {}),
        ...(body?.events ? { events: again.map((event) => ({ ...event, event_id: randomUUID() })) } : {}),
      } as Sent);
    for (const { event_type, workflow_run_id } of events)
      if (/^WORKFLOW_EXECUTION_(COMPLETED|FAILED|CANCELED)$/.test(event_type))
        cluster.finish(
          workflow_run_id,
          decoded(recording.runs.find((run) => run.run_id === workflow_run_id)?.last ?? ''),
        );
    return answer.text;
  };

  type Registered = { workflow_registration_refs: { workflow_id: string; workflow_registration_id: string }[] };

  function rename(before: Registered, after: Registered): void {
    for (const [index, ref] of before.workflow_registration_refs.entries()) {
      const own = after.workflow_registration_refs[index];
      renamed.set(ref.workflow_id, own?.workflow_id ?? '');
      renamed.set(ref.workflow_registration_id, own?.workflow_registration_id ?? '');
    }
  }
}

onSqliteFirst('what an official Python worker said', (database) => {
  it('is taken again, once each, and readers see what they saw', { timeout: 60_000 }, async () => {
    const cluster = await startFakeTemporal();
    cluster.nameRuns(Object.fromEntries(recording.runs.map(({ execution_id, run_id }) => [execution_id, run_id])));
    for (const { execution_id, run_id, first } of recording.runs)
      if (isChild(execution_id)) cluster.add({ executionId: execution_id, runId: run_id, first: decoded(first) });
    cluster.answerWith({ pages: wf(['Bob 1', 'Bob 2']), limit: wf(10) });
    const environment = { TRAMONTANE_TEMPORAL_ADDRESS: cluster.address, TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0' };
    const server = await startTestServer(database, { environment });
    const replay = createReplayer(server, cluster);

    const ticks = recording.exchanged.flatMap((exchanged) => [
      { at: exchanged.began, exchanged, isEnd: false },
      { at: exchanged.ended, exchanged, isEnd: true },
    ]);
    const pending = new Map<Exchanged, Promise<string>>();
    for (const { exchanged, isEnd } of ticks.toSorted((a, b) => a.at - b.at)) {
      if (!isEnd) {
        const answering = replay(exchanged);
        answering.catch(() => undefined);
        pending.set(exchanged, answering);
        // What begins here is on its way before the next is; a worker is never quicker than that.
        await new Promise((resolve) => setImmediate(resolve));
      } else await pending.get(exchanged);
    }

    const stream = recording.exchanged.find(({ path }) => path.includes('/events/stream')) as Exchanged;
    const seen = eventsOf((await pending.get(stream)) ?? '');
    expect(seen.map(told)).toEqual(eventsOf(String(stream.answer)).map(told));
    const statusOf = async (id: string) =>
      ((await call(server, `/v1/workflows/executions/${id}`)).body as { status: string }).status;
    for (const [id, status] of Object.entries({
      once: 'COMPLETED',
      both: 'COMPLETED',
      jam: 'FAILED',
      never: 'CANCELED',
    }))
      await expect.poll(() => statusOf(id), WITHIN).toBe(status);
    expect((await call(server, '/v1/workflows/executions/shop')).body).toMatchObject({
      result: { pages: ['Bob 1', 'Bob 2'], approved_by: 'Eve' },
    });
    const { body } = await call(server, '/v1/workflows/events/list?limit=1000');
    const names = (body as { events: Event[] }).events.map(({ attributes }) => String(attributes.activity_name));
    expect(names.filter((name) => name.startsWith('__internal__'))).toEqual([]);
  });

  it('was said through calls that the gateway passes on', () => {
    expect(Object.keys(recording.calls)).toEqual(
      expect.arrayContaining(['PollWorkflowTaskQueue', 'RespondWorkflowTaskCompleted', 'RespondActivityTaskCompleted']),
    );
    expect([...new Set(Object.values(recording.calls).flatMap((statuses) => Object.keys(statuses)))]).toEqual(['0']);
  });
});
