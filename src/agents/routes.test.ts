import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { doublingSchema } from '../../test/support/expensive-schemas.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { type Conversing, MODEL, startConversing } from '../conversations/conversations-for-tests.ts';

type Agent = Record<string, unknown> & { id: string; version: number; versions: number[] };
const path = '/v1/agents';

onEachDatabase('/v1/agents', (database) => {
  let conversing: Conversing;
  beforeAll(async () => {
    conversing = await startConversing(database);
  });
  const send = (method: string, at: string, body?: unknown, key?: string) =>
    call(conversing.server, at, { method, key, ...(body === undefined ? {} : { body }) });
  const create = async (body: Record<string, unknown> = {}): Promise<Agent> => {
    const answer = await send('POST', path, { model: MODEL, name: 'Helper', ...body });
    expect(answer.status, answer.text).toBe(200);
    return answer.body as Agent;
  };

  it.runIf(isSqliteOrFull(database))(
    '400 for a model or a prompt that the workspace does not have; one that is gone later hinders no other change',
    async () => {
      const invalid = { status: 400, body: { type: 'invalid_model', code: '1500' } };
      expect(await send('POST', path, { model: 'gone', name: 'x' })).toMatchObject(invalid);
      expect(await send('POST', path, { model: 'prompt:a#x', name: 'x' })).toMatchObject(invalid);
      expect((await send('POST', path, { model: 'prompt:gone', name: 'x' })).status).toBe(404);
      const { id } = await create();
      expect(await send('PATCH', `${path}/${id}`, { model: 'gone' })).toMatchObject(invalid);
      expect((await send('PATCH', `${path}/${id}`, { model: MODEL, name: 'Other' })).status).toBe(200);
      const definition = { content: 'Hi' };
      expect((await send('POST', '/v2/prompts', { name: 'later', definition })).status).toBe(200);
      expect((await send('POST', path, { model: 'prompt:later@production', name: 'x' })).status).toBe(200);
    },
  );

  describe('200', () => {
    it('creates an agent with all that was given; its first version is 0 [AGENTS-CREATE] [AGENTS-VERSION-ZERO]', async () => {
      const tools = [{ type: 'function', function: { name: 'add', description: '', strict: false, parameters: {} } }];
      const given = {
        instructions: 'Be short.',
        description: 'Adds numbers',
        tools,
        completion_args: { temperature: 0.3, tool_choice: 'auto' },
        metadata: { team: 'blue' },
        version_message: 'first',
      };
      const agent = await create(given);
      expect(agent).toMatchObject({
        object: 'agent',
        id: expect.stringMatching(/^ag_[0-9a-f]{32}$/),
        name: 'Helper',
        model: MODEL,
        version: 0,
        versions: [0],
        deployment_chat: false,
        source: 'api',
        guardrails: null,
        handoffs: null,
        ...given,
      });
      expect((await send('GET', `${path}/${agent.id}`)).body).toEqual(agent);
      expect(Object.keys(agent)).not.toContain('change_id');
    });

    it('makes a new version with each update, the current one, and keeps what was left out', async () => {
      const { id } = await create({ instructions: 'One.', description: 'd' });
      const updated = (await send('PATCH', `${path}/${id}`, { instructions: 'Two.', deployment_chat: true }))
        .body as Agent;
      expect(updated).toMatchObject({
        version: 1,
        versions: [0, 1],
        instructions: 'Two.',
        description: 'd',
        deployment_chat: true,
      });
      expect((await send('PATCH', `${path}/${id}`, { instructions: 'One.' })).body).toMatchObject({ version: 2 });
      expect((await send('GET', `${path}/${id}?agent_version=0`)).body).toMatchObject({
        version: 0,
        instructions: 'One.',
      });
      expect((await send('GET', `${path}/${id}/versions/1`)).body).toMatchObject({ instructions: 'Two.' });
      const list = (await send('GET', `${path}/${id}/versions?page_size=2`)).body as Agent[];
      expect(list.map(({ version }) => version)).toEqual([2, 1]);
      const rest = (await send('GET', `${path}/${id}/versions?page_size=2&page=1`)).body as Agent[];
      expect(rest.map(({ version }) => version)).toEqual([0]);
    });

    it('switches back to a version, and goes on counting from the newest', async () => {
      const { id } = await create({ instructions: 'One.' });
      await send('PATCH', `${path}/${id}`, { instructions: 'Two.' });
      expect((await send('PATCH', `${path}/${id}/version?version=0`)).body).toMatchObject({
        version: 0,
        instructions: 'One.',
      });
      expect((await send('GET', `${path}/${id}`)).body).toMatchObject({ version: 0, versions: [0, 1] });
      expect((await send('PATCH', `${path}/${id}`, { description: 'x' })).body).toMatchObject({
        version: 2,
        instructions: 'One.',
      });
    });

    it('loses no change of twenty updates at once', async () => {
      const { id } = await create({ metadata: {} });
      const fields = ['instructions', 'description', 'name', 'version_message'];
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) =>
          send('PATCH', `${path}/${id}`, { [fields[n % 4] ?? '']: `value ${n % 4}` }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
      const agent = (await send('GET', `${path}/${id}`)).body;
      expect(agent).toMatchObject({ instructions: 'value 0', description: 'value 1', name: 'value 2', version: 20 });
    });

    it('sets, moves, lists and takes away aliases, and reads by them', async () => {
      const { id } = await create({ instructions: 'One.' });
      await send('PATCH', `${path}/${id}`, { instructions: 'Two.' });
      const set = await send('PUT', `${path}/${id}/aliases?alias=stable&version=0`);
      expect(set.body).toMatchObject({ alias: 'stable', version: 0 });
      await send('PUT', `${path}/${id}/aliases?alias=stable&version=1`);
      await send('PUT', `${path}/${id}/aliases?alias=beta&version=1`);
      const aliases = (await send('GET', `${path}/${id}/aliases`)).body as Record<string, string>[];
      expect(aliases).toMatchObject([
        { alias: 'beta', version: 1 },
        { alias: 'stable', version: 1, created_at: (set.body as Record<string, string>).created_at },
      ]);
      expect((await send('GET', `${path}/${id}?agent_version=stable`)).body).toMatchObject({ instructions: 'Two.' });
      const gone = await send('DELETE', `${path}/${id}/aliases?alias=stable`);
      expect({ status: gone.status, text: gone.text }).toEqual({ status: 204, text: '' });
      expect((await send('GET', `${path}/${id}/versions/stable`)).status).toBe(404);
    });

    it('lists newest first, by page, by token and by what an agent is', async () => {
      const team = `t${Math.random()}`;
      const made: string[] = [];
      for (const name of ['Alpha', 'Beta 100%', 'Gamma']) made.unshift((await create({ name, metadata: { team } })).id);
      const filter = `metadata=${encodeURIComponent(JSON.stringify({ team }))}`;
      const ids = async (query: string) =>
        ((await send('GET', `${path}?${query}`)).body as Agent[]).map(({ id }) => id);
      expect(await ids(filter)).toEqual(made);
      expect(await ids(`${filter}&page=1&page_size=2`)).toEqual(made.slice(2));
      expect(await ids(`${filter}&name=Alpha`)).toEqual([made[2]]);
      expect(await ids(`${filter}&search=${encodeURIComponent('100%')}`)).toEqual([made[1]]);
      expect(await ids(`${filter}&id=${made[0]}`)).toEqual([made[0]]);
      expect(await ids(`${filter}&deployment_chat=true`)).toEqual([]);
      expect(await ids(`${filter}&sources=playground`)).toEqual([]);
      const first = (await send('GET', `${path}/pages?${filter}&page_size=2`)).body as {
        data: Agent[];
        next_page_token: string;
      };
      expect(first.data.map(({ id }) => id)).toEqual(made.slice(0, 2));
      const next = `${path}/pages?${filter}&page_size=2&page_token=${encodeURIComponent(first.next_page_token)}`;
      expect((await send('GET', next)).body).toMatchObject({ data: [{ id: made[2] }], next_page_token: null });
      const altered = next.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
      expect((await send('GET', altered)).status).toBe(400);
    });

    it.runIf(isSqliteOrFull(database))(
      'completes a chat with its model, instructions and settings, and pads every chunk [AGENTS-P]',
      async () => {
        const { id } = await create({ instructions: 'Be short.', completion_args: { temperature: 0.25 } });
        const body = { agent_id: id, messages: [{ role: 'user', content: 'Hi' }] };
        const answer = await send('POST', `${path}/completions`, body);
        expect(answer.body).toMatchObject({ object: 'chat.completion', model: MODEL });
        expect(answer.headers.get('tramontane-agent-version')).toBe(`${id}#0`);
        expect(conversing.upstream.calls.at(-1)?.body).toMatchObject({
          temperature: 0.25,
          messages: [
            { role: 'system', content: 'Be short.' },
            { role: 'user', content: 'Hi' },
          ],
        });
        const stream = await send('POST', `${path}/completions`, { ...body, stream: true });
        const chunks = stream.text.split('\n\n').filter((line) => line.startsWith('data: {'));
        expect(chunks.length).toBeGreaterThan(1);
        for (const chunk of chunks) expect(JSON.parse(chunk.slice(6))).toHaveProperty('p');
      },
    );

    it.runIf(isSqliteOrFull(database))('completes a chat with the narrowest top_p that an agent may have', async () => {
      const { id } = await create({ completion_args: { top_p: 0 } });
      const body = { agent_id: id, messages: [{ role: 'user', content: 'Hi' }] };
      expect(await send('POST', `${path}/completions`, body)).toMatchObject({ status: 200 });
      expect(conversing.upstream.calls.at(-1)?.body).toMatchObject({ top_p: 0 });
    });

    it.runIf(isSqliteOrFull(database))(
      'is tagged beta in the interface description [AGENTS-OPENAPI-BETA] [CONVERSATIONS-OPENAPI-BETA]',
      async () => {
        const { paths } = (await call(conversing.server, '/openapi.json')).body as {
          paths: Record<string, Record<string, { tags: string[] }>>;
        };
        for (const [at, operations] of Object.entries(paths))
          if (/^\/v1\/(agents|conversations)/.test(at) && at !== '/v1/agents/completions')
            for (const { tags } of Object.values(operations)) expect(tags[0]).toMatch(/^beta\./);
      },
    );
  });

  describe.runIf(isSqliteOrFull(database))('refusals', () => {
    const routes: [string, string, unknown?][] = [
      ['GET', `${path}/ID`],
      ['PATCH', `${path}/ID`, { name: 'x' }],
      ['DELETE', `${path}/ID`],
      ['PATCH', `${path}/ID/version?version=0`],
      ['GET', `${path}/ID/versions`],
      ['GET', `${path}/ID/versions/0`],
      ['GET', `${path}/ID/aliases`],
      ['PUT', `${path}/ID/aliases?alias=a&version=0`],
      ['DELETE', `${path}/ID/aliases?alias=a`],
      ['POST', `${path}/completions`, { agent_id: 'ID', messages: [{ role: 'user', content: 'x' }] }],
    ];

    it('404: another workspace sees nothing, a colleague sees it [AGENTS-WORKSPACE]', async () => {
      const { id } = await create();
      const [stranger, colleague] = [await addStranger(conversing.server), await addColleague(conversing.server)];
      for (const [method, at, body] of routes) {
        const ask = (agent: string, key?: string) =>
          send(
            method,
            at.replace('ID', agent),
            JSON.parse(JSON.stringify(body ?? null).replace('ID', agent)) ?? undefined,
            key,
          );
        const missing = await ask('ag_0');
        const foreign = await ask(id, stranger);
        expect({ at, status: foreign.status, text: foreign.text }).toEqual({
          at,
          status: 404,
          text: missing.text.replaceAll('ag_0', id),
        });
      }
      expect((await send('GET', path, undefined, stranger)).body).toEqual([]);
      expect((await send('GET', `${path}/${id}`, undefined, colleague)).status).toBe(200);
    });

    it('401 and 403: without a key, and without the permission', async () => {
      const { id } = await create();
      for (const [method, at, body] of routes)
        expect((await send(method, at.replace('ID', id), body, 'wrong')).status).toBe(401);
      const billing = await addColleague(conversing.server, 'billing');
      expect((await send('POST', path, { model: MODEL, name: 'x' }, billing)).status).toBe(403);
    });

    it('400: a handoff to nobody, the alias latest', async () => {
      const { id } = await create();
      const refused = async (method: string, at: string, body?: unknown) => {
        const answer = await send(method, at, body);
        expect(answer.status).toBe(400);
        return (answer.body as { message: string }).message;
      };
      expect(await refused('POST', path, { model: MODEL, name: 'x', handoffs: ['ag_0'] })).toContain('ag_0');
      expect(await refused('PUT', `${path}/${id}/aliases?alias=latest&version=0`)).toContain('latest');
    });

    it.each([
      ['no body', undefined],
      ['no name', { model: MODEL }],
      ['an unknown property', { model: MODEL, name: 'x', temperature: 1 }],
      ['a long message', { model: MODEL, name: 'x', version_message: 'x'.repeat(501) }],
      ['no handoffs', { model: MODEL, name: 'x', handoffs: [] }],
    ])('422: %s [AGENTS-CREATE-BODY] [AGENTS-CREATE-422]', async (_what, body) => {
      expect((await send('POST', path, body)).status).toBe(422);
    });

    it('422: a schema that takes too much work to check, in a tool or in the response format', async () => {
      const tools = [{ type: 'function', function: { name: 'add', parameters: doublingSchema } }];
      const json_schema = { name: 'answer', schema: doublingSchema };
      const completion_args = { response_format: { type: 'json_schema', json_schema } };
      for (const [fields, loc] of [
        [{ tools }, ['body', 'tools', 0, 'function', 'parameters']],
        [{ completion_args }, ['body', 'completion_args', 'response_format', 'json_schema', 'schema']],
      ] as const) {
        const { status, body } = await send('POST', path, { model: MODEL, name: 'Costly', ...fields });
        expect(status).toBe(422);
        expect(body).toMatchObject({ detail: [{ type: 'schema_too_expensive', loc }] });
      }
    });

    it.each(['agent_version=', 'page=0'])('422 or 404: reading with %s', async (query) => {
      const { id } = await create();
      expect([404, 422]).toContain((await send('GET', `${path}/${id}?${query}`)).status);
    });
  });
});
