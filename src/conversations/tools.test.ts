import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { addColleague } from '../../test/support/people.ts';
import { type Conversing, MODEL, post, readEvents, startConversing } from './conversations-for-tests.ts';

type Entry = Record<string, unknown> & { type: string };
const path = '/v1/conversations';

const found = {
  results: [
    { title: 'Wind', url: 'https://example.com/wind', content: 'A cold wind.' },
    { title: 'Bad', url: 'javascript:alert(1)', content: 'x' },
    { title: 'Sea', url: 'https://example.com/sea', content: 'A warm sea.' },
  ],
};

/** A provider of searches and images at the network border. */
async function startProvider(): Promise<{ url: string; asked: string[]; answer: { status: number; body: unknown } }> {
  const asked: string[] = [];
  const answer = { status: 200, body: found as unknown };
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, answer };
}

onSqliteFirst('tools that the server runs', (database) => {
  let conversing: Conversing;
  let provider: Awaited<ReturnType<typeof startProvider>>;
  beforeAll(async () => {
    provider = await startProvider();
    conversing = await startConversing(database, {
      tools: {
        web_search: { provider: 'searxng', url: provider.url, results: 1 },
        image_generation: { url: provider.url },
      },
    });
  });
  const start = async (body: Record<string, unknown>) =>
    (await call(conversing.server, path, { body: { model: MODEL, inputs: 'Hi', ...body } })).body as {
      conversation_id: string;
      outputs: Entry[];
      usage: Record<string, unknown>;
    };
  const search = (query: string, name = 'web_search') => ({ calls: [{ name, arguments: { query }, id: 'abcdefgh1' }] });

  it('runs at most 32 calls of one reply, and 128 of one run, and tells the model about the others', async () => {
    const many = (count: number) => ({
      calls: Array.from({ length: count }, (_, i) => ({
        name: 'web_search',
        arguments: { query: 'wind' },
        id: `call${String(i).padStart(5, '0')}`,
      })),
    });
    conversing.says(many(100), { words: ['Done.'] });
    const before = provider.asked.length;
    const { outputs, usage } = await start({ tools: [{ type: 'web_search' }] });
    expect(provider.asked.length - before).toBe(32);
    expect(usage.connectors).toEqual({ web_search: 32 });
    const left = outputs.filter(({ info }) => JSON.stringify(info ?? null).includes('at most 32 calls of one reply'));
    expect(left).toHaveLength(68);
    expect(outputs.at(-1)).toMatchObject({ type: 'message.output' });

    conversing.says(many(40), many(40), many(40), many(40), { words: ['Enough.'] });
    await start({ tools: [{ type: 'web_search' }] });
    const offered = conversing.upstream.calls
      .slice(-5)
      .map(({ body }) => (body.tools as unknown[] | undefined)?.length ?? 0);
    expect(offered).toEqual([1, 1, 1, 1, 0]);
  });

  it('runs a search, appends it as an entry, and gives the message its sources [CONVERSATIONS-TOOLS-RUN] [CONVERSATIONS-TOOL-USAGE]', async () => {
    conversing.says(search('tramontane'), { words: ['It is a wind.'] });
    const { outputs, usage, conversation_id } = await start({ tools: [{ type: 'web_search' }] });
    expect(outputs).toMatchObject([
      {
        type: 'tool.execution',
        id: expect.stringMatching(/^tool_exec_[0-9a-f]{32}$/),
        name: 'web_search',
        arguments: '{"query":"tramontane"}',
        info: { query: 'tramontane', results: 1 },
      },
      {
        type: 'message.output',
        content: [
          { type: 'text', text: 'It is a wind.' },
          {
            type: 'tool_reference',
            tool: 'web_search',
            title: 'Wind',
            url: 'https://example.com/wind',
            description: 'A cold wind.',
          },
        ],
      },
    ]);
    expect(provider.asked.at(-1)).toBe('/search?q=tramontane&format=json');
    expect(usage).toMatchObject({ prompt_tokens: 14, completion_tokens: 6, connectors: { web_search: 1 } });
    expect(usage.total_tokens).toBe(20 + Number(usage.connector_tokens));
    expect(conversing.upstream.calls.at(-1)?.body.messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant', tool_calls: [{ id: 'abcdefgh1', function: { name: 'web_search' } }] },
      {
        role: 'tool',
        tool_call_id: 'abcdefgh1',
        content: expect.stringMatching(/^<data source="the web">.*A cold wind\..*<\/data>$/s),
      },
    ]);
    // What was found stays in the conversation when it goes on.
    await call(conversing.server, `${path}/${conversation_id}`, { body: { inputs: 'And?' } });
    expect(conversing.upstream.calls.at(-1)?.body.messages).toHaveLength(5);
  });

  it('streams the execution between its start and its end', async () => {
    conversing.says(search('sea'), { words: ['Warm.'] });
    const response = await post(conversing.server, path, {
      model: MODEL,
      inputs: 'Hi',
      tools: [{ type: 'web_search' }],
      stream: true,
    });
    const { events } = await readEvents(response);
    expect(events.map(({ event, data }) => [event, data.output_index ?? null, data.content_index ?? null])).toEqual([
      ['conversation.response.started', null, null],
      ['tool.execution.started', 0, null],
      ['tool.execution.done', 0, null],
      ['message.output.delta', 1, 0],
      ['message.output.delta', 1, 1],
      ['conversation.response.done', null, null],
    ]);
    expect(events[2]?.data).toMatchObject({ name: 'web_search', info: { results: 1 } });
    expect(events[1]?.data.id).toBe(events[2]?.data.id);
  });

  it('searches with the premium setting where that is asked for [CONVERSATIONS-WEB-SEARCH-PREMIUM]', async () => {
    conversing.says(search('both', 'web_search_premium'), { words: ['Found.'] });
    const { outputs } = await start({ tools: [{ type: 'web_search_premium' }] });
    expect(outputs[0]).toMatchObject({ name: 'web_search_premium', info: { results: 2 } });
  });

  it('tells the model and the client when a provider fails, and the run goes on', async () => {
    provider.answer.status = 500;
    conversing.says(search('x'), { words: ['Sorry.'] });
    const { outputs } = await start({ tools: [{ type: 'web_search' }] });
    provider.answer.status = 200;
    expect(outputs[0]).toMatchObject({ info: { error: 'The search provider searxng answered 500.' } });
    expect(outputs[1]).toMatchObject({ content: 'Sorry.' });
    expect(JSON.stringify(outputs)).not.toContain(provider.url);
  });

  it('answers with an error entry where the operator has set nothing up', async () => {
    const bare = await startConversing(database, { code_interpreter: { engine: 'off' } });
    for (const [name, key] of [
      ['image_generation', 'tools.image_generation'],
      ['web_search', 'tools.web_search'],
      ['code_interpreter', 'code_interpreter.engine'],
    ] as const) {
      const given = { prompt: 'x', query: 'x', code: 'x' };
      bare.says({ calls: [{ name, arguments: given }] }, { words: ['No.'] });
      const body = { model: MODEL, inputs: 'Hi', tools: [{ type: name }] };
      const { outputs } = (await call(bare.server, path, { body, key: conversing.server.key })).body as {
        outputs: Entry[];
      };
      expect(outputs).toMatchObject([
        { type: 'tool.execution', info: { error: expect.stringContaining(key) } },
        { type: 'message.output', content: 'No.' },
      ]);
    }
  });

  it('runs code in the sandbox and keeps the files that it wrote [CONVERSATIONS-TOOL-FILES]', {
    timeout: 60_000,
  }, async () => {
    const code = "open('sum.txt', 'w').write(str(sum(range(10))))\nprint('done')";
    conversing.says({ calls: [{ name: 'code_interpreter', arguments: { code } }] }, { words: ['45.'] });
    const { outputs, conversation_id } = await start({ tools: [{ type: 'code_interpreter' }] });
    expect(outputs[0]).toMatchObject({
      type: 'tool.execution',
      name: 'code_interpreter',
      info: { code, code_output: expect.stringContaining('done') },
    });
    const [, file] = (outputs[1]?.content ?? []) as Record<string, string>[];
    expect(file).toMatchObject({ type: 'tool_file', tool: 'code_interpreter', file_name: 'sum.txt', file_type: 'txt' });
    const at = `/v1/files/${file?.file_id}`;
    expect((await call(conversing.server, `${at}/content`)).text).toBe('45');
    // It is its user's, has no end of its own, and outlives the conversation.
    const key = await addColleague(conversing.server);
    expect((await call(conversing.server, at, { key })).status).toBe(404);
    await call(conversing.server, `${path}/${conversation_id}`, { method: 'DELETE' });
    expect((await call(conversing.server, at)).body).toMatchObject({
      filename: 'sum.txt',
      mimetype: 'text/plain',
      source: 'mistral',
      visibility: 'user',
      expires_at: null,
    });
    const { url } = (await call(conversing.server, `${at}/url`)).body as { url: string };
    expect(await (await fetch(url)).text()).toBe('45');
  });

  it('keeps an image that an image server made as a file', async () => {
    const pixel = Buffer.from('89504e470d0a1a0a', 'hex');
    provider.answer.body = { data: [{ b64_json: pixel.toString('base64') }] };
    conversing.says({ calls: [{ name: 'image_generation', arguments: { prompt: 'a cat' } }] }, { words: ['Here.'] });
    const { outputs } = await start({ tools: [{ type: 'image_generation' }] });
    provider.answer.body = found;
    expect(outputs[1]?.content).toMatchObject([
      { type: 'text', text: 'Here.' },
      { type: 'tool_file', tool: 'image_generation', file_name: 'image_generated_0', file_type: 'png' },
    ]);
    expect(provider.asked.at(-1)).toBe('/images/generations');
  });

  it('makes the model answer after the last turn that a run may have', async () => {
    conversing.says(...Array.from({ length: 23 }, () => search('again')), { words: ['Enough.'] });
    const { outputs } = await start({ tools: [{ type: 'web_search' }] });
    expect(outputs.filter(({ type }) => type === 'tool.execution')).toHaveLength(23);
    expect(conversing.upstream.calls.at(-1)?.body).not.toHaveProperty('tools');
    expect(outputs.at(-1)).toMatchObject({ type: 'message.output' });
  });

  describe('with confirmation', () => {
    const tools = [{ type: 'web_search', tool_configuration: { requires_confirmation: ['web_search'] } }];
    const confirm = async (id: string, confirmation: string, tool_call_id = 'abcdefgh1') =>
      call(conversing.server, `${path}/${id}`, { body: { tool_confirmations: [{ tool_call_id, confirmation }] } });

    it('waits for the client, then runs what was allowed [CONVERSATIONS-CONFIRMATION]', async () => {
      const before = provider.asked.length;
      conversing.says(search('wind'));
      const { conversation_id, outputs } = await start({ tools });
      expect(outputs).toMatchObject([
        { type: 'function.call', name: 'web_search', confirmation_status: 'pending', tool_call_id: 'abcdefgh1' },
      ]);
      expect(provider.asked).toHaveLength(before);
      conversing.says({ words: ['Thanks.'] });
      const { body } = await confirm(conversation_id, 'allow');
      expect(body).toMatchObject({
        outputs: [{ type: 'tool.execution', name: 'web_search' }, { type: 'message.output' }],
      });
      expect(provider.asked).toHaveLength(before + 1);
      const { entries } = (await call(conversing.server, `${path}/${conversation_id}/history`)).body as {
        entries: Entry[];
      };
      expect(entries[1]).toMatchObject({ type: 'function.call', confirmation_status: 'allowed' });
      expect(conversing.upstream.calls.at(-1)?.body.messages).toMatchObject([
        { role: 'user' },
        { role: 'assistant', tool_calls: [{ id: 'abcdefgh1' }] },
        { role: 'tool', tool_call_id: 'abcdefgh1' },
      ]);
      expect((await confirm(conversation_id, 'allow')).status).toBe(400);
    });

    it('tells the model what was denied, and runs nothing', async () => {
      const before = provider.asked.length;
      conversing.says(search('wind'));
      const { conversation_id } = await start({ tools });
      conversing.says({ words: ['Then not.'] });
      const { body } = await confirm(conversation_id, 'deny');
      expect(body).toMatchObject({ outputs: [{ type: 'message.output', content: 'Then not.' }] });
      expect(provider.asked).toHaveLength(before);
      expect(conversing.upstream.calls.at(-1)?.body.messages).toMatchObject([
        { role: 'user' },
        { role: 'assistant' },
        { role: 'tool', content: expect.stringContaining('did not allow') },
      ]);
    });

    it('refuses a word about a call that does not wait', async () => {
      const { conversation_id } = await start({});
      const answer = await confirm(conversation_id, 'allow', 'nobody000');
      expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('nobody000') } });
    });
  });

  it.each([[{ type: 'web_search', tool_configuration: { include: ['a'], exclude: ['b'] } }, 'include or exclude']])(
    'refuses %j with a sentence, and keeps nothing',
    async (tool, sentence) => {
      const answer = await call(conversing.server, path, { body: { model: MODEL, inputs: 'Hi', tools: [tool] } });
      expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(sentence) } });
    },
  );
});
