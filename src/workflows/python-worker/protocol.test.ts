import { createHash, randomUUID } from 'node:crypto';
import { Connection } from '@temporalio/client';
import { beforeAll, expect, it } from 'vitest';
import { type Answer, call } from '../../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase, sqliteForTests } from '../../../test/support/databases.ts';
import { type FakeTemporal, startFakeTemporal } from '../../../test/support/fake-temporal.ts';
import { addColleague, addStranger } from '../../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { loadSecret } from '../../kit/db/index.ts';
import { createPageTokens } from '../../kit/http/index.ts';
import { startWorkflows } from '../workflows-for-tests.ts';

const hashOf = (token: string) => createHash('sha256').update(token).digest('hex');
const input_schema = { type: 'object' };

onEachDatabase('what official workers may say', (database) => {
  let cluster: FakeTemporal;
  let server: TestServer;
  let stranger: string;
  let registrationId: string;
  let execution: string;
  let runId: string;

  const send = (method: string, path: string, body?: unknown, key?: string, headers?: Record<string, string>) =>
    call(server, path, { method, key, ...(body === undefined ? {} : { body }), ...(headers ? { headers } : {}) });
  const registerWorker = (key?: string) =>
    send(
      'POST',
      '/v1/workflows/register',
      {
        definitions: [{ name: 'shop', task_queue: 'main', input_schema, execution_timeout: 'PT1H', schedules: [] }],
        deployment_name: 'main',
        worker_name: 'python-1',
      },
      key,
    );
  const lastStart = () => cluster.asked.findLast(({ call: name }) => name === 'StartWorkflowExecution')?.request;
  const metadataOf = () => {
    const input = lastStart()?.input as { payloads: [{ metadata: Record<string, Uint8Array> }] };
    return Object.fromEntries(
      Object.entries(input.payloads[0].metadata).map(([name, value]) => [name, Buffer.from(value).toString()]),
    );
  };
  const registration = (change: object = {}) => ({
    temporal_workflow_id: execution,
    temporal_run_id: runId,
    workflow_name: 'shop',
    task_queue: 'main',
    execution_token_hash: hashOf(metadataOf().__internal_execution_token ?? ''),
    ...change,
  });
  const eventOf = (event_type: string, attributes: object, change: object = {}) => ({
    event_id: randomUUID(),
    event_timestamp: 1_800_000_000_000_000_000,
    root_workflow_exec_id: execution,
    parent_workflow_exec_id: null,
    chain_run_id: null,
    workflow_exec_id: execution,
    workflow_run_id: runId,
    workflow_name: 'shop',
    event_type,
    attributes,
    ...change,
  });
  const step = (task_id: string, activity_name = 'print') =>
    eventOf('ACTIVITY_TASK_STARTED', {
      task_id,
      activity_name,
      input: { type: 'json', value: [1], encoding_options: null },
    });
  const shown = async () => {
    const { body } = await send('GET', `/v1/workflows/events/list?workflow_exec_id=${execution}`);
    return (body as { events: { event_type: string; attributes: Record<string, unknown> }[] }).events;
  };
  const routeToken = async () => {
    const body = { workflow_exec_id: execution, workflow_run_id: runId };
    return ((await send('POST', '/v2/workflows/workers/event-route-token', body)).body as { route_token: string })
      .route_token;
  };
  const withToken = (token: string) => ({ 'x-workflow-route-token': token });

  beforeAll(async () => {
    cluster = await startFakeTemporal();
    const environment = { TRAMONTANE_TEMPORAL_ADDRESS: cluster.address, TRAMONTANE_TEMPORAL_GATEWAY_PORT: '0' };
    server = await startTestServer(database, { environment });
    stranger = await addStranger(server);
    const answer = await registerWorker();
    registrationId = (answer.body as { workflow_registration_ids: string[] }).workflow_registration_ids[0] ?? '';
    execution = randomUUID();
    runId = randomUUID();
    cluster.nameRuns({ [execution]: runId });
    await send('POST', '/v1/workflows/shop/execute', { execution_id: execution, extensions: { slot: 'x' } });
  });

  it.runIf(isSqliteOrFull(database))(
    'a start carries the input with its context and a token, in the namespace of the workspace',
    async () => {
      const { namespace } = (await send('GET', '/v1/workflows/workers/whoami')).body as { namespace: string };
      expect(lastStart()).toMatchObject({ namespace, workflowId: execution, taskQueue: { name: 'main' } });
      expect(metadataOf()).toEqual({
        encoding: 'json/wf_v1',
        namespace,
        execution_id: execution,
        root_workflow_exec_id: execution,
        encoding_options: '',
        __internal_execution_token: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-/),
        __internal_extensions: '{"slot":"x"}',
      });
    },
  );

  it.runIf(isSqliteOrFull(database))(
    'whoami leads to the gateway, which takes the key and no other namespace',
    async () => {
      const answer = (await send('GET', '/v1/workflows/workers/whoami')).body as Record<string, string>;
      const { scheduler_url = '', namespace = '' } = answer;
      expect(answer).toMatchObject({ tls: false, features: { engine: 'temporal', events_api_version: 'v2' } });
      const address = scheduler_url.replace('http://', '');
      expect(address).not.toBe(cluster.address);
      const connection = await Connection.connect({ address, tls: false, apiKey: server.key });
      const { workflowService } = connection;
      const describe = (workspace: string) =>
        workflowService.describeWorkflowExecution({
          namespace: workspace,
          execution: { workflowId: execution, runId },
        });
      expect((await describe(namespace)).workflowExecutionInfo?.status).toBeDefined();
      const { body } = await send('GET', '/v1/workflows/workers/whoami', undefined, stranger);
      await expect(describe((body as { namespace: string }).namespace)).rejects.toMatchObject({ code: 7 });
      await expect(connection.operatorService.listSearchAttributes({ namespace })).rejects.toMatchObject({ code: 12 });
      await connection.close();
    },
  );

  it('a heartbeat names registrations by their new name alone', async () => {
    const { body } = await send('GET', `/v1/workflows/registrations/${registrationId}`);
    const { workflow_id } = (body as { workflow_registration: { workflow_id: string } }).workflow_registration;
    const refs = [{ workflow_id, workflow_registration_id: registrationId }];
    const beat = { deployment_name: 'main', worker_name: 'python-1', workflow_registration_refs: refs };
    expect((await send('POST', '/v1/workflows/workers/heartbeat', beat)).body).toEqual({ all_active: true });
  });

  it('a run is registered as often as its first task is tried, with its own token only', async () => {
    const path = '/v1/workflows/executions/register';
    const wrong = await send('POST', path, registration({ execution_token_hash: hashOf('guessed') }));
    expect([wrong.status, wrong.body]).toMatchObject([403, { code: 'WF_1104' }]);
    for (const _ of [1, 2])
      expect(
        (await send('POST', path, registration({ search_key_metadata: { name: 'Ada', gone: null } }))).body,
      ).toEqual({
        execution_id: execution,
        created: false,
        metadata_status: 'ok',
      });
    const found = await send('GET', '/v1/workflows/runs?search_key=name:Ada');
    expect((found.body as { executions: unknown[] }).executions).toHaveLength(1);
  });

  it('what a worker began itself is made known by its registration; its token is then its own', async () => {
    const [child, childRun] = [randomUUID(), randomUUID()];
    const started = {
      eventId: 1,
      eventType: 1,
      workflowExecutionStartedEventAttributes: {
        workflowType: { name: 'shop' },
        taskQueue: { name: 'main' },
        parentWorkflowExecution: { workflowId: execution, runId },
        input: { payloads: [{ metadata: { encoding: Buffer.from('json/wf_v1') }, data: Buffer.from('{"a":1}') }] },
      },
    };
    cluster.add({ executionId: child, runId: childRun, first: started as never });
    const token = randomUUID();
    const body = registration({
      temporal_workflow_id: child,
      temporal_run_id: childRun,
      execution_token_hash: hashOf(token),
    });
    const path = '/v1/workflows/executions/register';
    expect((await send('POST', path, body)).body).toMatchObject({ created: true });
    expect((await send('POST', path, body)).body).toMatchObject({ created: false });
    expect((await send('POST', path, { ...body, execution_token_hash: hashOf(randomUUID()) })).status).toBe(403);
    expect((await send('GET', `/v1/workflows/executions/${child}`)).body).toMatchObject({
      parent_execution_id: execution,
      root_execution_id: execution,
    });
    const identity = await send('POST', '/v1/workflows/workers/executor-identity', { execution_token: token });
    expect(identity.body).toMatchObject({ user_id: expect.any(String), workspace_id: expect.any(String) });
  });

  it('events are told once for each task, and never those of the machinery', async () => {
    const token = await routeToken();
    const post = (...events: object[]) =>
      send('POST', '/v2/workflows/events/batch', { events }, undefined, withToken(token));
    expect((await post(step('1'), step('1'), step('2'), step('3', '__internal__emit'))).body).toEqual({
      status: 'success',
      events_received: 4,
    });
    const failure = { message: 'stuck' };
    const tried = (attempt: number) =>
      eventOf('ACTIVITY_TASK_RETRYING', { task_id: '1', activity_name: 'print', attempt, failure });
    await post(tried(1), tried(1), tried(2));
    expect((await send('POST', '/v1/workflows/events', { event: step('2') })).body).toEqual({ status: 'success' });
    const steps = (await shown()).filter(({ event_type }) => event_type.startsWith('ACTIVITY'));
    expect(steps.map(({ event_type, attributes: { task_id, attempt } }) => [event_type, task_id, attempt])).toEqual([
      ['ACTIVITY_TASK_STARTED', '1', undefined],
      ['ACTIVITY_TASK_STARTED', '2', undefined],
      ['ACTIVITY_TASK_RETRYING', '1', 1],
      ['ACTIVITY_TASK_RETRYING', '1', 2],
    ]);
    const { length } = (await shown()).filter(({ event_type }) => event_type === 'WORKFLOW_EXECUTION_STARTED');
    expect(length).toBe(1);
  });

  it('values that only the worker can read are shown as it sent them', async () => {
    const payload = { type: 'json', value: 'c2VjcmV0', encoding_options: ['encrypted'] };
    const attributes = { custom_task_id: 'c', custom_task_type: 'secret', payload };
    await send('POST', '/v1/workflows/events', { event: eventOf('CUSTOM_TASK_STARTED', attributes) });
    expect((await shown()).find(({ attributes: { custom_task_id } }) => custom_task_id === 'c')?.attributes).toEqual(
      attributes,
    );
  });

  it.runIf(isSqliteOrFull(database))('a route token opens one run for a while', async () => {
    const token = await routeToken();
    const event = step('9');
    const post = (headers: Record<string, string>, change: object = {}) =>
      send('POST', '/v2/workflows/events', { event: { ...event, ...change } }, undefined, headers);
    const codeOf = ({ status, body }: Answer) => [status, (body as { code?: string }).code];
    const invalid = [401, 'EVENT_ROUTE_TOKEN_INVALID'];
    expect(codeOf(await post({}))).toEqual(invalid);
    expect(codeOf(await post(withToken(`${token}x`)))).toEqual(invalid);
    expect(codeOf(await post(withToken(token), { workflow_run_id: randomUUID() }))).toEqual(invalid);
    const opened = await database.open();
    const tokens = createPageTokens(await loadSecret(opened, 'page-tokens', Date.now));
    await opened.close();
    const claims = tokens.read(['workflow-event-route'], token) as object;
    const old = tokens.write(['workflow-event-route'], { ...claims, until: Date.now() - 1 });
    expect(codeOf(await post(withToken(old)))).toEqual([401, 'EVENT_ROUTE_TOKEN_EXPIRED']);
    const ask = (body: object) => send('POST', '/v2/workflows/workers/event-route-token', body);
    const named = { workflow_exec_id: execution, workflow_run_id: runId };
    expect(codeOf(await ask({ ...named, workflow_run_id: randomUUID() }))).toEqual([
      404,
      'EVENT_ROUTE_SCOPE_NOT_FOUND',
    ]);
    expect(codeOf(await ask({ ...named, execution_token: randomUUID() }))).toEqual([
      403,
      'EVENT_ROUTE_TOKEN_BINDING_INVALID',
    ]);
  });

  it('search keys are set and removed; what does not fit is told', async () => {
    const path = `/v1/workflows/executions/search_keys/${execution}`;
    const many = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`k${index}`, 'v']));
    const long = { stage: 'x'.repeat(9000), ...many };
    const { body } = await send('PATCH', path, { temporal_run_id: runId, search_key_metadata: long });
    expect(body).toMatchObject({ metadata_status: 'partial', truncated_keys: ['stage'] });
    expect((body as { dropped_keys: string[] }).dropped_keys.length).toBeGreaterThan(4);
    const removed = await send('DELETE', path, { temporal_run_id: runId, keys: ['stage', 'nobody'] });
    expect(removed.body).toEqual({ deleted_keys: ['stage'] });
  });

  it('a graph is kept for a registration', async () => {
    const graph = { workflow_registration_id: registrationId, version: 3, graph_data: { nodes: [] }, error: null };
    expect((await send('POST', '/v1/workflows/shop/graphs', graph)).status).toBe(200);
    expect((await send('GET', `/v1/workflows/shop/graphs/${registrationId}`)).body).toEqual(graph);
  });

  it.runIf(isSqliteOrFull(database))(
    'other workspaces and keys get nowhere, and unknown properties are refused',
    async () => {
      const identity = { execution_token: metadataOf().__internal_execution_token };
      const calls: [string, string, object | undefined][] = [
        ['POST', '/v1/workflows/executions/register', registration()],
        ['PATCH', `/v1/workflows/executions/search_keys/${execution}`, { temporal_run_id: runId }],
        ['DELETE', `/v1/workflows/executions/search_keys/${execution}`, { temporal_run_id: runId }],
        ['POST', '/v2/workflows/workers/event-route-token', { workflow_exec_id: execution, workflow_run_id: runId }],
        ['POST', '/v1/workflows/events', { event: step('77') }],
        ['POST', '/v1/workflows/events/batch', { events: [step('77')] }],
        ['POST', '/v1/workflows/workers/executor-identity', identity],
        ['POST', '/v1/workflows/shop/graphs', { workflow_registration_id: registrationId, version: 3 }],
        ['GET', `/v1/workflows/shop/graphs/${registrationId}`, undefined],
      ];
      const billing = await addColleague(server, 'billing');
      const before = (await shown()).length;
      for (const [method, path, body] of calls) {
        expect([path, (await send(method, path, body, 'wrong')).status]).toEqual([path, 401]);
        expect([path, (await send(method, path, body, billing)).status]).toEqual([path, 403]);
        expect([path, (await send(method, path, body, stranger)).status]).toEqual([path, 404]);
        if (body) expect([path, (await send(method, path, { ...body, nobody: 1 })).status]).toEqual([path, 422]);
      }
      const odd = {
        ...step('78'),
        attributes: { task_id: '78', activity_name: 'print', input: { value: 1 }, extra: 1 },
      };
      expect((await send('POST', '/v1/workflows/events', { event: odd })).status).toBe(422);
      expect(await shown()).toHaveLength(before);
    },
  );
});

it('a server without Temporal says so to official workers', async () => {
  const { send } = await startWorkflows(sqliteForTests());
  const body = {
    temporal_workflow_id: 'x',
    temporal_run_id: randomUUID(),
    workflow_name: 'x',
    task_queue: 'x',
    execution_token_hash: hashOf('x'),
  };
  const answer = await send('POST', '/executions/register', body);
  expect([answer.status, answer.body]).toMatchObject([409, { code: 'WF_1116' }]);
});
