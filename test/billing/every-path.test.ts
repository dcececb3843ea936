import type { ServerResponse } from 'node:http';
import { beforeAll, expect, it, vi } from 'vitest';
import { callAnswer, deltaChunk, events, textAnswer, usageChunk, weather } from '../../src/chat/chat-for-tests.ts';
import { signInOwner } from '../../src/console/browser-for-tests.ts';
import { openMetering } from '../../src/metering/metering-for-tests.ts';
import { call } from '../support/call.ts';
import { onSqliteFirst } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { json, type ScriptedUpstream, startUpstream, type UpstreamCall } from '../support/upstream.ts';

const PDF = `data:application/pdf;base64,${Buffer.from('%PDF-1.4 two pages').toString('base64')}`;
const schema = { name: 'age', schema: { type: 'object', required: ['age'] } };
const asked = { role: 'user', content: 'hello' };
const unmet = { model: 'small', messages: [asked], response_format: { type: 'json_schema', json_schema: schema } };
const wrongCall = [{ name: 'get_weather', arguments: '{"town":1}' }];

type Spent = Record<string, readonly number[]>;

/** Never keeps to a schema, ignores `n`, and calls tools wrongly the first time. Each completion is 7 and 3 tokens. */
function misbehave({ path, body }: UpstreamCall, response: ServerResponse): unknown {
  if (path.endsWith('/ocr')) return json(response, 200, { pages: [0, 1].map((index) => ({ index, markdown: 'x' })) });
  if (path.endsWith('/speech')) {
    response.writeHead(200, { 'content-type': 'audio/pcm' });
    return response.end(Buffer.alloc(24_000 * 2));
  }
  if (!body.stream) return json(response, 200, body.tools ? callAnswer(wrongCall) : textAnswer('no JSON'));
  if (!body.tools) return events(response, [deltaChunk({ content: 'Hi.' }), deltaChunk({}, 'stop'), usageChunk]);
  const [{ name, arguments: text }] = wrongCall as [(typeof wrongCall)[0]];
  const tool_calls = [{ index: 0, id: 'c', function: { name, arguments: text } }];
  return events(response, [deltaChunk({ tool_calls }), deltaChunk({}, 'tool_calls'), usageChunk]);
}

onSqliteFirst('what a model server was sent is on the ledger', (database) => {
  let server: TestServer;
  let upstream: ScriptedUpstream;
  let poorKey: string;
  let poorStreamKey: string;
  let poorWorkspace: string;
  beforeAll(async () => {
    upstream = await startUpstream();
    upstream.answerWith(misbehave);
    const common = { engine: 'upstream' as const, url: upstream.url };
    const price = { prompt: 1, completion: 10 };
    server = await startTestServer(database, {
      file: {
        models: [
          { ...common, id: 'small', price, capabilities: { completion_chat: true, function_calling: true } },
          { ...common, id: 'reader', capabilities: { ocr: true } },
          { ...common, id: 'voice', capabilities: { audio_speech: true }, speech: { voices: ['ada'] } },
        ],
      },
    });
    const { tenants } = server.platform;
    const key = await tenants.keys.create({ kind: 'standard', name: 'poor' });
    poorKey = key.value;
    const streamKey = await tenants.keys.create({ kind: 'standard', name: 'poor too' });
    poorStreamKey = streamKey.value;
    const { id: organization_id } = key.organization;
    const caller = { organization_id, actor: { type: 'OTHER', metadata: {} } } as const;
    const wanted = { name: 'Poor', description: '', icon: '', adminId: key.user?.id ?? '', addsEverybody: false };
    poorWorkspace = (await tenants.workspaces.create(caller, wanted)).id;
    // As another process would: the server applies it within a second.
    const elsewhere = await database.open();
    const { metering } = openMetering(elsewhere, { now: Date.now, advance: () => undefined });
    const setBudget = (kind: 'key' | 'workspace', id: string, monthly_budget_micros: number) =>
      elsewhere.transaction((tx) =>
        metering.setLimits(tx, { ...caller, scope: { kind, id }, limits: { monthly_budget_micros } }),
      );
    await setBudget('key', key.id, 37);
    await setBudget('key', streamKey.id, 37);
    await setBudget('workspace', poorWorkspace, 0);
  });

  /** Sends every kind of request, waits once for the ledger, and returns what it has for each of them. */
  async function spendEverywhere(): Promise<Record<string, { status: number; body: unknown; spent: Spent }>> {
    const agent = (await send('agent', '/v1/agents', { model: 'small', name: 'A' })).body as { id: string };
    const voices = (await call(server, '/v1/audio/voices')).body as { items: { id: string }[] };
    const sample = `/v1/audio/voices/${voices.items[0]?.id}/sample`;
    const document = { type: 'document_url', document_url: PDF };
    const { model, ...unmetOf } = unmet;
    const batch = { model, requests: [{ custom_id: 'a', body: { messages: [asked], n: 2 } }] };
    const answers = {
      refused: await send('refused', '/v1/chat/completions', unmet),
      many: await send('many', '/v1/chat/completions', { model, messages: [asked], n: 3 }),
      conversation: await send('conversation', '/v1/conversations', { model, inputs: 'hello', tools: [weather] }),
      agent: await send('agent', '/v1/agents/completions', { agent_id: agent.id, ...unmetOf }),
      annotation: await send('annotation', '/v1/ocr', {
        model: 'reader',
        document,
        document_annotation_format: unmet.response_format,
      }),
      speech: await send('speech', '/v1/audio/speech', { model: 'voice', input: 'Hi there.', response_format: 'pcm' }),
      sample: await call(server, sample, { headers: { 'x-request-id': 'sample' } }),
      batch: await send('batch', '/v1/batch/jobs', { endpoint: '/v1/chat/completions', ...batch }),
    };
    const { id } = answers.batch.body as { id: string };
    const idOf = (name: string) => (name === 'batch' ? `${id}-0` : name);
    const rows = await vi.waitFor(async () => {
      const { db } = server.platform.database;
      const found = Map.groupBy(await db.selectFrom('usage_records').selectAll().execute(), (row) => row.request_id);
      for (const name of Object.keys(answers)) expect(found.get(idOf(name)) ?? [name]).not.toEqual([name]);
      return found;
    }, 20_000);
    return Object.fromEntries(
      Object.entries(answers).map(([name, { status, body }]) => {
        const own = rows.get(idOf(name)) ?? [];
        const spent = own.map((row) => [row.model, [row.prompt_tokens, row.completion_tokens]] as const);
        return [name, { status, body, spent: Object.fromEntries(spent) }];
      }),
    );
  }

  const send = (id: string, path: string, body: object) =>
    call(server, path, { body, headers: { 'x-request-id': id } });

  it('for each way to a model: the figures of every attempt, also when we refuse the answer', async () => {
    const { refused, many, conversation, agent, annotation, speech, sample, batch } = await spendEverywhere();
    expect(refused).toMatchObject({ status: 502, body: { code: 'invalid_json_output' }, spent: { small: [14, 6] } });
    // The server ignores `n`. The client sees its prompt once.
    const usage = { prompt_tokens: 7, completion_tokens: 9 };
    expect(many).toMatchObject({ status: 200, body: { usage }, spent: { small: [21, 9] } });
    expect(conversation).toMatchObject({ status: 502, spent: { small: [14, 6] } });
    expect(agent).toMatchObject({ status: 502, spent: { small: [14, 6] } });
    expect(annotation).toMatchObject({ status: 502, spent: { reader: [2, 0], small: [14, 6] } });
    expect(batch).toMatchObject({ status: 200, spent: { small: [14, 6] } });
    // A second of sound is 12.5 tokens.
    expect(speech).toMatchObject({ status: 200, spent: { voice: [3, 13] } });
    expect(sample).toMatchObject({ status: 200, spent: { voice: [9, 13] } });
  });

  it('until the budget is spent by the first attempt, which stops the second', async () => {
    const before = upstream.calls.length;
    const answer = await call(server, '/v1/chat/completions', { key: poorKey, body: unmet });
    expect(answer).toMatchObject({ status: 429, body: { type: 'rate_limited' } });
    expect(upstream.calls).toHaveLength(before + 1);
    const tools = { model: 'small', messages: [asked], tools: [weather], stream: true };
    expect((await call(server, '/v1/chat/completions', { key: poorStreamKey, body: tools })).status).toBe(429);
    expect(upstream.calls).toHaveLength(before + 2);
  });

  it('and the budget of a workspace holds for sessions of the console, wherever they were before', async () => {
    const owner = await signInOwner(server);
    const rich = owner.session?.workspace_id ?? '';
    const chat = (workspace: string) =>
      owner.ask('/v1/chat/completions', {
        body: { model: 'small', messages: [asked] },
        headers: { 'x-tramontane-workspace': workspace },
      });
    for (let round = 0; round < 2; round++) {
      expect((await chat(rich)).status).toBe(200);
      expect(await chat(poorWorkspace)).toMatchObject({ status: 429, body: { type: 'rate_limited' } });
    }
  });
});
