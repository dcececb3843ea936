import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { doublingSchema } from '../../test/support/expensive-schemas.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { type Conversing, MODEL, post, readEvents, startConversing } from './conversations-for-tests.ts';

type Body = Record<string, unknown> & { conversation_id: string; outputs: Record<string, unknown>[] };

onEachDatabase('conversations', (database) => {
  let conversing: Conversing;
  beforeAll(async () => {
    conversing = await startConversing(database);
  });
  const path = '/v1/conversations';
  const send = (at: string, body: unknown, headers?: Record<string, string>) =>
    call(conversing.server, at, { body, ...(headers ? { headers } : {}) });
  const start = async (body: Record<string, unknown> = {}): Promise<Body> => {
    const answer = await send(path, { model: MODEL, inputs: 'Hi', ...body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body as Body;
  };
  const historyOf = async (id: string) =>
    ((await call(conversing.server, `${path}/${id}/history`)).body as { entries: Record<string, unknown>[] }).entries;
  const lastQuestion = () => conversing.upstream.calls.at(-1)?.body.messages;

  describe('200', () => {
    it('starts from a model, answers the new entries, and keeps all of them [CONVERSATIONS-START-MODEL] [CONVERSATIONS-HISTORY] [CONVERSATIONS-ENTRIES]', async () => {
      conversing.says({ words: ['Bon', 'jour'] });
      const started = await start({ instructions: 'Speak French.' });
      expect(started).toMatchObject({
        object: 'conversation.response',
        conversation_id: expect.stringMatching(/^conv_[0-9a-f]{32}$/),
        outputs: [{ object: 'entry', type: 'message.output', role: 'assistant', content: 'Bonjour', model: MODEL }],
        usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10, connector_tokens: null, connectors: null },
        guardrails: null,
      });
      expect(lastQuestion()).toEqual([
        { role: 'system', content: 'Speak French.' },
        { role: 'user', content: 'Hi' },
      ]);
      expect(await historyOf(started.conversation_id)).toMatchObject([
        { type: 'message.input', role: 'user', content: 'Hi', prefix: false, completed_at: null },
        { type: 'message.output', content: 'Bonjour', id: started.outputs[0]?.id },
      ]);
    });

    it('appends after the run, with everything before it said to the model [CONVERSATIONS-APPEND] [CONVERSATIONS-APPEND-AFTER-RUN]', async () => {
      const { conversation_id } = await start();
      const answer = await send(`${path}/${conversation_id}`, { inputs: [{ role: 'user', content: 'And now?' }] });
      expect(answer.body).toMatchObject({ conversation_id, outputs: [{ content: 'Hello there' }] });
      expect(lastQuestion()).toEqual([
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello there' },
        { role: 'user', content: 'And now?' },
      ]);
      expect((await historyOf(conversation_id)).map(({ type }) => type)).toEqual([
        'message.input',
        'message.output',
        'message.input',
        'message.output',
      ]);
    });

    it.runIf(isSqliteOrFull(database))(
      'returns a function of the client as a call and goes on with its result',
      async () => {
        const tools = [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }];
        conversing.says({ words: ['Let me see.'], calls: [{ name: 'add', arguments: { a: 1 }, id: 'abcdefgh1' }] });
        const { conversation_id, outputs } = await start({ tools });
        expect(outputs).toMatchObject([
          { type: 'message.output', content: 'Let me see.' },
          { type: 'function.call', name: 'add', tool_call_id: 'abcdefgh1', arguments: '{"a":1}', completed_at: null },
        ]);
        const result = { type: 'function.result', tool_call_id: 'abcdefgh1', result: '3' };
        await send(`${path}/${conversation_id}`, { inputs: [result] });
        expect(lastQuestion()).toMatchObject([
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: 'Let me see.',
            tool_calls: [{ id: 'abcdefgh1', function: { name: 'add', arguments: '{"a":1}' } }],
          },
          { role: 'tool', tool_call_id: 'abcdefgh1', content: '3' },
        ]);
      },
    );

    it.runIf(isSqliteOrFull(database))(
      'takes a prompt of the registry as its model, with the variables of its metadata',
      async () => {
        const prompt = {
          name: 'poet',
          definition: { content: 'Rhyme about {{topic}}.', variables: [{ name: 'topic' }] },
        };
        await send('/v2/prompts', prompt);
        await call(conversing.server, '/v2/prompts/poet/model', { method: 'PUT', body: { model: MODEL } });
        const { outputs, conversation_id } = await start({
          model: 'prompt:poet',
          metadata: { variables: { topic: 'wind' } },
        });
        expect(outputs).toMatchObject([{ type: 'message.output', content: 'Hello there', model: MODEL }]);
        expect(lastQuestion()).toEqual([
          { role: 'system', content: 'Rhyme about wind.' },
          { role: 'user', content: 'Hi' },
        ]);
        await send(`${path}/${conversation_id}`, { inputs: 'More' });
        expect(lastQuestion()).toMatchObject([{ content: 'Rhyme about wind.' }, {}, {}, { content: 'More' }]);
        const missing = await send(path, { model: 'prompt:poet', inputs: 'Hi' });
        expect(missing).toMatchObject({ status: 422 });
        expect(missing.text).toContain('topic');
      },
    );

    it.runIf(isSqliteOrFull(database))('shows thoughts before the text', async () => {
      conversing.says({ thinking: 'Hm.', words: ['Yes.'] });
      const { outputs } = await start();
      expect(outputs[0]?.content).toEqual([
        { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }], closed: true },
        { type: 'text', text: 'Yes.' },
      ]);
    });

    it('restarts from an entry, with it, into a new conversation, and leaves the old one as it was [CONVERSATIONS-RESTART] [CONVERSATIONS-RESTART-NEW] [CONVERSATIONS-RESTART-INCLUSIVE] [CONVERSATIONS-RESTART-WITHOUT-APPEND]', async () => {
      const { conversation_id, outputs } = await start({ metadata: { team: 'blue' }, instructions: 'Be kind.' });
      const before = await historyOf(conversation_id);
      const answer = await send(`${path}/${conversation_id}/restart`, {
        from_entry_id: outputs[0]?.id,
        inputs: 'Another way?',
      });
      const restarted = answer.body as Body;
      expect(restarted.conversation_id).not.toBe(conversation_id);
      expect(lastQuestion()).toEqual([
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello there' },
        { role: 'user', content: 'Another way?' },
      ]);
      expect(await historyOf(conversation_id)).toEqual(before);
      expect((await historyOf(restarted.conversation_id)).slice(0, 2)).toEqual(before);
      expect((await call(conversing.server, `${path}/${restarted.conversation_id}`)).body).toMatchObject({
        metadata: { team: 'blue' },
        instructions: 'Be kind.',
      });
    });

    it.runIf(isSqliteOrFull(database))(
      'reads a conversation in its own kind [CONVERSATIONS-GET] [CONVERSATIONS-KINDS]',
      async () => {
        const { conversation_id } = await start({ name: 'n', description: 'd', completion_args: { temperature: 0.5 } });
        expect((await call(conversing.server, `${path}/${conversation_id}`)).body).toMatchObject({
          object: 'conversation',
          id: conversation_id,
          model: MODEL,
          name: 'n',
          description: 'd',
          tools: [],
          completion_args: { temperature: 0.5 },
        });
      },
    );

    it('shows the messages and no other entry [CONVERSATIONS-MESSAGES]', async () => {
      const tools = [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }];
      conversing.says({ calls: [{ name: 'add', arguments: {} }] });
      const { conversation_id } = await start({ tools });
      const { body } = await call(conversing.server, `${path}/${conversation_id}/messages`);
      expect(body).toMatchObject({ object: 'conversation.messages', messages: [{ type: 'message.input' }] });
    });

    it('lists newest first, by pages, and by metadata [CONVERSATIONS-LIST] [CONVERSATIONS-LIST-ORDER] [CONVERSATIONS-LIST-METADATA] [CONVERSATIONS-PAGE-DEFAULT] [CONVERSATIONS-PAGE-SIZE-DEFAULT]', async () => {
      const tag = `t${Math.random()}`;
      const made: string[] = [];
      for (const n of [1, 2, 3])
        made.unshift((await start({ metadata: { tag, n, on: n === 1, list: [n] } })).conversation_id);
      const list = async (query: Record<string, string>) =>
        ((await call(conversing.server, `${path}?${new URLSearchParams(query)}`)).body as { id: string }[]).map(
          ({ id }) => id,
        );
      const of = (metadata: unknown) => ({ metadata: JSON.stringify(metadata) });
      expect(await list(of({ tag }))).toEqual(made);
      expect((await list({})).slice(0, 3)).toEqual(made);
      expect(await list({ ...of({ tag }), page: '1', page_size: '2' })).toEqual(made.slice(2));
      expect(await list(of({ tag, n: 2 }))).toEqual([made[1]]);
      expect(await list(of({ tag, on: true }))).toEqual([made[2]]);
      expect(await list(of({ tag, list: [3] }))).toEqual([made[0]]);
      expect(await list(of({ tag, n: '2' }))).toEqual([]);
    });

    it.runIf(isSqliteOrFull(database))(
      'streams the run as events, each with the number to resume after [CONVERSATIONS-EVENTS]',
      async () => {
        conversing.says({ words: ['One ', 'two'] });
        const response = await post(conversing.server, path, { model: MODEL, inputs: 'Count', stream: true });
        expect(response.headers.get('content-type')).toContain('text/event-stream');
        const { events } = await readEvents(response);
        expect(events[0]?.event).toBe('conversation.response.started');
        expect(events.at(-1)).toMatchObject({
          event: 'conversation.response.done',
          data: { type: 'conversation.response.done', usage: { total_tokens: 10 } },
        });
        const deltas = events.filter(({ event }) => event === 'message.output.delta');
        expect(deltas.map(({ data }) => data.content).join('')).toBe('One two');
        for (const { data } of deltas)
          expect(data).toMatchObject({ output_index: 0, content_index: 0, role: 'assistant' });
        expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
      },
    );

    it.runIf(isSqliteOrFull(database))(
      'keeps nothing with store false, and streams all the same [CONVERSATIONS-STORE-FALSE]',
      async () => {
        const { conversation_id } = await start({ store: false });
        expect((await send(`${path}/${conversation_id}`, { inputs: 'More' })).status).toBe(404);
        const response = await post(conversing.server, path, {
          model: MODEL,
          inputs: 'Hi',
          stream: true,
          store: false,
        });
        const { events } = await readEvents(response);
        expect(events.map(({ event }) => event)).toEqual([
          'conversation.response.started',
          ...events.slice(1, -1).map(() => 'message.output.delta'),
          'conversation.response.done',
        ]);
        const kept = await start();
        await send(`${path}/${kept.conversation_id}`, { inputs: 'Off the record', store: false });
        expect(await historyOf(kept.conversation_id)).toHaveLength(2);
      },
    );
  });

  describe('204', () => {
    it('deletes without a body, and everything of it is gone [CONVERSATIONS-DELETE] [CONVERSATIONS-DELETE-GONE]', async () => {
      const { conversation_id } = await start();
      const deleted = await call(conversing.server, `${path}/${conversation_id}`, { method: 'DELETE' });
      expect({ status: deleted.status, text: deleted.text }).toEqual({ status: 204, text: '' });
      for (const at of ['', '/history', '/messages', '/events'])
        expect((await call(conversing.server, `${path}/${conversation_id}${at}`)).status).toBe(404);
      expect((await send(`${path}/${conversation_id}`, { inputs: 'x' })).status).toBe(404);
      const all = (await call(conversing.server, path)).body as { id: string }[];
      expect(all.map(({ id }) => id)).not.toContain(conversation_id);
    });
  });

  describe.runIf(isSqliteOrFull(database))('400', () => {
    it.each([
      ['both model and agent', { agent_id: 'ag_1' }, 'not both'],
      ['neither', { model: null }, 'one of the two'],
      ['a version without an agent', { agent_version: 1 }, 'agent_id'],
      ['an unknown model', { model: 'nobody' }, 'nobody'],
      ['an assistant first', { inputs: [{ role: 'assistant', content: 'I begin' }] }, 'first role'],
      ['nothing said', { inputs: [] }, 'at least one message'],
    ])('refuses %s, and keeps nothing', async (_what, body, sentence) => {
      const count = async () => ((await call(conversing.server, `${path}?page_size=1000`)).body as unknown[]).length;
      const before = await count();
      const answer = await send(path, { model: MODEL, inputs: 'Hi', ...body });
      expect(answer.status).toBe(400);
      expect((answer.body as { message: string }).message).toContain(sentence);
      expect(await count()).toBe(before);
    });

    it('refuses a user message while a call waits for its result', async () => {
      conversing.says({ calls: [{ name: 'add', arguments: {} }] });
      const tools = [{ type: 'function', function: { name: 'add', parameters: { type: 'object' } } }];
      const { conversation_id } = await start({ tools });
      const answer = await send(`${path}/${conversation_id}`, { inputs: 'Never mind' });
      expect(answer).toMatchObject({ status: 400, body: { code: '3230' } });
      expect(await historyOf(conversation_id)).toHaveLength(2);
    });
  });

  describe.runIf(isSqliteOrFull(database))('401, 403 and 404', () => {
    const routes: [string, string][] = [
      ['GET', path],
      ['POST', path],
      ...['', '/history', '/messages', '/events'].map((tail): [string, string] => ['GET', `${path}/ID${tail}`]),
      ['POST', `${path}/ID`],
      ['POST', `${path}/ID/restart`],
      ['DELETE', `${path}/ID`],
    ];
    const bodyFor = (at: string) => ({ inputs: 'x', ...(at.endsWith('restart') ? { from_entry_id: 'e' } : {}) });
    const request = (method: string, at: string, key?: string) =>
      call(conversing.server, at, { method, key, ...(method === 'POST' ? { body: bodyFor(at) } : {}) });

    it.each(routes)('%s %s asks for a key', async (method, at) => {
      expect((await request(method, at, 'wrong')).status).toBe(401);
    });

    it('is missing to another user of the workspace and to another workspace, in the same words [CONVERSATIONS-OWNER]', async () => {
      const { conversation_id } = await start();
      const others = [await addColleague(conversing.server), await addStranger(conversing.server)];
      for (const [method, at] of routes.filter(([, at]) => at.includes('ID'))) {
        const missing = await request(method, at.replace('ID', 'conv_0'));
        expect(missing.status).toBe(404);
        for (const key of others) {
          const answer = await request(method, at.replace('ID', conversation_id), key);
          expect({ status: answer.status, text: answer.text }).toEqual({
            status: 404,
            text: missing.text.replace('conv_0', conversation_id),
          });
        }
      }
      for (const key of others) expect((await call(conversing.server, path, { key })).body).toEqual([]);
      expect(await historyOf(conversation_id)).toHaveLength(2);
    });
  });

  describe.runIf(isSqliteOrFull(database))('422', () => {
    it.each([
      ['without a body', undefined, ['body']],
      ['an unknown property', { model: MODEL, inputs: 'x', temperature: 1 }, ['body', 'temperature']],
      ['no inputs', { model: MODEL }, ['body', 'inputs']],
      [
        'a temperature over 1',
        { model: MODEL, inputs: 'x', completion_args: { temperature: 1.2 } },
        ['body', 'completion_args', 'temperature'],
      ],
    ])('refuses a start: %s [CONVERSATIONS-START-BODY] [CONVERSATIONS-START-422]', async (_what, body, loc) => {
      const answer = await call(conversing.server, path, { method: 'POST', ...(body ? { body } : {}) });
      expect(answer.status).toBe(422);
      expect((answer.body as { detail: { loc: unknown[] }[] }).detail[0]?.loc.slice(0, loc.length)).toEqual(loc);
    });

    it('refuses a start with a schema that takes too much work to check, and stores nothing', async () => {
      const tools = [{ type: 'function', function: { name: 'add', parameters: doublingSchema } }];
      const before = await call(conversing.server, path);
      const { status, body } = await call(conversing.server, path, { body: { model: MODEL, inputs: 'x', tools } });
      expect(status).toBe(422);
      expect(body).toMatchObject({ detail: [{ type: 'schema_too_expensive' }] });
      expect((await call(conversing.server, path)).body).toEqual(before.body);
    });

    it('refuses appends and restarts that are not valid [CONVERSATIONS-APPEND-BODY] [CONVERSATIONS-APPEND-422] [CONVERSATIONS-RESTART-BODY] [CONVERSATIONS-RESTART-ENTRY]', async () => {
      const { conversation_id } = await start();
      const status = async (tail: string, body?: unknown) =>
        (
          await call(conversing.server, `${path}/${conversation_id}${tail}`, {
            method: 'POST',
            ...(body ? { body } : {}),
          })
        ).status;
      expect(await status('')).toBe(422);
      expect(await status('', { inputs: 'x', model: MODEL })).toBe(422);
      expect(await status('', { inputs: [{ role: 'user', content: 'x', colour: 'red' }] })).toBe(422);
      expect(await status('/restart')).toBe(422);
      expect(await status('/restart', { inputs: 'x' })).toBe(422);
    });

    it.each(['page=-1', 'page=x', 'page_size=0', 'page_size=1001', 'metadata=[1]', 'metadata={', 'colour=red'])(
      'refuses a list with %s [CONVERSATIONS-LIST-422]',
      async (query) => {
        expect((await call(conversing.server, `${path}?${query}`)).status).toBe(422);
      },
    );
  });

  it.runIf(isSqliteOrFull(database))(
    'does not write on the messages path [CONVERSATIONS-MESSAGES-READ-ONLY]',
    async () => {
      const { conversation_id } = await start();
      expect((await send(`${path}/${conversation_id}/messages`, { inputs: 'x' })).status).toBe(405);
    },
  );
});
