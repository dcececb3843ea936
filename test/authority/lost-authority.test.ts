import type { ServerResponse } from 'node:http';
import { beforeAll, expect, it } from 'vitest';
import { csrfTokenOf, sessionCookie } from '../../src/tenants/index.ts';
import { definitionOf, register } from '../../src/workflows/workflows-for-tests.ts';
import { call } from '../support/call.ts';
import { onSqliteFirst } from '../support/databases.ts';
import { type FakeMcp, startFakeMcp } from '../support/mcp-server.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { completion, json, type ScriptedUpstream, startUpstream, type UpstreamCall } from '../support/upstream.ts';
import { within } from '../support/within-a-second.ts';
import { addPerson, type Loss, losses, type Operator, openOperator, type Person } from './person.ts';

const ENDED_WITHIN_MS = 2000;
/** More than a batch can do in the time. */
const LINES = 800;
const PATIENTLY = { timeout: 20_000, interval: 10 };
const causes = Object.keys(losses) as Loss[];
type Body = Record<string, unknown>;

onSqliteFirst('what lost its authority', (database) => {
  let upstream: ScriptedUpstream;
  let connector: FakeMcp;
  let server: TestServer;
  /** Another process on the same database, which changes who may do what. */
  let operator: Operator;
  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.answerWith((asked, response) => {
      const [{ content }] = asked.body.messages as [{ content: string }];
      sent.set(content, sentFor(content) + 1);
      answer(content, asked, response);
    });
    connector = await startFakeMcp();
    const capabilities = { completion_chat: true, function_calling: true };
    server = await startTestServer(database, {
      file: {
        models: [{ id: 'small', engine: 'upstream', url: upstream.url, upstream_model: 'm', capabilities }],
        connectors: [{ id: 'wiki', url: connector.url }],
      },
    });
    operator = await openOperator(database);
  });

  /** Requests by their first message. */
  const sent = new Map<string, number>();
  const sentFor = (content: string) => sent.get(content) ?? 0;

  /** A person for each way to lose authority; `lose` takes it from all of them. */
  async function addPeople() {
    const people = await Promise.all(
      causes.map(async (cause) => ({ cause, ...losses[cause], person: await addPerson(operator) })),
    );
    const loseAll = () => Promise.all(people.map(({ take, person }) => take(operator, person)));
    return { people, loseAll };
  }

  /** Nothing more is sent upstream while others are served. */
  async function expectQuiet(people: { person: Person }[]): Promise<void> {
    const sentNow = () =>
      people.map(({ person }) => [...sent].filter(([content]) => content.includes(person.userId)).map(([, n]) => n));
    const before = sentNow();
    const used = connector.calls.length;
    for (let n = 0; n < 3; n++) await call(server, '/v1/chat/completions', { body: chatOf(`quick ${n}`) });
    expect(sentNow()).toEqual(before);
    expect(connector.calls.length).toBe(used);
  }

  it('ends as a batch that runs, that waits for a model server, and that waits for its turn', async () => {
    const { people, loseAll } = await addPeople();
    const db = server.platform.database.db;
    const jobOf = (id: string) =>
      db.selectFrom('batch_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    const jobs: { id: string; reason: string | RegExp }[] = [];
    // A key runs two jobs at a time, so the third of the first person waits for its turn.
    for (const { person, reason } of [...people, ...people.slice(0, 1), ...people.slice(0, 1)]) {
      const requests = Array.from({ length: LINES }, (_, n) => ({
        custom_id: `${n}`,
        body: chatOf(`${n === 3 ? 'hang' : 'quick'} ${person.userId}`),
      }));
      const body = { endpoint: '/v1/chat/completions', model: 'small', requests };
      const made = await call(server, '/v1/batch/jobs', { key: person.key, body });
      jobs.push({ id: (made.body as { id: string }).id, reason });
    }
    await expect
      .poll(() => people.filter(({ person }) => sentFor(`quick ${person.userId}`) > 10).length, PATIENTLY)
      .toBe(people.length);
    expect((await jobOf(jobs.at(-1)?.id ?? '')).status).toBe('QUEUED');
    await loseAll();
    for (const { id, reason } of jobs) {
      await within(ENDED_WITHIN_MS, async () => (await jobOf(id)).status === 'FAILED');
      const { errors, succeeded_requests, output_file } = await jobOf(id);
      expect(errors[0]?.message).toMatch(reason);
      expect(succeeded_requests).toBeLessThan(LINES);
      // What was done before stays.
      expect(output_file === null).toBe(succeeded_requests === 0);
    }
    await expectQuiet(people);
  });

  it('ends as a run in the background that calls a model and a connector again and again', async () => {
    const { people, loseAll } = await addPeople();
    const db = server.platform.database.db;
    for (const { person } of people) {
      const body = {
        model: 'small',
        inputs: `loop ${person.userId}`,
        tools: [{ type: 'connector', connector_id: 'wiki' }],
        stream: true,
      };
      const response = await post(server, person.key, '/v1/conversations', body);
      await response.body?.cancel();
    }
    for (const { person } of people)
      await expect.poll(() => sentFor(`loop ${person.userId}`), PATIENTLY).toBeGreaterThan(2);
    await loseAll();
    for (const { person, reason } of people) {
      const runOf = () =>
        db.selectFrom('conversation_runs').selectAll().where('user_id', '=', person.userId).executeTakeFirstOrThrow();
      await within(ENDED_WITHIN_MS, async () => (await runOf()).state === 'failed');
      expect((await runOf()).outcome?.error?.message).toMatch(reason);
    }
    await expectQuiet(people);
  });

  it('is not used as an agent that was deleted while its run went on', async () => {
    const { key, userId } = await addPerson(operator);
    const tools = [{ type: 'connector', connector_id: 'wiki' }];
    const made = await call(server, '/v1/agents', { key, body: { model: 'small', name: 'looper', tools } });
    const { id } = made.body as { id: string };
    const answered = call(server, '/v1/conversations', { key, body: { agent_id: id, inputs: `loop ${userId}` } });
    await expect.poll(() => sentFor(`loop ${userId}`), PATIENTLY).toBeGreaterThan(2);
    expect((await call(server, `/v1/agents/${id}`, { key, method: 'DELETE' })).status).toBe(204);
    expect(await answered).toMatchObject({ status: 404, body: { code: 'agent_not_found' } });
  });

  it('starts nothing as a schedule, which is paused with the reason until somebody else resumes it', async () => {
    const { people, loseAll } = await addPeople();
    for (const { person } of people) {
      await register({ url: server.url, key: person.key }, [definitionOf('count')]);
      const schedule = { input: {}, intervals: [{ every: 'PT1S' }] };
      const body = { schedule, workflow_identifier: 'count', schedule_id: person.userId };
      expect((await call(server, '/v1/workflows/schedules', { key: person.key, body })).status).toBe(201);
    }
    await loseAll();
    const { tenants, database: opened } = operator.platform;
    const scheduleOf = (id: string) =>
      opened.db.selectFrom('workflow_schedules').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    for (const { person, reason } of people) {
      await within(ENDED_WITHIN_MS, async () => (await scheduleOf(person.userId)).paused);
      expect(`${(await scheduleOf(person.userId)).note}`.replace('Paused', 'This ended')).toMatch(reason);
    }
    const { email, workspaceId: workspace, userId: id } = people.at(0)?.person ?? (await addPerson(operator));
    const { value: key } = await tenants.keys.create({ kind: 'standard', workspace, user: email });
    const path = `/v1/workflows/schedules/${id}`;
    expect((await call(server, `${path}/resume`, { key, body: {} })).status).toBeLessThan(300);
    const shown = async () => (await call(server, path, { key })).body as Body & { recent_executions: Body[] };
    await expect.poll(async () => (await shown()).recent_executions.length, PATIENTLY).toBeGreaterThan(0);
    expect(await shown()).toMatchObject({ paused: false, note: null });
  });

  it('ends as a stream that is followed, as a long poll and as a request that waits', async () => {
    const { people, loseAll } = await addPeople();
    const open = await Promise.all(people.map(({ cause, person, reason }) => openAll(cause, person, reason)));
    await loseAll();
    const since = performance.now();
    await Promise.all(open.flat().map((check) => check()));
    expect(performance.now() - since).toBeLessThan(ENDED_WITHIN_MS);
    await expectQuiet(people);
  });

  /** Opens what a person may follow, and returns the checks of their ends. */
  async function openAll(
    cause: Loss,
    { key, userId }: Person,
    reason: string | RegExp,
  ): Promise<(() => Promise<void>)[]> {
    const own = { url: server.url, key };
    const lost = cause === 'the role of its user changes' ? 'permission_lost' : 'access_lost';
    const status = lost === 'permission_lost' ? 403 : 401;
    await register(own, [definitionOf('count')]);
    const execute = (body: Body = {}) =>
      call(server, '/v1/workflows/count/execute', { key, body: { input: {}, ...body } });
    const { execution_id: id } = (await execute()).body as { execution_id: string };
    const conversation = await post(server, key, '/v1/conversations', {
      model: 'small',
      inputs: `hang ${userId}`,
      stream: true,
    });
    const { reader, first } = await readFirst(conversation);
    const [, conversationId] = /"conversation_id":"(\w+)"/.exec(first) ?? [];
    const streams: [name: string, response: Response, shows: RegExp][] = [];
    const follow = async (path: string, shows: RegExp) => {
      const headers = { authorization: `Bearer ${key}`, accept: 'application/json, text/event-stream' };
      const response = await fetch(`${server.url}${path}`, { headers });
      expect(response.status, path).toBe(200);
      streams.push([path, response, shows]);
    };
    const workflowError = new RegExp(
      `event: error\\ndata: {"error":"${lost}","reason":"This ended because [^"]+"}\\n\\n$`,
    );
    await follow(`/v1/workflows/executions/${id}/stream`, workflowError);
    await follow(`/v1/workflows/events/stream?root_workflow_exec_id=${id}`, workflowError);
    await follow(`/v1/workflows/executions/${id}/logs/stream`, workflowError);
    await follow('/v1/workflows/deployments/main/logs/stream', workflowError);
    await follow(
      `/v1/conversations/${conversationId}/events`,
      /event: conversation.response.error\ndata: {[^\n]*"code":40[13]}/,
    );
    // Every role may use the tool server.
    if (lost === 'access_lost') await follow('/mcp', /event: error\ndata: {[^\n]*"code":"access_lost"}/);
    const chat = await post(server, key, '/v1/chat/completions', { ...chatOf(`endless ${userId}`), stream: true });
    streams.push(['chat', chat, new RegExp(`data: {"object":"error",[^\\n]*"code":"${lost}"}\\n\\n$`)]);
    const worker = { deployment_name: 'main', worker_name: 'worker-1', workflows: ['count'], steps: [] };
    const poll = { ...worker, max_workflow_tasks: 0, max_step_tasks: 1, wait_ms: 30_000 };
    const waiting: [name: string, answer: Promise<{ status: number; text: string }>][] = [
      ['poll', call(server, '/v1/workflows/workers/poll', { key, body: poll })],
      ['execute', execute({ wait_for_result: true })],
      ['chat', call(server, '/v1/chat/completions', { key, body: chatOf(`hang ${userId}`) })],
      ['conversation', call(server, '/v1/conversations', { key, body: { model: 'small', inputs: `hang ${userId}` } })],
    ];
    await expect.poll(() => sentFor(`hang ${userId}`), PATIENTLY).toBe(3);
    return [
      ...streams.map(
        ([name, response, shows]) =>
          async () =>
            expect(await response.text(), name).toMatch(shows),
      ),
      ...waiting.map(([name, answer]) => async () => {
        const { status: given, text } = await answer;
        expect({ name, status: given, text }).toMatchObject({ name, status });
      }),
      async () => {
        let text = first;
        for (let part = await reader.read(); !part.done; part = await reader.read())
          text += new TextDecoder().decode(part.value);
        const { message } = JSON.parse(text.trimEnd().split('data: ').at(-1) ?? '');
        expect(message).toMatch(reason);
      },
    ];
  }

  it('ends as a stream of a browser that signs out; its batch goes on until its user leaves', async () => {
    const { tenants, database: opened } = operator.platform;
    const { userId, workspaceId } = await addPerson(operator);
    const client = { address: '127.0.0.1', userAgent: 'test' };
    const { token } = await opened.transaction((tx) => tenants.sessions.open(tx, { id: userId, email: '' }, client));
    const [cookie = ''] = sessionCookie(token, { isSecure: false, maxAgeSeconds: 60 }).split(';');
    const headers = { cookie, 'x-csrf-token': csrfTokenOf(token), 'x-tramontane-workspace': workspaceId };
    const requests = Array.from({ length: LINES }, () => ({ body: chatOf(`quick ${userId}`) }));
    const body = { endpoint: '/v1/chat/completions', model: 'small', requests };
    const made = await call(server, '/v1/batch/jobs', { key: '', headers, body });
    const { id } = made.body as { id: string };
    const chat = { ...chatOf(`endless ${userId}`), stream: true };
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(chat),
    });
    expect(response.status).toBe(200);
    await opened.transaction((tx) => tenants.sessions.endOfUser(tx, userId));
    expect(await response.text()).toContain('This ended because its session has ended.');
    const before = sentFor(`quick ${userId}`);
    await expect.poll(() => sentFor(`quick ${userId}`), PATIENTLY).toBeGreaterThan(before);
    await tenants.workspaces.removeMembers(operator.caller, workspaceId, [userId]);
    const jobOf = () => opened.db.selectFrom('batch_jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    await within(ENDED_WITHIN_MS, async () => (await jobOf()).status === 'FAILED');
    const message = 'This ended because its user is no longer a member of the workspace.';
    expect((await jobOf()).errors[0]).toEqual({ message, count: 1 });
  });

  it('ends when its key expires, without any change of keys', async () => {
    const person = await addPerson(operator, 1000);
    const body = { ...chatOf(`endless ${person.userId}`), stream: true };
    const response = await post(server, person.key, '/v1/chat/completions', body);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('This ended because its API key has expired.');
  });
});

const chatOf = (content: string) => ({ model: 'small', messages: [{ role: 'user', content }] });

function post({ url }: TestServer, key: string, path: string, body: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function readFirst(response: Response) {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const { value } = await reader.read();
  return { reader, first: new TextDecoder().decode(value) };
}

/** `hang` never answers, `endless` never stops, `loop` calls a tool every time, anything else is answered at once. */
function answer(content: string, { body }: UpstreamCall, response: ServerResponse): void {
  const send = (delta: unknown, finish_reason: string | null = null) =>
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`);
  if (content.startsWith('hang')) return;
  if (!body.stream) return void setTimeout(() => json(response, 200, completion('ok')), 15);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (content.startsWith('endless')) {
    const timer = setInterval(() => send({ content: 'more ' }), 20);
    response.on('close', () => clearInterval(timer));
    return;
  }
  setTimeout(() => {
    const call = { index: 0, id: 'abcdefgh1', type: 'function', function: { name: 'echo', arguments: '{"text":"x"}' } };
    send({ tool_calls: [call] });
    send({}, 'tool_calls');
    response.end('data: [DONE]\n\n');
  }, 60);
}
