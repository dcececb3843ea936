import { Mistral } from '@mistralai/mistralai';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { onSqliteFirst } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../test/support/server.ts';
import { json, type ScriptedUpstream, startUpstream } from '../../test/support/upstream.ts';
import { textEvents } from './chat-for-tests.ts';

type Sent = { model: string; messages: { role: string; content: unknown }[] };

onSqliteFirst('a prompt as a model', (database) => {
  let upstream: ScriptedUpstream;
  let server: TestServer;
  const start = () => {
    const small = { id: 'small', engine: 'upstream', url: upstream.url, upstream_model: 'far' };
    const models = [{ ...small, capabilities: { completion_chat: true } }];
    return startTestServer(database, { file: { models } });
  };
  const make = (name: string, content: string, more: object = {}) =>
    call(server, '/v2/prompts', { body: { name, definition: { content }, sharingScope: 'workspace', ...more } });
  const setModel = (name: string, model: string) =>
    call(server, `/v2/prompts/${name}/model`, { method: 'PUT', body: { model } });
  beforeAll(async () => {
    upstream = await startUpstream();
    server = await start();
    await make('helper', 'You are {{ role }}. Again: {{role}}; {{n}}.', { aliases: ['stable'] });
    await call(server, '/v2/prompts/helper/versions', { body: { definition: { content: 'Be {{mood}}.' } } });
    await setModel('helper', 'small');
  });

  const ask = (model: string, more: Record<string, unknown> = {}, key?: string) =>
    call(server, '/v1/chat/completions', {
      key,
      body: { model, messages: [{ role: 'user', content: 'Hello' }], ...more },
    });
  const lastSent = () => upstream.calls.at(-1)?.body as Sent;
  const variables = (values: unknown) => ({ metadata: { variables: values } });

  it('its text is the system message, its model answers, and headers say which version it was [PROMPTS-MODEL]', async () => {
    const { id } = (await call(server, '/v2/prompts/helper')).body as { id: string };
    const answer = await ask('prompt:helper', variables({ mood: 'kind', unused: 1 }));
    expect(answer).toMatchObject({ status: 200, body: { model: 'small' } });
    expect(answer.headers.get('tramontane-prompt-id')).toBe(id);
    expect(answer.headers.get('tramontane-prompt-version')).toBe('2');
    expect(lastSent()).toMatchObject({
      model: 'far',
      messages: [
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: 'Hello' },
      ],
    });
    expect((await ask(`prompt:${id}`, variables({ mood: 'kind' }))).status).toBe(200);
  });

  it('an alias and a number choose the version, and values are never searched for placeholders', async () => {
    for (const model of ['prompt:helper@stable', 'prompt:helper#1']) {
      const answer = await ask(model, variables({ role: '{{n}}$&', n: 7 }));
      expect(answer.headers.get('tramontane-prompt-version')).toBe('1');
      expect(lastSent().messages[0]?.content).toBe('You are {{n}}$&. Again: {{n}}$&; 7.');
    }
    const latest = await ask('prompt:helper@latest', variables({ mood: 'x' }));
    expect(latest.headers.get('tramontane-prompt-version')).toBe('2');
  });

  it('a system message of the request follows the text of the prompt in one message', async () => {
    const user = { role: 'user', content: 'Hello' };
    for (const content of ['Be brief.', [{ type: 'text', text: 'Be brief.' }]]) {
      const messages = [{ role: 'system', content }, user];
      await ask('prompt:helper', { ...variables({ mood: 'kind' }), messages });
      expect(lastSent().messages).toEqual([{ role: 'system', content: 'Be kind.\n\nBe brief.' }, user]);
    }
  });

  it('streams through the official SDK, and is metered as the model that served', async () => {
    const other = await start();
    upstream.answerWith((_call, response) => textEvents(response, ['Hel', 'lo']));
    const sdk = new Mistral({ serverURL: other.url, apiKey: server.key });
    const stream = await sdk.chat.stream({
      model: 'prompt:helper@latest',
      messages: [{ role: 'user', content: 'Hello' }],
      metadata: { variables: { mood: 'calm' } },
    });
    const models = new Set<string>();
    for await (const { data } of stream) models.add(data.model);
    expect([...models]).toEqual(['small']);
    expect(lastSent().messages[0]?.content).toBe('Be calm.');
    const raw = await call({ url: other.url, key: server.key }, '/v1/chat/completions', {
      body: {
        model: 'prompt:helper',
        stream: true,
        messages: [{ role: 'user', content: 'x' }],
        ...variables({ mood: '1' }),
      },
    });
    expect(raw.headers.get('tramontane-prompt-version')).toBe('2');
    upstream.answerWith((_call, response) => json(response, 500, {}));
    await other.stop();
    const { db } = server.platform.database;
    const used = await db.selectFrom('usage_records').select('model').distinct().execute();
    expect(used).toEqual([{ model: 'small' }]);
  });

  describe('is refused with', () => {
    it('422 and the name of each variable that is missing or no text [PROMPTS-MODEL-VARIABLES]', async () => {
      const at = (...loc: string[]) => ({ loc: ['body', 'metadata', 'variables', ...loc] });
      for (const [metadata, detail] of [
        [
          { variables: { other: 'x' } },
          [
            { type: 'missing', ...at('role') },
            { type: 'missing', ...at('n') },
          ],
        ],
        [
          {},
          [
            { type: 'missing', ...at('role') },
            { type: 'missing', ...at('n') },
          ],
        ],
        [
          null,
          [
            { type: 'missing', ...at('role') },
            { type: 'missing', ...at('n') },
          ],
        ],
        [
          { variables: { role: {}, n: null } },
          [
            { type: 'string_type', ...at('role') },
            { type: 'string_type', ...at('n') },
          ],
        ],
        [{ variables: ['role'] }, [{ type: 'dict_type', ...at() }]],
      ] as const)
        expect(await ask('prompt:helper#1', { metadata })).toMatchObject({ status: 422, body: { detail } });
    });

    it('404 for a prompt, a version or an alias that is not there, also where others have it', async () => {
      for (const model of ['prompt:none', 'prompt:helper#9', 'prompt:helper@none'])
        expect([model, (await ask(model)).status]).toEqual([model, 404]);
      await make('hidden', 'x', { sharingScope: 'private' });
      await setModel('hidden', 'small');
      const [colleague, stranger] = [await addColleague(server), await addStranger(server)];
      for (const key of [colleague, stranger]) expect((await ask('prompt:hidden', {}, key)).status).toBe(404);
      expect((await ask('prompt:helper', variables({ mood: 'x' }), stranger)).status).toBe(404);
    });

    it('400 for a reference that is none, a prompt without a model, and one whose model is gone', async () => {
      const invalid = { status: 400, body: { type: 'invalid_model', code: '1500' } };
      for (const model of ['prompt:', 'prompt:a@', 'prompt:a#', 'prompt:a#x', 'prompt:a@b#1', 'prompt:a#2147483648'])
        expect([model, await ask(model)]).toMatchObject([model, invalid]);
      await make('bare', 'x');
      expect(await ask('prompt:bare')).toMatchObject({
        ...invalid,
        body: { message: expect.stringContaining('tramontane prompts set-model bare') },
      });
      await setModel('bare', 'gone');
      expect(await ask('prompt:bare')).toMatchObject({
        ...invalid,
        body: { message: expect.stringMatching(/^Invalid model: gone\. /) },
      });
    });
  });
});
