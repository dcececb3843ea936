import { type Answer, ask, formOf, type Question } from '../serve/ask.ts';
import type { Canaries } from './canaries.ts';
import { MODES, type Mode, type Stage } from './stage.ts';

/** Sends real traffic to every room with a canary in every input, among servers that echo it. */
export async function drive({ server, callNext, answerTools }: Stage, canaries: Canaries): Promise<Answer[]> {
  const { url, key } = server;
  const say = (name: string) => canaries.make('content', name);
  const passing = (name: string) => canaries.make('key', name);
  const answers: Answer[] = [];
  async function tell(question: Question): Promise<Answer> {
    const answer = await ask(url, question).catch(({ message }: Error) => ({ status: 0, headers: {}, text: message }));
    answers.push(answer);
    return answer;
  }
  async function send(question: Question, name: string): Promise<Answer> {
    const headers = {
      authorization: `Bearer ${key}`,
      'x-custom-secret': passing(`a header of ${name}`),
      ...question.headers,
    };
    return tell({ ...question, headers });
  }
  const post = (path: string, body: unknown, name: string, headers: Record<string, string> = {}) =>
    send({ method: 'POST', path, body, headers }, name);
  const idOf = ({ text }: Answer, field = 'id') => String((JSON.parse(text) as Record<string, unknown>)[field] ?? '');

  await wrongKeys();
  await badRequests();
  for (const mode of MODES) await inference(mode);
  for (const mode of MODES) await tools(mode);
  await rooms();
  await administration();
  await signIn();
  await spans();
  return answers;

  async function wrongKeys(): Promise<void> {
    await send(
      { method: 'GET', path: '/v1/models', headers: { authorization: `Bearer ${passing('a wrong key')}` } },
      'a wrong key',
    );
    const made = `tmk_${passing('a key of our shape').replaceAll('-', '')}`;
    await send({ method: 'GET', path: '/v1/models', headers: { authorization: `Bearer ${made}` } }, 'a wrong key');
    await send(
      { method: 'GET', path: '/v1/admin/users', headers: { 'x-api-key': passing('x-api-key') } },
      'a wrong key',
    );
    const cookie = `tramontane_session=${passing('a cookie')}; other=${passing('another cookie')}`;
    await tell({ method: 'GET', path: '/console/api/session', headers: { cookie } });
    await send(
      { method: 'GET', path: `/v1/nowhere/${passing('a path')}?token=${passing('a query')}` },
      'an unknown path',
    );
    await send({ method: 'GET', path: `/v1/models?token=${passing('a query of a known path')}` }, 'a bad query');
    await send(
      { method: 'GET', path: '/healthz', headers: { host: 'x', traceparent: passing('a trace') } },
      'a bad trace',
    );
  }

  async function badRequests(): Promise<void> {
    const path = '/v1/chat/completions';
    const type = { 'content-type': 'application/json' };
    await send(
      { method: 'POST', path, body: `{"model": "small", "x": "${say('broken JSON')}`, headers: type },
      'broken JSON',
    );
    await post(path, { model: 'chat-fine', password: say('an unknown property') }, 'an unknown property');
    await post(path, { model: 'chat-fine', messages: say('a wrong type') }, 'a wrong type');
    await send({ method: 'POST', path, body: say('no JSON at all'), headers: type }, 'no JSON');
    await post('/mcp', { jsonrpc: '2.0', id: 1, method: say('an unknown method') }, 'an unknown method');
    await post(
      '/mcp',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_skill', arguments: { skill: say('an unknown skill') } },
      },
      'a tool',
    );
  }

  async function inference(mode: Mode): Promise<void> {
    const messages = (name: string) => [{ role: 'user', content: say(`${name}, ${mode}`) }];
    const chat = (use: string, body: Record<string, unknown>, name: string) =>
      post('/v1/chat/completions', { model: `${use}-${mode}`, messages: messages(name), ...body }, name);
    await chat('chat', {}, 'a prompt');
    await chat('stream', { stream: true }, 'a streamed prompt');
    await post(
      '/v1/fim/completions',
      { model: `fim-${mode}`, prompt: say(`a beginning, ${mode}`), suffix: say(`an end, ${mode}`) },
      'FIM',
    );
    await post('/v1/embeddings', { model: `embed-${mode}`, input: say(`a text to embed, ${mode}`) }, 'embeddings');
    await post(
      '/v1/moderations',
      { model: `moderate-${mode}`, input: say(`a text to moderate, ${mode}`) },
      'moderation',
    );
    await post(
      '/v1/audio/speech',
      { model: `speak-${mode}`, voice_id: 'a', input: say(`a text to speak, ${mode}`) },
      'speech',
    );
    const picture = `data:image/png;base64,${Buffer.from(say(`a picture, ${mode}`)).toString('base64')}`;
    await post('/v1/ocr', { model: `read-${mode}`, document: { type: 'image_url', image_url: picture } }, 'OCR');
    const guardrails = [{ moderation_llm_v1: { model_name: `guard-${mode}` }, block_on_error: mode !== 'fine' }];
    await chat('chat', { guardrails }, 'a guarded prompt');
    const model = `converse-${mode}`;
    const started = await post(
      '/v1/conversations',
      { model, inputs: say(`a conversation, ${mode}`) },
      'a conversation',
    );
    await post(
      '/v1/conversations',
      { model, inputs: say(`a streamed conversation, ${mode}`), stream: true },
      'a conversation',
    );
    if (started.status === 200) {
      const path = `/v1/conversations/${idOf(started, 'conversation_id')}`;
      await post(path, { inputs: say(`an append, ${mode}`), stream: true }, 'an append');
    }
    const given = JSON.stringify({ secret: say(`an argument, ${mode}`) });
    const call = { id: 'abcdefghi', function: { name: 'f', arguments: given } };
    const history = [
      ...messages('a question with tools'),
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'abcdefghi', content: say(`a result, ${mode}`) },
    ];
    await chat(
      'tools',
      { tools: [{ type: 'function', function: { name: 'f', parameters: {} } }], messages: history },
      'tools',
    );
    await post(
      '/v1/chat/completions',
      { model: 'address', messages: messages('a prompt to a secret address') },
      'chat',
    );
    await post('/v1/chat/completions', { model: 'weights', messages: messages('a prompt to missing weights') }, 'chat');
  }

  /** Tools whose servers fail and repeat their input in the error. */
  async function tools(mode: Mode): Promise<void> {
    answerTools(mode);
    const value = canaries.make('content', `a client's credentials for a connector, ${mode}`);
    const connector = { type: 'connector', connector_id: `wiki-${mode}` };
    const asked: [tool: Record<string, unknown>, name: string][] = [
      [{ type: 'web_search' }, 'web_search'],
      [{ type: 'image_generation' }, 'image_generation'],
      [connector, 'echo'],
      [{ ...connector, authorization: { type: 'oauth2-token', value } }, 'echo'],
    ];
    for (const [tool, name] of asked) {
      callNext(name);
      await post(
        '/v1/conversations',
        { model: 'brain', inputs: say(`a question to ${name}, ${mode}`), tools: [tool] },
        name,
      );
    }
  }

  async function rooms(): Promise<void> {
    const form = formOf(say('the content of a file'), { purpose: 'batch' }, 'a.jsonl');
    const file = await send({ method: 'POST', path: '/v1/files', ...form }, 'a file');
    await post(
      '/v1/batch/jobs',
      { input_files: [idOf(file)], endpoint: '/v1/chat/completions', model: 'chat-fine' },
      'a batch',
    );
    const requests = [{ custom_id: '1', body: { messages: [{ role: 'user', content: say('a request of a batch') }] } }];
    await post('/v1/batch/jobs', { requests, endpoint: '/v1/chat/completions', model: 'chat-fine' }, 'a batch');
    await post('/v2/prompts', { name: 'p1', definition: { content: say('the text of a prompt') } }, 'a prompt');
    await post(
      '/v2/skills',
      { name: 's1', definition: { description: 'd', body: say('the text of a skill') } },
      'a skill',
    );
    await post(
      '/v1/agents',
      { model: 'chat-fine', name: 'A', instructions: say('the instructions of an agent') },
      'an agent',
    );
    await post(
      '/v1/workflows/register',
      {
        definitions: [{ name: 'w', task_queue: 'main', input_schema: { type: 'object' } }],
        deployment_name: 'main',
        worker_name: 'one',
      },
      'a worker',
    );
    const run = await post(
      '/v1/workflows/w/execute',
      { input: { secret: say('the input of a workflow') } },
      'a workflow',
    );
    await post(
      `/v1/workflows/executions/${idOf(run, 'execution_id')}/signals`,
      { name: 'x', input: { s: say('a signal') } },
      'a signal',
    );
    await post(
      '/v1/workflows/workers/logs',
      {
        deployment_name: 'main',
        worker_name: 'one',
        records: [{ id: '1', time_ms: 1, severity: 'INFO', body: say('a line of a worker'), attributes: {} }],
      },
      'logs',
    );
  }

  /** Secrets that are shown once: also when a request is repeated under its idempotency key. */
  async function administration(): Promise<void> {
    const admin = canaries.all.find(({ name }) => name === 'the first admin key')?.value ?? '';
    const ids = { workspace: '', user: '' };
    const me = JSON.parse((await send({ method: 'GET', path: '/v1/users/me' }, 'me')).text) as {
      id: string;
      workspace: { id: string };
    };
    [ids.workspace, ids.user] = [me.workspace.id, me.id];
    const headers = { 'x-api-key': admin, 'idempotency-key': 'once' };
    const call = (path: string, body: unknown) => tell({ method: 'POST', path: `/v1/admin${path}`, body, headers });
    const made = await call('/api-keys', { name: 'k', workspace_uuid: ids.workspace, user_id: ids.user });
    canaries.add('key', 'a key that an admin made', idOf(made, 'key'));
    const invited = await tell({
      method: 'POST',
      path: '/v1/admin/users-invite',
      body: { email: 'invited@trust.test', role_names: ['member'] },
      headers: { ...headers, 'idempotency-key': 'twice' },
    });
    if (invited.status !== 200) throw new Error(`Nobody could be invited: ${invited.text}`);
    const { tenants } = server.platform;
    const [organization] = await tenants.listOrganizations();
    const [invitation] = await tenants.invitations.list(organization?.id ?? '');
    const { link = '' } = (await tenants.invitations.find(invitation?.id ?? '')) ?? {};
    canaries.add('key', 'the link of an invitation', link.split('/').at(-1) ?? '');
  }

  /** What was said is kept once the workspace says so, but not of a request that says otherwise. */
  async function spans(): Promise<void> {
    const traceId = '5ec2e75ec2e75ec2e75ec2e75ec2e75e';
    const traceparent = `00-${traceId}-5ec2e75ec2e75ec2-01`;
    const chat = (content: string, more: object = {}) =>
      post(
        '/v1/chat/completions',
        { model: 'chat-fine', messages: [{ role: 'user', content }], ...more },
        'a traced prompt',
        { traceparent },
      );
    const sendSpan = (spanId: string, said: string) =>
      post('/telemetry/v1/traces', exportOf(traceId, spanId, said), 'a span of a client');
    await sendSpan('5ec2e75ec2e70001', say('what the span of a client says'));
    const path = '/v1/observability/contents';
    const kept = await send({ method: 'PUT', path, body: { enabled: true } }, 'contents');
    if (kept.status !== 200) throw new Error(`Contents could not be switched on: ${kept.text}`);
    await chat(canaries.make('kept', 'a prompt that is kept'));
    await chat(say('a prompt that says store: false'), { store: false });
    await sendSpan('5ec2e75ec2e70002', canaries.make('kept', 'what the span of a client says, kept'));
    // Reading what is not there writes what waits.
    await send({ method: 'GET', path: `/v1/observability/traces/${traceId}/spans/5ec2e75ec2e7ffff` }, 'a span');
  }

  async function signIn(): Promise<void> {
    const { tenants } = server.platform;
    const [organization] = await tenants.listOrganizations();
    const by = { organization_id: organization?.id ?? '', actor: { type: 'OTHER', metadata: {} } } as const;
    const me = JSON.parse((await send({ method: 'GET', path: '/v1/users/me' }, 'me')).text) as { id: string };
    const { path } = await tenants.links.create(by, me.id);
    const link = canaries.add('key', 'a one-time link', path.split('/').at(-1) ?? '');
    const password = canaries.make('key', 'a password');
    const used = await tell({ method: 'POST', path: `/console/api/links/${link}`, body: { password } });
    const cookies = [used.headers['set-cookie'] ?? []].flat();
    const [pair = ''] = (cookies[0] ?? '').split(';');
    canaries.add('key', 'a session', pair.split('=')[1] ?? '');
    const csrf = canaries.add('key', 'the second token of a session', idOf(used, 'csrf_token'));
    const headers = { cookie: pair, 'x-csrf-token': csrf, 'idempotency-key': 'thrice' };
    const own = await tell({ method: 'POST', path: '/console/api/keys', body: { name: 'mine' }, headers });
    canaries.add('key', 'a key made in the console', keyIn(own));
    const admin = await tell({
      method: 'POST',
      path: '/console/api/admin-keys',
      body: { name: 'mine' },
      headers: { ...headers, 'idempotency-key': 'four' },
    });
    canaries.add('key', 'an admin key made in the console', keyIn(admin));
    const again = { email: 'owner@trust.test', password };
    const signedIn = await tell({ method: 'POST', path: '/console/api/session', body: again });
    canaries.add(
      'key',
      'another session',
      /=([^;]+)/.exec([signedIn.headers['set-cookie'] ?? []].flat()[0] ?? '')?.[1] ?? '',
    );
    const wrong = { email: 'owner@trust.test', password: canaries.make('key', 'a wrong password') };
    await tell({ method: 'POST', path: '/console/api/session', body: wrong });
  }
}

/** A span as an instrumentation of another maker sends it. */
function exportOf(traceId: string, spanId: string, said: string): unknown {
  const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
  const messages = JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: said }] }]);
  const attributes = [text('gen_ai.operation.name', 'chat'), text('gen_ai.input.messages', messages)];
  const nano = `${Date.now()}000000`;
  const span = { traceId, spanId, name: 'chat', startTimeUnixNano: nano, endTimeUnixNano: nano, attributes };
  return { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
}

function keyIn({ text }: Answer): string {
  return /"(tm[ka]_[0-9A-Za-z]+)"/.exec(text)?.[1] ?? '';
}
