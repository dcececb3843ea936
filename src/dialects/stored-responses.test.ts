import OpenAI from 'openai';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onEachDatabase } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { type Conversing, startConversing } from '../conversations/conversations-for-tests.ts';

type Json = Record<string, unknown>;

onEachDatabase('a stored response', (database) => {
  let here: Conversing;
  let client: OpenAI;
  beforeAll(async () => {
    here = await startConversing(database);
    client = new OpenAI({ baseURL: `${here.server.url}/openai/v1`, apiKey: here.server.key, maxRetries: 0 });
  });
  const sent = () => here.upstream.calls.at(-1)?.body as { messages: Json[] } & Json;
  const roles = () => sent().messages.map(({ role }) => role);
  const at = (path: string, options: Parameters<typeof call>[2] = {}) =>
    call(here.server, `/openai/v1/responses${path}`, options);
  const count = async (table: 'responses' | 'conversations' | 'conversation_entries') => {
    const rows = await here.server.platform.database.db.selectFrom(table).selectAll().execute();
    return rows.length;
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

  it('calls functions of the client, whose results continue it', async () => {
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

  it('streams the events of the stateless one, and again the same after any number', async () => {
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
    expect(last.response).toMatchObject({ status: 'completed', output: [{ type: 'reasoning' }, { type: 'message' }] });
    const { id } = last.response;
    expect((await client.responses.retrieve(id)).output).toEqual(last.response.output);
    const again: unknown[] = [];
    for await (const event of await client.responses.retrieve(id, { stream: true, starting_after: 3 }))
      again.push(event);
    expect(again).toEqual(events.slice(4));
  });

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

  it('runs tools of the server and shows them as items', async () => {
    here.says({ calls: [{ name: 'code_interpreter', arguments: { code: 'print(6 * 7)' } }] }, { words: ['It is 42'] });
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
  }, 60_000);

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

  it('is missing to others, in the words of one that never was', async () => {
    const { id } = await client.responses.create({ model: 'small', input: 'Mine' });
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
      const { status, body } = await at('', { key, body: { model: 'small', input: 'x', previous_response_id: id } });
      expect([status, body]).toMatchObject([
        400,
        { error: { code: 'previous_response_not_found', param: 'previous_response_id' } },
      ]);
    }
  });

  it.each<[string, Json, string]>([
    ['n', { n: 2 }, 'unknown_parameter'],
    ['a tool that does not exist', { tools: [{ type: 'file_search', vector_store_ids: ['vs'] }] }, 'invalid_value'],
    [
      'an MCP server of its own',
      { tools: [{ type: 'mcp', server_label: 'x', server_url: 'https://example.test' }] },
      'invalid_value',
    ],
    ['a conversation', { conversation: 'conv_1' }, 'invalid_value'],
    ['the background without being stored', { background: true, store: false }, 'option_unsupported'],
    ['a function that is not there', { tool_choice: { type: 'function', name: 'f' } }, 'option_unsupported'],
    ['an unknown model', { model: 'nothing' }, 'model_not_found'],
  ])('refuses %s, and stores nothing', async (_, fields, code) => {
    const before = await count('responses');
    const { status, body } = await at('', { body: { model: 'small', input: 'x', ...fields } });
    expect(status).toBeGreaterThanOrEqual(400);
    expect(status).toBeLessThan(500);
    expect(body).toMatchObject({ error: { code } });
    expect(await count('responses')).toBe(before);
  });

  it('of a conversation that is deleted is deleted with it', async () => {
    const { id } = await client.responses.create({ model: 'small', input: 'Gone' });
    const { body } = await call(here.server, '/v1/conversations?page_size=1');
    await call(here.server, `/v1/conversations/${(body as { id: string }[])[0]?.id}`, { method: 'DELETE' });
    await expect(client.responses.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });
});
