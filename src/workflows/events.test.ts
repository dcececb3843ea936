import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { CustomTaskEvent } from '../../packages/workflows/src/protocol.ts';
import { recordStatements } from '../../test/support/count-statements.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { rounds } from '../../test/support/rounds.ts';
import { startWorker, startWorkflows, WITHIN, type Workflows } from './workflows-for-tests.ts';

type Body = Record<string, unknown>;
type Event = Body & { event_type: string; event_timestamp: number; workflow_exec_id: string; attributes: Body };
type Frame = { id: number; text: string; payload: Body & { broker_sequence: number; stream: string; data: Event } };

const task = (event_type: CustomTaskEvent['event_type'], value: number): CustomTaskEvent => ({
  event_type,
  custom_task_id: 't1',
  custom_task_type: 'progress',
  payload: { type: 'json', value },
});

onEachDatabase('/v1/workflows/events', (database) => {
  let workflows: Workflows;
  let root: string;
  beforeAll(async () => {
    workflows = await startWorkflows(database);
    await startWorker(workflows.server, {
      workflows: {
        parent: async (ctx, input) => {
          ctx.emit(task('CUSTOM_TASK_STARTED', 0));
          for (let n = 1; n <= 3; n++) ctx.emit(task('CUSTOM_TASK_IN_PROGRESS', n));
          await ctx.step('add', [1, 2]);
          await ctx.child('child', { deep: true });
          ctx.emit(task('CUSTOM_TASK_COMPLETED', 4));
          return input;
        },
        child: async (ctx) => ctx.step('stumble', []),
        wait: async (ctx) => ctx.signal('go'),
      },
      steps: {
        add: ([a, b]) => Number(a) + Number(b),
        stumble: (_, { attempt }) => {
          if (attempt === 1) throw new Error('once');
          return 'up again';
        },
      },
    });
    root = randomUUID();
    const input = { hello: 'there' };
    const done = await workflows.send('POST', '/parent/execute', { execution_id: root, input, wait_for_result: true });
    expect(done.status, done.text).toBe(200);
  });

  const list = async (query: string) =>
    (await workflows.send('GET', `/events/list?${query}`)).body as { events: Event[]; next_cursor: string | null };

  const open = (query: string, lastEventId?: number, path = 'events/stream', signal?: AbortSignal) =>
    fetch(`${workflows.server.url}/v1/workflows/${path}?${query}`, {
      headers: {
        authorization: `Bearer ${workflows.server.key}`,
        ...(lastEventId === undefined ? {} : { 'last-event-id': String(lastEventId) }),
      },
      signal: signal ?? null,
    });

  const framesOf = (text: string): Frame[] =>
    text
      .split('\n\n')
      .filter((frame) => frame.startsWith('id: '))
      .map((frame) => {
        const [, id = '', data = ''] = /^id: (\d+)\ndata: (.*)$/s.exec(frame) ?? [];
        return { id: Number(id), text: `${frame}\n\n`, payload: JSON.parse(data) as Frame['payload'] };
      });

  const stream = async (query: string, lastEventId?: number, path?: string) =>
    framesOf(await (await open(query, lastEventId, path)).text());
  const all = () => stream(`root_workflow_exec_id=${root}`);

  describe('list', () => {
    it('answers stored events with every field [WORKFLOWS-EVENTS-LIST] [WORKFLOWS-EVENT-FIELDS] [WORKFLOWS-EVENT-PARENT] [WORKFLOWS-EVENT-ATTRIBUTES]', async () => {
      const { events, next_cursor } = await list(`root_workflow_exec_id=${root}`);
      expect(next_cursor).toBeNull();
      expect(events[0]).toEqual({
        event_id: expect.any(String),
        event_timestamp: expect.any(Number),
        root_workflow_exec_id: root,
        parent_workflow_exec_id: null,
        continued_run_id: null,
        first_execution_run_id: expect.any(String),
        chain_run_id: events[0]?.first_execution_run_id,
        schedule_id: null,
        workflow_exec_id: root,
        workflow_run_id: expect.any(String),
        workflow_name: 'parent',
        event_type: 'WORKFLOW_EXECUTION_STARTED',
        attributes: {
          task_id: expect.any(String),
          workflow_name: 'parent',
          display_name: 'parent',
          input: { type: 'json', value: { hello: 'there' } },
          attempt: 1,
        },
      });
      const child = events.find(({ workflow_name }) => workflow_name === 'child');
      expect(child).toMatchObject({ parent_workflow_exec_id: root, root_workflow_exec_id: root });
      expect([...new Set(events.map(({ chain_run_id }) => chain_run_id))]).toEqual([events[0]?.chain_run_id]);
      expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length);
    });

    it('reads the stream of an execution once, also when all are listed', async () => {
      const recorded = recordStatements(/"whole_events"/);
      const { events, next_cursor } = await list('');
      expect(next_cursor).toBeNull();
      const roots = new Set(events.map(({ root_workflow_exec_id }) => root_workflow_exec_id));
      expect(recorded.statements).toHaveLength(roots.size);
    });

    it('counts microseconds, and no number is beyond what JavaScript holds [WORKFLOWS-EVENT-MICROSECONDS] [WORKFLOWS-SAFE-INTEGERS]', async () => {
      const { events } = await list(`root_workflow_exec_id=${root}`);
      const stamps = events.map(({ event_timestamp }) => event_timestamp);
      for (const stamp of stamps) expect(Math.abs(stamp / 1000 - Date.now())).toBeLessThan(3_600_000);
      expect(stamps).toEqual([...stamps].sort((a, b) => a - b));
      const numbers = [...JSON.stringify(await all()).matchAll(/[:[,](\d+)(?=[,\]}])/g)].map(([, n]) => Number(n));
      expect(Math.max(...numbers)).toBeLessThanOrEqual(Number.MAX_SAFE_INTEGER);
    });

    it('is bounded by its limit and goes on with its cursor, with a filter and for the whole workspace [WORKFLOWS-EVENTS-LIMIT]', async () => {
      for (const filter of [`root_workflow_exec_id=${root}`, '']) {
        const whole = (await list(`limit=1000&${filter}`)).events;
        const seen: Event[] = [];
        for (let cursor: string | null = ''; cursor !== null; ) {
          const page = await list(`limit=3&${filter}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
          expect(page.events.length).toBeLessThanOrEqual(3);
          seen.push(...page.events);
          cursor = page.next_cursor;
        }
        expect(seen).toEqual(whole);
        expect(whole.length).toBeGreaterThan(8);
      }
    });

    it('is narrowed to an execution or a run; what is not there has no events', async () => {
      const { events } = await list(`root_workflow_exec_id=${root}`);
      const child = events.find(({ workflow_name }) => workflow_name === 'child') as Event;
      const own = (await list(`workflow_exec_id=${encodeURIComponent(child.workflow_exec_id)}`)).events;
      expect(own).toEqual(events.filter(({ workflow_exec_id }) => workflow_exec_id === child.workflow_exec_id));
      expect((await list(`workflow_run_id=${child.workflow_run_id}`)).events).toEqual(own);
      expect((await list(`workflow_exec_id=${root}&root_workflow_exec_id=other`)).events).toEqual([]);
      expect((await list('workflow_exec_id=missing')).events).toEqual([]);
    });

    it.runIf(isSqliteOrFull(database))('422: a limit or a cursor that is none', async () => {
      for (const query of ['limit=0', 'limit=1001', 'cursor=x', 'color=1'])
        expect([query, (await workflows.send('GET', `/events/list?${query}`)).status]).toEqual([query, 422]);
    });
  });

  describe('stream', () => {
    it('shows what the list shows, numbered from 1 without a gap, and ends with the tree [WORKFLOWS-STREAM] [WORKFLOWS-EVENTS-SAME] [WORKFLOWS-SEQUENCE]', async () => {
      const response = await open(`root_workflow_exec_id=${root}`);
      expect(response.headers.get('content-type')).toContain('text/event-stream');
      const frames = framesOf(await response.text());
      expect(frames.map(({ payload }) => payload.data)).toEqual((await list(`root_workflow_exec_id=${root}`)).events);
      expect(frames.map(({ payload }) => payload.broker_sequence)).toEqual(frames.map((_, index) => index + 1));
      expect(frames.map(({ id }) => id)).toEqual(frames.map(({ payload }) => payload.broker_sequence));
      expect(frames[0]?.payload).toMatchObject({
        stream: 'events',
        timestamp: expect.stringMatching(/\.\d{6}Z$/),
        metadata: {},
        workflow_context: { workflow_name: 'parent', workflow_exec_id: root, root_workflow_exec_id: root },
      });
    });

    it.runIf(isSqliteOrFull(database))(
      'each filter narrows it, and what passes is not missed [WORKFLOWS-STREAM-FILTERS] [WORKFLOWS-SEQUENCE-FILTERED]',
      async () => {
        const whole = await all();
        const expectOnly = async (query: string, passes: (frame: Frame) => boolean, path?: string) => {
          const shown = await stream(`root_workflow_exec_id=${root}&${query}`, undefined, path);
          expect([query, shown.map(({ id }) => id)]).toEqual([query, whole.filter(passes).map(({ id }) => id)]);
          expect([query, shown.length]).not.toEqual([query, 0]);
          expect(shown.length).toBeLessThan(whole.length);
        };
        const data = ({ payload }: Frame) => payload.data;
        const child = whole.map(data).find(({ workflow_name }) => workflow_name === 'child') as Event;
        await expectOnly('scope=activity', (frame) => data(frame).event_type.startsWith('ACTIVITY'));
        await expectOnly('scope=workflow', (frame) => !data(frame).event_type.startsWith('ACTIVITY'));
        await expectOnly('activity_name=add', (frame) => data(frame).attributes.activity_name === 'add');
        await expectOnly(
          'activity_id=1&workflow_name=child',
          (frame) => data(frame).attributes.activity_name === 'stumble',
        );
        await expectOnly('workflow_name=child', (frame) => data(frame).workflow_name === 'child');
        await expectOnly(
          `workflow_exec_id=${encodeURIComponent(child.workflow_exec_id)}`,
          (frame) => data(frame).workflow_name === 'child',
        );
        await expectOnly(`parent_workflow_exec_id=${root}`, (frame) => data(frame).workflow_name === 'child');
        await expectOnly('stream=progress', (frame) => data(frame).event_type.startsWith('CUSTOM'));
        await expectOnly(
          'workflow_event_types=ACTIVITY_TASK_RETRYING',
          (frame) => data(frame).event_type === 'ACTIVITY_TASK_RETRYING',
        );
        const some = encodeURIComponent(JSON.stringify({ team: 'blue' }));
        expect(await stream(`root_workflow_exec_id=${root}&metadata_filters=${some}`)).toEqual([]);
      },
    );

    it.runIf(isSqliteOrFull(database))(
      'start_seq is inclusive, Last-Event-ID exclusive [WORKFLOWS-STREAM-START-SEQ] [WORKFLOWS-START-SEQ-INCLUSIVE]',
      async () => {
        const whole = await all();
        expect((await stream(`root_workflow_exec_id=${root}&start_seq=4`)).map(({ id }) => id)).toEqual(
          whole.slice(3).map(({ id }) => id),
        );
        expect((await stream(`root_workflow_exec_id=${root}&start_seq=2`, 4)).map(({ id }) => id)).toEqual(
          whole.slice(4).map(({ id }) => id),
        );
      },
    );

    it.runIf(isSqliteOrFull(database))(
      '* is no filter, and one of the three executions must be named [WORKFLOWS-STREAM-STAR] [WORKFLOWS-STREAM-NEEDS-ID]',
      async () => {
        const stars = 'scope=*&activity_name=*&activity_id=*&workflow_name=*&stream=*&parent_workflow_exec_id=*';
        expect(await stream(`${stars}&workflow_exec_id=*&root_workflow_exec_id=${root}`)).toEqual(await all());
        for (const query of [
          '',
          'workflow_name=parent',
          'root_workflow_exec_id=*&workflow_exec_id=*&parent_workflow_exec_id=*',
        ]) {
          const answer = await workflows.send('GET', `/events/stream?${query}`);
          expect(answer).toMatchObject({ status: 422, body: { code: 'WF_1001' } });
        }
        expect((await open(`root_workflow_exec_id=${root}&start_seq=-1`)).status).toBe(422);
        const response = await fetch(
          `${workflows.server.url}/v1/workflows/events/stream?root_workflow_exec_id=${root}`,
          {
            headers: { authorization: `Bearer ${workflows.server.key}`, 'last-event-id': 'soon' },
          },
        );
        expect(response.status).toBe(422);
        expect((await workflows.send('GET', '/events/stream?workflow_exec_id=missing')).status).toBe(404);
      },
    );

    it.runIf(isSqliteOrFull(database))(
      'cut anywhere and resumed, it is the same bytes [WORKFLOWS-STREAM-RESUME]',
      async () => {
        const whole = (await all()).map(({ text }) => text).join('');
        const frames = await all();
        for (let round = 0; round < rounds(12, 200); round++) {
          const controller = new AbortController();
          const response = await open(`root_workflow_exec_id=${root}`, undefined, undefined, controller.signal);
          const cut = 1 + Math.floor(Math.random() * (whole.length - 1));
          let got = '';
          const decoder = new TextDecoder();
          for await (const bytes of response.body ?? []) {
            got += decoder.decode(bytes, { stream: true });
            if (got.length >= cut) break;
          }
          controller.abort();
          const seen = framesOf(got.slice(0, got.lastIndexOf('\n\n', cut) + 2));
          const last = seen.at(-1)?.id ?? 0;
          const rest = await stream(`root_workflow_exec_id=${root}`, last);
          expect(seen.map(({ text }) => text).join('') + rest.map(({ text }) => text).join('')).toBe(whole);
          expect(seen.length + rest.length).toBe(frames.length);
        }
      },
    );

    it('shows live events as they come, after those that were there', async () => {
      const id = randomUUID();
      await workflows.send('POST', '/wait/execute', { execution_id: id });
      const response = await open(`workflow_exec_id=${id}`);
      const reader = response.body?.getReader();
      const first = new TextDecoder().decode((await reader?.read())?.value);
      expect(framesOf(first)[0]?.payload.data.event_type).toBe('WORKFLOW_EXECUTION_STARTED');
      await workflows.send('POST', `/executions/${id}/terminate`);
      let text = first;
      for (let chunk = await reader?.read(); chunk && !chunk.done; chunk = await reader?.read())
        text += new TextDecoder().decode(chunk.value);
      expect(framesOf(text).at(-1)?.payload.data).toMatchObject({ event_type: 'WORKFLOW_EXECUTION_CANCELED' });
    });

    it('of one execution comes from the database, live, or both', async () => {
      const own = await stream('', undefined, `executions/${root}/stream`);
      expect(own.map(({ payload }) => payload.data.workflow_exec_id)).toEqual(own.map(() => root));
      expect(await stream('event_source=DATABASE', undefined, `executions/${root}/stream`)).toEqual(own);
      expect(await stream('event_source=LIVE', undefined, `executions/${root}/stream`)).toEqual([]);
      const later = await stream(`last_event_id=${own[1]?.id}`, undefined, `executions/${root}/stream`);
      expect(later).toEqual(own.slice(2));
      expect((await workflows.send('GET', `/executions/${root}/stream?event_source=SOON`)).status).toBe(422);
    });
  });

  describe('logs', () => {
    const record = (n: number, more: Body = {}) => ({
      id: randomUUID(),
      time_ms: 1_700_000_000_000 + n,
      severity: 'INFO',
      body: `line ${n}`,
      execution_id: root,
      ...more,
    });
    const keep = (records: Body[]) =>
      workflows.send('POST', '/workers/logs', { deployment_name: 'main', worker_name: 'worker-1', records });
    const logs = async (query = '', of = `executions/${root}`) =>
      (await workflows.send('GET', `/${of}/logs?${query}`)).body as {
        results: (Body & { body: string })[];
        next_cursor: string | null;
      };

    it('are kept once, searched both ways and by what they belong to [WORKFLOWS-EVENT-NANOSECONDS]', async () => {
      const run_id = randomUUID();
      const records = [record(1), record(2, { run_id, activity_id: '7', workflow_name: 'parent' }), record(3)];
      expect((await keep(records)).body).toEqual({ accepted: 3 });
      expect((await keep(records)).body).toEqual({ accepted: 0 });
      const nanos = record(4, { time_ms: 1_700_000_000_123_456_000, execution_id: undefined });
      expect((await keep([nanos])).body).toEqual({ accepted: 1 });
      const lines = async (query: string, of?: string) => (await logs(query, of)).results.map(({ body }) => body);
      expect(await lines('')).toEqual(['line 1', 'line 2', 'line 3']);
      expect(await lines('order=desc&limit=2')).toEqual(['line 3', 'line 2']);
      expect(await lines(`run_id=${run_id}&activity_id=7`)).toEqual(['line 2']);
      expect(await lines('after=2023-11-14T22:13:20.001Z&before=2023-11-14T22:13:20.003Z')).toEqual(['line 2']);
      expect(await lines('workflow_name=parent&worker_name=worker-1', 'deployments/main')).toEqual(['line 2']);
      const { results } = await logs('order=desc&limit=1', 'deployments/main');
      expect(results[0]).toMatchObject({
        body: 'line 4',
        timestamp: '2023-11-14T22:13:20.123456Z',
        severity_text: 'INFO',
      });
      const first = await logs('limit=2');
      expect(
        (await logs(`limit=2&cursor=${encodeURIComponent(first.next_cursor ?? '')}`)).results.map(({ body }) => body),
      ).toEqual(['line 3']);
    });

    it.runIf(isSqliteOrFull(database))(
      'a stream of logs refuses an id that is none of its own before it begins [WORKFLOWS-LOGS-RESUME]',
      async () => {
        for (const path of [`executions/${root}/logs/stream`, 'deployments/main/logs/stream'])
          for (const id of ['', 'soon', '-1'])
            expect((await open(`last_event_id=${id}`, undefined, path)).status).toBe(422);
      },
    );

    it('a stream of logs resumes without gap or repetition [WORKFLOWS-LOGS-RESUME]', async () => {
      const path = `executions/${root}/logs/stream`;
      const whole = await (await open('', undefined, path)).text();
      expect(whole).toContain('event: log');
      const frames = whole.split('\n\n').filter(Boolean);
      expect(frames).toHaveLength(3);
      for (let after = 0; after <= frames.length; after++) {
        const rest = await (await open('', after, path)).text();
        expect(
          frames
            .slice(0, after)
            .map((frame) => `${frame}\n\n`)
            .join('') + rest,
        ).toBe(whole);
      }
      expect(await (await open('last_event_id=2', undefined, path)).text()).toBe(`${frames[2]}\n\n`);
      const live = await open('', 3, 'deployments/main/logs/stream');
      await keep([record(9)]);
      const reader = live.body?.getReader();
      let text = '';
      while (!text.includes('line 9')) text += new TextDecoder().decode((await reader?.read())?.value);
      await reader?.cancel();
    });

    it.runIf(isSqliteOrFull(database))('a stream of logs ends with its execution, after the last words', async () => {
      const id = randomUUID();
      await workflows.send('POST', '/wait/execute', { execution_id: id });
      const whole = open('', undefined, `executions/${id}/logs/stream`).then((response) => response.text());
      await workflows.send('POST', `/executions/${id}/terminate`);
      await keep([record(5, { execution_id: id })]);
      expect(await whole).toContain('line 5');
    });

    it.runIf(isSqliteOrFull(database))(
      'have a time that is written like any other, whatever the clock of the worker says',
      async () => {
        await keep([record(6, { execution_id: undefined, time_ms: 1e300 })]);
        const { results } = await logs('order=desc&limit=1', 'deployments/main');
        expect(results).toMatchObject([{ body: 'line 6', timestamp: '9999-12-31T23:59:59.000000Z' }]);
      },
    );

    it.runIf(isSqliteOrFull(database))('422: too many, too long, or of a deployment that is not there', async () => {
      expect((await keep(Array.from({ length: 501 }, (_, n) => record(n)))).status).toBe(422);
      expect((await keep([record(1, { body: 'x'.repeat(20_000) })])).status).toBe(422);
      expect((await keep([record(1, { color: 1 })])).status).toBe(422);
      const body = { deployment_name: 'nowhere', worker_name: 'w', records: [] };
      expect((await workflows.send('POST', '/workers/logs', body)).status).toBe(404);
    });
  });

  it('deployments and their workers are shown; building them is refused with a sentence', async () => {
    const { body } = await workflows.send('GET', '/deployments?workflow_name=parent&limit=10');
    expect(body).toMatchObject({
      deployments: [{ name: 'main', is_active: true, worker_count: 1, active_worker_count: 1, managed: null }],
      next_cursor: null,
      workspace_id: expect.any(String),
    });
    expect((await workflows.send('GET', '/deployments/main?workflow_name=parent')).body).toMatchObject({
      is_active: true,
      workers: [{ name: 'worker-1', is_active: true }],
    });
    expect((await workflows.send('GET', '/deployments/main?workflow_name=nothing')).body).toMatchObject({
      is_active: false,
    });
    expect((await workflows.send('GET', '/deployments/main/workers?worker_status=inactive')).body).toEqual({
      workers: [],
      next_cursor: null,
    });
    const spec = { name: 'x', spec: { github_url: 'https://example.test/x' } };
    for (const [method, path, sent] of [
      ['POST', '/deployments', spec],
      ['PATCH', '/deployments/main', {}],
      ['DELETE', '/deployments/main', undefined],
      ['POST', '/deployments/main/restart', undefined],
    ] as const)
      expect(await workflows.send(method, path, sent)).toMatchObject({ status: 409, body: { code: 'WF_1115' } });
  });

  it('the public events of a tree end with it', async () => {
    await expect
      .poll(async () => (await all()).at(-1)?.payload.data.event_type, WITHIN)
      .toBe('WORKFLOW_EXECUTION_COMPLETED');
  });
});
