import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { startWorker, startWorkflows, WITHIN, type Workflows } from './workflows-for-tests.ts';

type Body = Record<string, unknown>;

const twice = { max_attempts: 2, initial_interval_ms: 1, backoff: 1, max_interval_ms: 1, non_retryable_types: [] };
const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
const handlers = {
  signals: [{ name: 'say', input_schema: text }],
  queries: [{ name: 'ask', input_schema: { type: 'object' } }],
  updates: [{ name: 'change', input_schema: text }],
};

onEachDatabase('/v1/workflows/executions', (database) => {
  let workflows: Workflows;
  beforeAll(async () => {
    workflows = await startWorkflows(database);
    await startWorker(
      workflows.server,
      {
        workflows: {
          listen: async (ctx) => {
            ctx.onUpdate('change', (input) => ({ changed: (input as Body).text as string }));
            await ctx.step('begin');
            const heard = [await ctx.signal('say')];
            heard.push(await ctx.signal('say'));
            return heard;
          },
          tidy: async (ctx) => {
            await ctx.cancelled();
            await ctx.step('clean');
            return 'tidied';
          },
          stumble: async (ctx, input) => ctx.step('try', [(input as Body).n as number], { retry: twice }),
        },
        steps: {
          begin: () => 'begun',
          clean: () => null,
          try: ([n], { attempt }) => {
            if (attempt <= Number(n)) throw new Error('not yet');
            return n ?? null;
          },
        },
      },
      { listen: { ...handlers, search_keys: ['customer.id'] } },
    );
  });
  const start = async (workflow = 'listen', input: Body = {}): Promise<string> => {
    const execution_id = randomUUID();
    const answer = await workflows.send('POST', `/${workflow}/execute`, { execution_id, input });
    expect(answer.status, answer.text).toBe(200);
    return execution_id;
  };
  const post = (id: string, what: string, body?: unknown) => workflows.send('POST', `/executions/${id}/${what}`, body);
  const read = async (id: string) => (await workflows.send('GET', `/executions/${id}`)).body as Body;
  const hasEnded = (id: string, status: string) => expect.poll(() => read(id), WITHIN).toMatchObject({ status });

  describe('signals, queries and updates', () => {
    it('a signal is accepted with 202 and taken in order', async () => {
      const id = await start();
      expect(await post(id, 'signals', { name: 'say', input: { text: 'one' } })).toMatchObject({
        status: 202,
        body: { message: 'Signal accepted' },
      });
      const b64payload = Buffer.from('{"text":"two"}').toString('base64');
      expect((await post(id, 'signals', { name: 'say', input: { b64payload, encoding_options: [] } })).status).toBe(
        202,
      );
      await hasEnded(id, 'COMPLETED');
      expect((await read(id)).result).toEqual([{ text: 'one' }, { text: 'two' }]);
    });

    it('a query answers and leaves no trace; an update answers what its handler did', async () => {
      const id = await start();
      const events = async () =>
        ((await workflows.send('GET', `/executions/${id}/history`)).body as { events: Body[] }).events;
      await expect.poll(async () => (await events()).length, WITHIN).toBeGreaterThan(5);
      const before = await events();
      expect(await post(id, 'queries', { name: 'ask', input: { a: 1 } })).toMatchObject({
        status: 200,
        body: { query_name: 'ask', result: { name: 'ask', input: { a: 1 } } },
      });
      expect(await events()).toEqual(before);
      expect(await post(id, 'updates', { name: 'change', input: { text: 'x' } })).toMatchObject({
        status: 200,
        body: { update_name: 'change', result: { changed: 'x' } },
      });
      await post(id, 'terminate');
    });

    it.runIf(isSqliteOrFull(database))('422: what the handler does not take, and what no handler takes', async () => {
      const id = await start();
      for (const what of ['signals', 'updates']) {
        const name = what === 'signals' ? 'say' : 'change';
        const refused = async (input: unknown) =>
          ((await post(id, what, { name, input })).body as { detail?: { loc: unknown[] }[] }).detail?.[0]?.loc;
        expect(await refused({})).toEqual(['body', 'input', 'text']);
        expect(await refused({ text: 'x', more: 1 })).toEqual(['body', 'input', 'more']);
        expect(await refused({ b64payload: '%%%' })).toEqual(['body', 'input', 'b64payload']);
        expect(await refused({ b64payload: 'e30=', encoding_options: ['encrypted'] })).toEqual([
          'body',
          'input',
          'encoding_options',
        ]);
        const unknown = await post(id, what, { name: 'nobody' });
        expect(unknown).toMatchObject({ status: 422, body: { code: 'WF_1001', detail: [{ loc: ['body', 'name'] }] } });
        expect((await post(id, what, { name, color: 1 })).status).toBe(422);
      }
      await post(id, 'terminate');
    });

    it.runIf(isSqliteOrFull(database))('409 WF_1102 with the status: what ended takes none of them', async () => {
      const id = await start();
      await post(id, 'terminate');
      for (const [what, body] of [
        ['signals', { name: 'say', input: { text: 'x' } }],
        ['updates', { name: 'change', input: { text: 'x' } }],
        ['cancel', undefined],
        ['terminate', undefined],
      ] as const)
        expect(await post(id, what, body)).toMatchObject({
          status: 409,
          body: { code: 'WF_1102', status: 'TERMINATED' },
        });
    });
  });

  describe('endings', () => {
    it('cancel lets the code clean up, terminate does not ask', async () => {
      const cancelled = await start('tidy');
      expect(await post(cancelled, 'cancel')).toMatchObject({ status: 204, text: '' });
      await hasEnded(cancelled, 'COMPLETED');
      expect((await read(cancelled)).result).toBe('tidied');
      const terminated = await start('tidy');
      await post(terminated, 'terminate');
      expect(await read(terminated)).toMatchObject({ status: 'TERMINATED', result: null });
    });

    it('many are ended at once, each with its own outcome', async () => {
      const [a, b] = [await start('tidy'), await start('tidy')];
      const execution_ids = [a, 'missing', b, a];
      const { body } = await workflows.send('POST', '/executions/cancel', { execution_ids });
      expect(body).toEqual({
        results: {
          [a]: { status: 'success', error: null },
          missing: { status: 'failure', error: expect.stringContaining('missing') },
          [b]: { status: 'success', error: null },
        },
      });
      await hasEnded(a, 'COMPLETED');
      const again = await workflows.send('POST', '/executions/terminate', { execution_ids: [a, '__proto__'] });
      expect((again.body as { results: Body }).results[a]).toMatchObject({ status: 'failure' });
      for (const ids of [[], Array(101).fill('x')])
        expect((await workflows.send('POST', '/executions/cancel', { execution_ids: ids })).status).toBe(422);
    });

    it('a reset goes on from the end of an earlier turn in a new run', async () => {
      const id = await start();
      await post(id, 'signals', { name: 'say', input: { text: 'one' } });
      await expect
        .poll(async () => JSON.stringify((await workflows.send('GET', `/executions/${id}/history`)).body), WITHIN)
        .toContain('EVENT_TYPE_WORKFLOW_EXECUTION_SIGNALED');
      const first = await read(id);
      const wrong = await post(id, 'reset', { event_id: 1 });
      expect(wrong).toMatchObject({ status: 422, body: { code: 'WF_1001' } });
      const [event_id] = (wrong.body as { valid_reset_events: number[] }).valid_reset_events;
      expect(await post(id, 'reset', { event_id, reason: 'again', exclude_signals: true })).toMatchObject({
        status: 204,
      });
      const second = await read(id);
      expect(second).toMatchObject({ status: 'RUNNING' });
      expect(second.run_id).not.toBe(first.run_id);
      expect((await workflows.send('GET', `/runs/${first.run_id}`)).body).toMatchObject({ status: 'TERMINATED' });
      for (const said of ['two', 'three']) await post(id, 'signals', { name: 'say', input: { text: said } });
      await hasEnded(id, 'COMPLETED');
      expect((await read(id)).result).toEqual([{ text: 'two' }, { text: 'three' }]);
    });
  });

  describe('histories', () => {
    it.runIf(isSqliteOrFull(database))('read like those of Temporal, with payloads as bytes or decoded', async () => {
      const id = await start('listen', { hello: 'there' });
      const { run_id } = await read(id);
      const shown = (await workflows.send('GET', `/executions/${id}/history?decode_payloads=true`)).body as {
        events: Body[];
      };
      expect(shown.events[0]).toMatchObject({
        eventId: '1',
        eventTime: expect.stringMatching(/Z$/),
        eventType: 'EVENT_TYPE_WORKFLOW_EXECUTION_STARTED',
        workflowExecutionStartedEventAttributes: { input: { hello: 'there' } },
      });
      const raw = (await workflows.send('GET', `/runs/${run_id}/history`)).body as { events: Body[] };
      const started = raw.events[0]?.workflowExecutionStartedEventAttributes as
        | { input: { payloads: { data: string }[] } }
        | undefined;
      const data = started?.input.payloads[0]?.data ?? '';
      expect(JSON.parse(Buffer.from(data, 'base64').toString())).toEqual({ hello: 'there' });
      await post(id, 'terminate');
    });
  });

  describe('runs', () => {
    const runs = async (query: string) =>
      (await workflows.send('GET', `/runs?${query}`)).body as { executions: Body[]; next_page_token: string | null };

    it('are listed by what they are, and one is read by its id', async () => {
      const id = await start('listen', { customer: { id: 'c-17' } });
      const { run_id, user_id, start_time } = await read(id);
      const only = async (query: string) => (await runs(query)).executions.map(({ execution_id }) => execution_id);
      expect(await only(`search=${id}`)).toEqual([id]);
      expect(await only('search_key=customer.id:c-17&workflow_identifier=listen')).toEqual([id]);
      const keyed = (await workflows.send('GET', `/executions/${id}?include_search_keys=true`)).body;
      expect(keyed).toMatchObject({ search_keys: { 'customer.id': 'c-17' } });
      expect(await only(`root_execution_id=${id}&user_id=current&deployment_name=main&status=RUNNING`)).toEqual([id]);
      expect(await only(`root_execution_id=${id}&user_id=${user_id}&include_internal=false`)).toEqual([id]);
      expect(await only(`start_time_before=${encodeURIComponent(String(start_time))}`)).toContain(id);
      expect(await only('start_time_after=2999-01-01T00:00:00Z')).toEqual([]);
      expect(await only('end_time_before=2020-01-01T00:00:00')).toEqual([]);
      expect(await only(`root_execution_id=${id}&status=FAILED&status=COMPLETED`)).toEqual([]);
      await workflows.send('PUT', '/listen', { tags: ['audio'] });
      expect(await only(`root_execution_id=${id}&workflow_tags=audio`)).toEqual([id]);
      expect(await only(`root_execution_id=${id}&workflow_tags=video`)).toEqual([]);
      const [shown] = (await runs(`root_execution_id=${id}`)).executions;
      expect(Object.keys(shown ?? {})).not.toContain('result');
      expect((await workflows.send('GET', `/runs/${run_id}`)).body).toMatchObject({ execution_id: id, result: null });
      await post(id, 'terminate');
    });

    it('come in pages, newest first unless told otherwise', async () => {
      const all: unknown[] = [];
      for (let token: string | null = ''; token !== null; ) {
        const page = await runs(`page_size=3${token && `&next_page_token=${encodeURIComponent(token)}`}`);
        all.push(...page.executions.map(({ run_id }) => run_id));
        token = page.next_page_token;
      }
      const whole = (await runs('page_size=1000')).executions;
      expect(all).toEqual(whole.map(({ run_id }) => run_id));
      const starts = whole.map(({ start_time }) => String(start_time));
      expect(starts).toEqual([...starts].sort().reverse());
      const upwards = (await runs('order=asc&sort_by=start_time')).executions.map(({ start_time }) => start_time);
      expect(upwards).toEqual([...starts].reverse());
    });

    it.runIf(isSqliteOrFull(database))('422: parameters that mean nothing', async () => {
      for (const query of [
        'page_size=0',
        'search_key=x',
        'status=HAPPY',
        'start_time_after=soon',
        'next_page_token=x',
        'color=1',
      ])
        expect([query, (await workflows.send('GET', `/runs?${query}`)).status]).toEqual([query, 422]);
      expect((await workflows.send('GET', '/runs/no-uuid')).status).toBe(422);
    });
  });

  it('metrics count what there was', async () => {
    for (const n of [1, 2]) await workflows.send('POST', '/stumble/execute', { input: { n }, wait_for_result: true });
    const { body } = await workflows.send('GET', '/stumble/metrics');
    expect(body).toMatchObject({
      execution_count: { value: 2 },
      success_count: { value: 1 },
      error_count: { value: 1 },
      retry_rate: { value: 0.5 },
      latency_over_time: { value: [[expect.any(Number), expect.any(Number)]] },
    });
    const { average_latency_ms } = body as { average_latency_ms: { value: number } };
    expect(average_latency_ms.value).toBeGreaterThan(0);
    const none = await workflows.send(
      'GET',
      '/stumble/metrics?start_time=2020-01-01T00:00:00Z&end_time=2020-01-02T00:00:00Z',
    );
    expect(none.body).toMatchObject({ execution_count: { value: 0 }, latency_over_time: { value: [] } });
  });
});
