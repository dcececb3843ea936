import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { call } from '../../test/support/call.ts';
import { atEnd } from '../../test/support/cleanup.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { type FakeMcp, startFakeMcp } from '../../test/support/mcp-server.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { json } from '../../test/support/upstream.ts';
import { type Conversing, startConversing } from '../conversations/conversations-for-tests.ts';
import { pruneRuns } from '../conversations/prune-runs.ts';
import { systemClock } from '../kit/base/clock.ts';
import { createEvents } from '../kit/events/index.ts';
import { makeLibrary, upload } from '../libraries/libraries-for-tests.ts';

type Json = Record<string, unknown>;
const HOUR_MS = 60 * 60 * 1000;

/** A search engine with one page. */
async function startSearch(): Promise<string> {
  const results = [{ title: 'Wind', url: 'https://example.com/wind', content: 'It blows.' }];
  const server = createServer((_, response) => json(response, 200, { results }));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

onEachDatabase('a stored response', (database) => {
  let here: Conversing;
  let client: OpenAI;
  let wiki: FakeMcp;
  beforeAll(async () => {
    wiki = await startFakeMcp();
    const provider = await startSearch();
    here = await startConversing(database, {
      connectors: [{ id: 'wiki', url: wiki.url }],
      tools: { web_search: { provider: 'searxng', url: provider, results: 1 } },
    });
    client = new OpenAI({ baseURL: `${here.server.url}/openai/v1`, apiKey: here.server.key, maxRetries: 0 });
  });
  const sent = () => here.upstream.calls.at(-1)?.body as { messages: Json[] } & Json;
  const roles = () => sent().messages.map(({ role }) => role);
  const at = (path: string, options: Parameters<typeof call>[2] = {}) =>
    call(here.server, `/openai/v1/responses${path}`, options);
  const count = async (table: 'responses' | 'conversations' | 'conversation_entries') => {
    const { db } = here.server.platform.database;
    const rows = await db.selectFrom(table).selectAll().execute();
    if (table !== 'responses') return rows.length;
    const runs = db.selectFrom('conversation_runs').select('id').where('response', 'is not', null);
    return rows.length + (await runs.execute()).length;
  };
  /** What the hourly job does, a day from now. */
  const forgetRuns = async () => {
    const { database: opened } = here.server.platform;
    const now = () => systemClock() + 25 * HOUR_MS;
    const events = createEvents({ database: opened, now });
    await pruneRuns({ database: opened, events, now });
    await events.stop();
    expect(await opened.db.selectFrom('conversation_runs').selectAll().execute()).toEqual([]);
  };

  it('is kept, read back, continued with settings of its own, and listed by its inputs', async () => {
    const first = await client.responses.create({ model: 'small', input: 'One', instructions: 'Be kind.', user: 'me' });
    expect(first).toMatchObject({ status: 'completed', store: true, output_text: 'Hello there' });
    const read = await client.responses.retrieve(first.id);
    expect(read.output).toEqual(first.output);
    expect(read.usage).toEqual(first.usage);
    const second = await client.responses.create({
      model: 'small',
      previous_response_id: first.id,
      instructions: 'Be brief.',
      input: [
        { role: 'developer', content: 'In French.' },
        { role: 'user', content: 'Two' },
      ],
    });
    expect(second.previous_response_id).toBe(first.id);
    expect(sent().messages).toMatchObject([
      { role: 'system', content: 'Be brief.\n\nIn French.' },
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Hello there' },
      { role: 'user', content: 'Two' },
    ]);
    const items = await client.responses.inputItems.list(second.id);
    expect(items.data).toMatchObject([{ role: 'user', content: [{ type: 'input_text', text: 'Two' }] }]);
    // One conversation, as the console shows it.
    const { body } = await call(here.server, '/v1/conversations?page_size=1');
    const [conversation] = body as { id: string }[];
    const history = await call(here.server, `/v1/conversations/${conversation?.id}/history`);
    expect((history.body as { entries: Json[] }).entries.map(({ type }) => type)).toEqual([
      ...['message.input', 'message.output', 'message.input', 'message.output'],
    ]);
  });

  it('is continued twice from the same place, each in a conversation of its own', async () => {
    const first = await client.responses.create({ model: 'small', input: 'Start' });
    const before = await count('conversations');
    await client.responses.create({ model: 'small', input: 'A', previous_response_id: first.id });
    await client.responses.create({ model: 'small', input: 'B', previous_response_id: first.id });
    expect(roles()).toEqual(['user', 'assistant', 'user']);
    expect(sent().messages.at(-1)).toMatchObject({ content: 'B' });
    expect(await count('conversations')).toBe(before + 1);
    await client.responses.create({ model: 'small', input: 'C', previous_response_id: first.id, store: false });
    expect(await count('conversations')).toBe(before + 1);
  });

  it.runIf(isSqliteOrFull(database))('calls functions of the client, whose results continue it', async () => {
    const tools = [
      {
        type: 'function' as const,
        name: 'weather',
        strict: false,
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
      },
    ];
    here.says({ calls: [{ name: 'weather', arguments: { city: 'Nice' }, id: 'abcdefghi' }] });
    const asked = await client.responses.create({
      model: 'small',
      input: 'Weather?',
      tools,
      parallel_tool_calls: false,
    });
    expect(asked.output).toMatchObject([{ type: 'function_call', call_id: 'call_abcdefghi', name: 'weather' }]);
    expect(sent()).toMatchObject({ parallel_tool_calls: false });
    const told = await client.responses.create({
      model: 'small',
      previous_response_id: asked.id,
      tools,
      input: [{ type: 'function_call_output', call_id: 'call_abcdefghi', output: 'Sun' }],
    });
    expect(told.output_text).toBe('Hello there');
    expect(roles()).toEqual(['user', 'assistant', 'tool']);
  });

  it.runIf(isSqliteOrFull(database))(
    'takes back the items of an answer as the helpers of the client return them',
    async () => {
      const parameters = { type: 'object', properties: {} };
      const tools = [{ type: 'function' as const, name: 'f', strict: false, parameters }];
      const items: Json[] = [{ role: 'user', content: 'Call it' }];
      here.says({ words: ['Well'], calls: [{ name: 'f', arguments: { a: 1 }, id: 'abcdefghi' }] });
      const final = await client.responses
        .stream({ model: 'small', input: 'Call it', tools, store: false })
        .finalResponse();
      expect(final.output).toMatchObject([{ content: [{ parsed: null }] }, { parsed_arguments: null }]);
      items.push(...(final.output as unknown as Json[]));
      items.push({ type: 'function_call_output', call_id: 'call_abcdefghi', output: 'done', status: 'completed' });
      for (const store of [false, true]) {
        const { status, body } = await at('', { body: { model: 'small', input: items, tools, store } });
        expect([status, body]).toMatchObject([200, { status: 'completed' }]);
        expect(roles()).toEqual(['user', 'assistant', 'tool']);
        expect(JSON.stringify(sent())).not.toContain('parsed');
      }
      here.says({ words: ['{"name":"Ada"}'] });
      const text = { format: zodTextFormat(z.object({ name: z.string() }), 'person') };
      const person = await client.responses.parse({ model: 'small', input: 'Who?', text });
      expect(person.output).toMatchObject([{ content: [{ parsed: { name: 'Ada' } }] }]);
      const again = [{ role: 'user', content: 'Who?' }, ...person.output, { role: 'user', content: 'And?' }];
      expect((await at('', { body: { model: 'small', input: again } })).body).toMatchObject({ status: 'completed' });
    },
  );

  it.runIf(isSqliteOrFull(database))(
    'streams the events of the stateless one, and again the same after any number',
    async () => {
      here.says({ thinking: 'Hm.', words: ['Hel', 'lo'], paceMs: 5 });
      const events: OpenAI.Responses.ResponseStreamEvent[] = [];
      for await (const event of await client.responses.create({ model: 'small', input: 'Hi', stream: true }))
        events.push(event);
      expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
      expect(new Set(events.map(({ type }) => type))).toEqual(
        new Set([
          ...['response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added'],
          ...['response.reasoning_text.delta', 'response.reasoning_text.done', 'response.content_part.done'],
          ...[
            'response.output_item.done',
            'response.output_text.delta',
            'response.output_text.done',
            'response.completed',
          ],
        ]),
      );
      const last = events.at(-1) as OpenAI.Responses.ResponseCompletedEvent;
      expect(last.response).toMatchObject({
        status: 'completed',
        output: [{ type: 'reasoning' }, { type: 'message' }],
      });
      const { id } = last.response;
      expect((await client.responses.retrieve(id)).output).toEqual(last.response.output);
      const again: unknown[] = [];
      for await (const event of await client.responses.retrieve(id, { stream: true, starting_after: 3 }))
        again.push(event);
      expect(again).toEqual(events.slice(4));
    },
  );

  it('goes on in the background, and can be cancelled there and deleted', async () => {
    const quick = await client.responses.create({ model: 'small', input: 'Later', background: true });
    expect(quick).toMatchObject({ status: 'queued', background: true, output: [] });
    await expect
      .poll(async () => (await client.responses.retrieve(quick.id)).status, { timeout: 20_000 })
      .toBe('completed');
    const held = Promise.withResolvers<void>();
    here.says({ words: ['Slow', 'ly'], until: held.promise });
    const slow = await client.responses.create({ model: 'small', input: 'Slow', background: true });
    const refused = await at('', { body: { model: 'small', input: 'x', previous_response_id: slow.id } });
    expect([refused.status, refused.body]).toMatchObject([400, { error: { code: 'response_in_progress' } }]);
    expect(await client.responses.cancel(slow.id)).toMatchObject({ status: 'cancelled' });
    expect(await client.responses.cancel(slow.id)).toMatchObject({ status: 'cancelled' });
    held.resolve();
    await expect(client.responses.cancel(quick.id)).rejects.toMatchObject({ code: 'response_not_cancellable' });
    await client.responses.delete(slow.id);
    await expect(client.responses.retrieve(slow.id)).rejects.toMatchObject({ status: 404, code: 'response_not_found' });
  });

  it.runIf(isSqliteOrFull(database))(
    'runs tools of the server and shows them as items',
    async () => {
      here.says(
        { calls: [{ name: 'code_interpreter', arguments: { code: 'print(6 * 7)' } }] },
        { words: ['It is 42'] },
      );
      const answer = await client.responses.create({
        model: 'small',
        input: 'What is 6 * 7?',
        tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
      });
      expect(answer.output).toMatchObject([
        { type: 'code_interpreter_call', code: 'print(6 * 7)', status: 'completed' },
        { type: 'message', content: [{ text: 'It is 42' }] },
      ]);
      expect((await client.responses.retrieve(answer.id)).output).toEqual(answer.output);
    },
    60_000,
  );

  it.runIf(isSqliteOrFull(database))(
    'runs web searches and connectors, with an event for each step, and is continued with what they found',
    async () => {
      here.says(
        { calls: [{ name: 'web_search', arguments: { query: 'wind' }, id: 'abcdefgh1' }] },
        { calls: [{ name: 'echo', arguments: { text: 'hello' }, id: 'abcdefgh2' }] },
        { words: ['Done.'] },
      );
      const tools: OpenAI.Responses.Tool[] = [
        { type: 'web_search' },
        {
          type: 'mcp',
          server_label: 'pages',
          connector_id: 'wiki' as never,
          allowed_tools: ['echo'],
          require_approval: 'never',
        },
      ];
      const stream = client.responses.stream({ model: 'small', input: 'Find it', tools });
      const types: string[] = [];
      for await (const { type } of stream) types.push(type.replace('response.', ''));
      const { id } = await stream.finalResponse();
      const answer = await client.responses.retrieve(id);
      expect((await stream.finalResponse()).output).toMatchObject(answer.output);
      expect(answer.output).toMatchObject([
        { type: 'web_search_call', status: 'completed', action: { type: 'search', query: 'wind' } },
        { type: 'mcp_call', server_label: 'pages', name: 'echo', output: 'You said hello', error: null },
        { type: 'message', content: [{ text: 'Done.', annotations: [{ type: 'url_citation' }] }] },
      ]);
      expect(types.slice(2, 13)).toEqual([
        ...['output_item.added', 'web_search_call.in_progress', 'web_search_call.searching'],
        ...['web_search_call.completed', 'output_item.done', 'output_item.added', 'mcp_call.in_progress'],
        ...['mcp_call_arguments.delta', 'mcp_call_arguments.done', 'mcp_call.completed', 'output_item.done'],
      ]);
      await client.responses.create({ model: 'small', input: 'And?', previous_response_id: answer.id });
      expect(sent().messages.map(({ content }) => content)).toContainEqual(expect.stringContaining('You said hello'));
      // The same without the server's memory: by reference, and as items.
      const asked = { role: 'user' as const, content: 'Find it' };
      const found = answer.output.map(({ id }) => ({ type: 'item_reference' as const, id: id ?? '' }));
      for (const input of [found, answer.output as OpenAI.Responses.ResponseInput]) {
        for (const store of [true, false]) {
          await client.responses.create({
            model: 'small',
            store,
            input: [asked, ...input, { role: 'user', content: 'So?' }],
          });
          expect(roles()).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant', 'user']);
          expect(JSON.stringify(sent().messages)).toContain('You said hello');
        }
      }
    },
  );

  it.runIf(isSqliteOrFull(database))('shows a tool that failed as failed', async () => {
    wiki.answer = () => ({ isError: true, content: [{ type: 'text', text: 'no such page' }] });
    here.says({ calls: [{ name: 'echo', arguments: { text: 'x' } }] }, { words: ['Sorry.'] });
    const answer = await client.responses.create({
      model: 'small',
      input: 'Find it',
      tools: [{ type: 'mcp', server_label: 'wiki', require_approval: 'never' }],
    });
    expect(answer.output[0]).toMatchObject({ type: 'mcp_call', status: 'failed', error: 'no such page', output: null });
  });

  it('sent again with its Idempotency-Key is the same one, whole, streamed and in the background', async () => {
    const shown = (id: string) => ({ headers: { 'idempotency-key': id } });
    const question = { model: 'small', input: 'Once' };
    const first = await client.responses.create(question, shown('whole'));
    const before = [await count('responses'), await count('conversation_entries'), here.upstream.calls.length];
    const { data: again, response } = await client.responses.create(question, shown('whole')).withResponse();
    expect(again).toEqual(first);
    expect(response.headers.get('idempotency-replayed')).toBe('true');
    expect([await count('responses'), await count('conversation_entries'), here.upstream.calls.length]).toEqual(before);
    const other = await at('', { body: { ...question, input: 'Twice' }, headers: { 'idempotency-key': 'whole' } });
    expect([other.status, other.body]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('Idempotency-Key') } },
    ]);

    const streams = await Promise.all(
      [0, 1].map(async () => {
        const events: unknown[] = [];
        const stream = await client.responses.create({ ...question, stream: true }, shown('streamed'));
        for await (const event of stream) events.push(event);
        return events;
      }),
    );
    expect(streams[0]).toEqual(streams[1]);

    const queued = await client.responses.create({ ...question, background: true }, shown('later'));
    const twice = await client.responses.create({ ...question, background: true }, shown('later'));
    expect(twice).toEqual(queued);
    expect(await count('responses')).toBe((before[0] ?? 0) + 2);
  });

  it('outlives its run: it is read, continued, listed by its inputs and deleted as before', async () => {
    const first = await client.responses.create({ model: 'small', input: 'Long ago', metadata: { a: 'b' } });
    const second = await client.responses.create({ model: 'small', input: 'Then', previous_response_id: first.id });
    here.says({ status: 400 });
    const failed = await client.responses.create({ model: 'small', input: 'Fails', background: true });
    await expect
      .poll(async () => (await at(`/${failed.id}`)).body, { timeout: 20_000 })
      .toMatchObject({ status: 'failed' });
    const ids = [first.id, second.id, failed.id];
    const shown = async () =>
      Promise.all(ids.flatMap((id) => [`/${id}`, `/${id}/input_items`]).map((path) => at(path)));
    const [before, counted] = [await shown(), await count('responses')];
    await forgetRuns();
    expect((await shown()).map(({ status, text }) => [status, text])).toEqual(
      before.map(({ status, text }) => [status, text]),
    );
    expect(await count('responses')).toBe(counted);
    expect((await at(`/${first.id}?stream=true`)).status).toBe(400);
    expect((await at(`/${first.id}`, { key: await addColleague(here.server) })).status).toBe(404);
    await client.responses.create({ model: 'small', input: 'Now', previous_response_id: second.id });
    expect(roles()).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
    const conversations = await count('conversations');
    for (const id of ids.slice(0, 2)) await client.responses.delete(id);
    await expect(client.responses.retrieve(first.id)).rejects.toMatchObject({ status: 404 });
    // The response of now is in the same conversation.
    expect(await count('conversations')).toBe(conversations);
  });

  it.runIf(isSqliteOrFull(database))('is counted with all that it continues', async () => {
    const first = await client.responses.create({ model: 'small', input: 'x'.repeat(400) });
    const next = { model: 'small', input: 'And?' };
    const alone = await client.responses.inputTokens.count(next);
    const after = await client.responses.inputTokens.count({ ...next, previous_response_id: first.id });
    expect(after.input_tokens).toBeGreaterThan(alone.input_tokens + 99);
  });

  it('that fails leaves nothing; in the background it is kept with its error', async () => {
    const before = [await count('responses'), await count('conversations'), await count('conversation_entries')];
    here.says({ status: 400 });
    await expect(client.responses.create({ model: 'small', input: 'Fails' })).rejects.toThrow();
    expect([await count('responses'), await count('conversations'), await count('conversation_entries')]).toEqual(
      before,
    );
    here.says({ status: 400 });
    const later = await client.responses.create({ model: 'small', input: 'Fails', background: true });
    await expect
      .poll(async () => (await client.responses.retrieve(later.id)).status, { timeout: 20_000 })
      .toBe('failed');
    expect((await client.responses.retrieve(later.id)).error).toMatchObject({ code: 'server_error' });
  });

  it.runIf(isSqliteOrFull(database))('is missing to others, in the words of one that never was', async () => {
    const { id, output } = await client.responses.create({ model: 'small', input: 'Mine' });
    const item = output[0]?.id;
    const never = `resp_${'0'.repeat(32)}`;
    for (const key of [await addStranger(here.server), await addColleague(here.server)]) {
      for (const [path, method] of [
        ['', 'GET'],
        ['', 'DELETE'],
        ['/cancel', 'POST'],
        ['/input_items', 'GET'],
      ]) {
        const [theirs, missing] = await Promise.all(
          [id, never].map((one) => at(`/${one}${path}`, { key, method: method ?? 'GET' })),
        );
        expect([theirs?.status, theirs?.text.replace(id, never)]).toEqual([404, missing?.text]);
      }
      const referred = await at('', { key, body: { model: 'small', input: [{ type: 'item_reference', id: item }] } });
      expect([referred.status, referred.body]).toMatchObject([400, { error: { code: 'input_item_not_found' } }]);
      const { status, body } = await at('', { key, body: { model: 'small', input: 'x', previous_response_id: id } });
      expect([status, body]).toMatchObject([
        400,
        { error: { code: 'previous_response_not_found', param: 'previous_response_id' } },
      ]);
    }
  });

  it.runIf(isSqliteOrFull(database))(
    'searches libraries by file_search, with items, events and citations as the client types them',
    async () => {
      const library = await makeLibrary(here.server, { name: 'Tides' });
      const document = await upload(here.server, library.id, 'tides.md', '# Tides\n\nHigh water is at noon.\n');
      const script = () =>
        here.says(
          { calls: [{ name: 'document_library', arguments: { query: 'high water' }, id: 'abcdefgh9' }] },
          { words: ['At noon.'] },
        );
      const tools: OpenAI.Responses.Tool[] = [
        { type: 'file_search', vector_store_ids: [library.id], max_num_results: 20 },
      ];
      script();
      const response = await client.responses.create({ model: 'small', input: 'When is high water?', tools });
      expect(response.output).toMatchObject([
        { type: 'file_search_call', status: 'completed', queries: ['high water'], results: null },
        {
          type: 'message',
          content: [
            {
              text: 'At noon.',
              annotations: [{ type: 'file_citation', file_id: document.id, filename: 'Tides' }],
            },
          ],
        },
      ]);
      expect(response.tools).toMatchObject([{ type: 'file_search', vector_store_ids: [library.id] }]);
      expect((await client.responses.retrieve(response.id)).output).toEqual(response.output);
      script();
      const types: string[] = [];
      for await (const { type } of await client.responses.create({
        model: 'small',
        input: 'When?',
        tools,
        stream: true,
      }))
        types.push(type.replace('response.', ''));
      expect(types.filter((type) => type.startsWith('file_search_call'))).toEqual([
        ...['file_search_call.in_progress', 'file_search_call.searching', 'file_search_call.completed'],
      ]);
      script();
      const first = { role: 'user' as const, content: 'When is high water?' };
      const again = [
        first,
        ...response.output,
        { role: 'user' as const, content: 'Again?' },
      ] as OpenAI.Responses.ResponseInput;
      expect((await client.responses.create({ model: 'small', input: again, tools, store: false })).status).toBe(
        'completed',
      );
      const stranger = await at('', {
        key: await addStranger(here.server),
        body: { model: 'small', input: 'x', tools },
      });
      expect([stranger.status, stranger.body]).toMatchObject([404, { error: { code: 'library_not_found' } }]);
    },
  );

  it.runIf(isSqliteOrFull(database)).each<[string, Json, string]>([
    ['n', { n: 2 }, 'unknown_parameter'],
    [
      'a vector store that is no library',
      { tools: [{ type: 'file_search', vector_store_ids: ['vs'] }] },
      'invalid_value',
    ],
    ['a response that never was', { previous_response_id: `resp_${'0'.repeat(32)}` }, 'previous_response_not_found'],
    ['an id that is none', { previous_response_id: 'x'.repeat(200) }, 'previous_response_not_found'],
    [
      'an MCP server of its own',
      { tools: [{ type: 'mcp', server_label: 'x', server_url: 'https://example.test' }] },
      'invalid_value',
    ],
    ['an item that is nowhere', { input: [{ type: 'item_reference', id: 'msg_1' }] }, 'input_item_not_found'],
    ['a connector that does not exist', { tools: [{ type: 'mcp', server_label: 'none' }] }, 'connector_not_found'],
    ['a conversation', { conversation: 'conv_1' }, 'invalid_value'],
    ['the background without being stored', { background: true, store: false }, 'option_unsupported'],
    ['a function that is not there', { tool_choice: { type: 'function', name: 'f' } }, 'option_unsupported'],
    ['an unknown model', { model: 'nothing' }, 'model_not_found'],
  ])('refuses %s, and stores nothing', async (_, fields, code) => {
    const before = [await count('responses'), await count('conversations'), await count('conversation_entries')];
    const { status, body } = await at('', { body: { model: 'small', input: 'x', ...fields } });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body).toMatchObject({ error: { code } });
    expect([await count('responses'), await count('conversations'), await count('conversation_entries')]).toEqual(
      before,
    );
  });

  it('of a conversation that is deleted is deleted with it', async () => {
    const { id } = await client.responses.create({ model: 'small', input: 'Gone' });
    const { body } = await call(here.server, '/v1/conversations?page_size=1');
    await call(here.server, `/v1/conversations/${(body as { id: string }[])[0]?.id}`, { method: 'DELETE' });
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });
});
