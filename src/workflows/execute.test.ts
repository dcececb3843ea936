import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { doublingByValue, nestedValue } from '../../test/support/expensive-schemas.ts';
import { definitionOf, register, startWorker, startWorkflows, WITHIN, type Workflows } from './workflows-for-tests.ts';

type Body = Record<string, unknown>;

const greeting = {
  input_schema: {
    type: 'object',
    properties: { name: { type: 'string' } },
    required: ['name'],
    additionalProperties: false,
  },
};

onSqliteFirst('executing', (database) => {
  let workflows: Workflows;
  let registrations: string[];
  const execute = (body: Body, headers: Record<string, string> = {}, path = 'greet') =>
    call(workflows.server, `/v1/workflows/${path}/execute`, { body, headers });

  beforeAll(async () => {
    workflows = await startWorkflows(database);
    await startWorker(
      workflows.server,
      {
        workflows: {
          greet: async (ctx, input) => ctx.step('say', [(input as { name: string }).name]),
          costly: async () => null,
          wait: async (ctx) => ctx.signal('go'),
          fail: async () => {
            throw new Error('The printer is on fire');
          },
        },
        steps: { say: ([name]) => `Hello, ${name}` },
      },
      {
        greet: greeting,
        costly: { input_schema: doublingByValue },
        wait: { signals: [{ name: 'go', input_schema: { type: 'object' } }] },
      },
    );
    const { body } = await workflows.send('GET', '/registrations?workflow_search=greet');
    registrations = (body as { workflow_registrations: { id: string }[] }).workflow_registrations.map(({ id }) => id);
  });
  const end = (id: string) => workflows.send('POST', `/executions/${id}/terminate`);

  describe('200', () => {
    it('answers the execution as it begins [WORKFLOWS-EXECUTE] [WORKFLOWS-EXECUTION-FIELDS] [WORKFLOWS-EXECUTION-RUNNING] [WORKFLOWS-EXECUTION-START-TIME]', async () => {
      const { status, body } = await execute({}, {}, 'wait');
      expect(status).toBe(200);
      const { execution_id: id } = body as { execution_id: string };
      expect(body).toMatchObject({
        execution_id: expect.any(String),
        root_execution_id: id,
        parent_execution_id: null,
        run_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        workflow_name: 'wait',
        workflow_id: expect.any(String),
        deployment_name: 'main',
        user_id: expect.any(String),
        status: 'RUNNING',
        start_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        end_time: null,
        total_duration_ms: null,
        result: null,
      });
      expect((await workflows.send('GET', `/executions/${id}`)).body).toEqual(body);
      expect((await end(id)).status).toBe(204);
      expect((await workflows.send('GET', `/executions/${id}`)).body).toMatchObject({
        status: 'TERMINATED',
        end_time: expect.any(String),
        total_duration_ms: expect.any(Number),
      });
    });

    it('waits for the result if asked to [WORKFLOWS-WAIT]', async () => {
      const { status, body } = await execute({ input: { name: 'Ada' }, wait_for_result: true, timeout_seconds: 30 });
      expect({ status, body }).toEqual({
        status: 200,
        body: { workflow_name: 'greet', execution_id: expect.any(String), result: 'Hello, Ada' },
      });
      const { execution_id } = body as { execution_id: string };
      expect((await workflows.send('GET', `/executions/${execution_id}`)).body).toMatchObject({
        status: 'COMPLETED',
        result: 'Hello, Ada',
      });
    });

    it('starts one registration, by its id [WORKFLOWS-REGISTRATION-EXECUTE]', async () => {
      const body = { input: { name: 'Bo' }, wait_for_result: true, deployment_name: 'main', task_queue: 'main' };
      const answer = await execute(body, {}, `registrations/${registrations[0]}`);
      expect(answer.body).toMatchObject({ workflow_name: 'greet', result: 'Hello, Bo' });
    });

    it('takes an empty object where the workflow takes one [WORKFLOWS-REGISTRATION-EXECUTE-EMPTY]', async () => {
      const { body } = await workflows.send('GET', '/registrations?workflow_search=wait');
      const [{ id = '' } = {}] = (body as { workflow_registrations: { id?: string }[] }).workflow_registrations;
      const answer = await execute({}, {}, `registrations/${id}`);
      expect(answer).toMatchObject({ status: 200, body: { status: 'RUNNING', workflow_name: 'wait' } });
      await end((answer.body as { execution_id: string }).execution_id);
    });

    it('repeats its first answer under the same Idempotency-Key, whatever became of the execution', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const body = { execution_id: randomUUID() };
      const first = await execute(body, headers, 'wait');
      const [second, third] = await Promise.all([execute(body, headers, 'wait'), execute(body, headers, 'wait')]);
      expect(second).toMatchObject({ status: 200, text: first.text });
      expect(third.text).toBe(first.text);
      expect(second.headers.get('idempotency-replayed')).toBe('true');
      await end(body.execution_id);
      expect((await execute(body, headers, 'wait')).text).toBe(first.text);
      const other = await execute({ ...body, wait_for_result: true }, headers, 'wait');
      expect(other).toMatchObject({
        status: 422,
        body: { code: 'WF_1001', detail: [{ type: 'idempotency_key_reused' }] },
      });
    });

    it('starts one execution for twenty requests at once under one key', async () => {
      const headers = { 'idempotency-key': randomUUID() };
      const body = { input: { name: 'Once' }, wait_for_result: true };
      const answers = await Promise.all(Array.from({ length: 20 }, () => execute(body, headers)));
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    });

    it('gives an id again once its execution has ended', async () => {
      const body = { execution_id: randomUUID(), input: { name: 'Ada' }, wait_for_result: true };
      expect((await execute(body)).status).toBe(200);
      expect((await execute({ ...body, input: { name: 'Bo' } })).body).toMatchObject({ result: 'Hello, Bo' });
    });
  });

  describe('refusals', () => {
    const refused = async (status: number, code: string, answer: Promise<{ status: number; body: unknown }>) => {
      const { status: actual, body } = await answer;
      expect({ status: actual, code: (body as Body).code }).toEqual({ status, code });
      return (body as { detail: string }).detail;
    };

    it('404 WF_1100: what has no registration [WORKFLOWS-EXECUTE-UNREGISTERED]', async () => {
      expect(await refused(404, 'WF_1100', execute({}, {}, 'nothing'))).toContain("'nothing'");
      expect(await refused(404, 'WF_1100', execute({}, {}, `registrations/${randomUUID()}`))).toContain('registration');
    });

    it('404: nobody there to work [WORKFLOWS-EXECUTE-NO-WORKER]', async () => {
      await register(workflows.server, [definitionOf('lonely')], { deployment_name: 'gone' });
      await workflows.server.platform.database.db
        .updateTable('workflow_workers')
        .set({ seen_ms: 0 })
        .where('deployment_id', 'in', (eb) =>
          eb.selectFrom('workflow_deployments').select('id').where('name', '=', 'gone'),
        )
        .execute();
      expect(await refused(404, 'WF_1111', execute({}, {}, 'lonely'))).toContain('No active worker');
      expect(await refused(404, 'WF_1111', execute({ input: { name: 'x' }, deployment_name: 'gone' }))).toContain(
        "'gone'",
      );
    });

    it('409: two deployments serve it and none was named [WORKFLOWS-EXECUTE-AMBIGUOUS]', async () => {
      for (const deployment_name of ['left', 'right'])
        await register(workflows.server, [definitionOf('both')], { deployment_name });
      expect(await refused(409, 'WF_1112', execute({}, {}, 'both'))).toContain('left, right');
      const chosen = (await execute({ deployment_name: 'left' }, {}, 'both')).body as Body;
      expect(chosen).toMatchObject({ status: 'RUNNING', deployment_name: 'left' });
      await end(String(chosen.execution_id));
    });

    it('409 WF_1110: an archived workflow; what runs goes on [WORKFLOWS-EXECUTE-ARCHIVED]', async () => {
      const running = ((await execute({}, {}, 'wait')).body as { execution_id: string }).execution_id;
      await workflows.send('PUT', '/wait/archive');
      expect(await refused(409, 'WF_1110', execute({}, {}, 'wait'))).toContain('archived');
      expect((await workflows.send('POST', `/executions/${running}/signals`, { name: 'go' })).status).toBe(202);
      await workflows.send('PUT', '/wait/unarchive');
      await expect
        .poll(async () => (await workflows.send('GET', `/executions/${running}`)).body, WITHIN)
        .toMatchObject({ status: 'COMPLETED' });
    });

    it('409 WF_1101: an id that is running [WORKFLOWS-EXECUTE-DUPLICATE]', async () => {
      const body = { execution_id: randomUUID() };
      await execute(body, {}, 'wait');
      expect(await refused(409, 'WF_1101', execute(body, {}, 'wait'))).toContain(body.execution_id);
      await end(body.execution_id);
    });

    it('504 WF_1103: the wait ends, the execution goes on, and the answer names it [WORKFLOWS-WAIT-TIMEOUT]', async () => {
      const body = { execution_id: randomUUID(), wait_for_result: true, timeout_seconds: 0.2 };
      const answer = await execute(body, {}, 'wait');
      const { execution_id } = body;
      expect(answer).toMatchObject({ status: 504, body: { code: 'WF_1103', execution_id, status: 'RUNNING' } });
      expect((answer.body as { detail: string }).detail).toContain(execution_id);
      expect(answer.headers.get('tramontane-execution-id')).toBe(execution_id);
      expect((await workflows.send('GET', `/executions/${body.execution_id}`)).body).toMatchObject({
        status: 'RUNNING',
      });
      await end(body.execution_id);
    });

    it('409: a workflow that failed has no result to wait for', async () => {
      const answer = await execute({ wait_for_result: true }, {}, 'fail');
      expect(answer).toMatchObject({ status: 409, body: { code: 'WF_1113', status: 'FAILED' } });
      expect(answer.text).toContain('The printer is on fire');
    });

    it('422: an input that does not fit, in the words of the schema', async () => {
      const locOf = async (input: unknown) => {
        const { status, body } = await execute({ input });
        expect(status).toBe(422);
        return (body as { detail: { type: string; loc: unknown[] }[] }).detail.map(({ type, loc }) => [type, ...loc]);
      };
      expect(await locOf({})).toEqual([['missing', 'body', 'input', 'name']]);
      expect(await locOf({ name: 1 })).toEqual([['string_type', 'body', 'input', 'name']]);
      expect(await locOf({ name: 'x', more: 1 })).toEqual([['extra_forbidden', 'body', 'input', 'more']]);
      expect(await locOf('text')).toEqual([['dict_type', 'body', 'input']]);
      expect(await locOf({ name: 'x'.repeat(2_200_000) })).toEqual([['payload_too_large', 'body', 'input']]);
    });

    it('422: an input that takes too much work to check', async () => {
      const { status, body } = await execute({ input: nestedValue(50) }, {}, 'costly');
      expect(status).toBe(422);
      expect(body).toMatchObject({ detail: [{ type: 'schema_too_expensive', loc: ['body', 'input'] }] });
    });

    it('422: unknown properties, an id that is too long, a wait without measure', async () => {
      const input = { name: 'x' };
      for (const body of [
        { color: 1 },
        { execution_id: 'x'.repeat(257) },
        { execution_id: '' },
        { timeout_seconds: 0 },
      ])
        expect((await execute({ input, ...body } as Body)).status).toBe(422);
      expect((await execute({}, {}, 'registrations/no-uuid')).status).toBe(422);
    });
  });
});
