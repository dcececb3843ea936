import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Answer, call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { addColleague, addStranger } from '../../test/support/people.ts';
import { type Conversing, MODEL, startConversing } from './conversations-for-tests.ts';

type Body = Record<string, unknown>;
/**
 * How an operation is asked about an object of somebody else. `theirs` says what others get: the words of a missing
 * object, or nothing of ours in a list. `private`: also to colleagues in the same workspace.
 */
type Case = { path: string; body?: Body; theirs: 'missing' | 'empty' | 'own'; private?: boolean };

const FAMILIES = /^\/v1\/(conversations|agents|files|moderations|chat\/moderations)(\/|$)/;
const messages = [{ role: 'user', content: 'x' }];
const cases: Record<string, Case> = {
  agents_api_v1_conversations_start: {
    path: '/v1/conversations',
    body: { agent_id: 'AGENT', inputs: 'x' },
    theirs: 'missing',
  },
  agents_api_v1_conversations_list: { path: '/v1/conversations', theirs: 'empty', private: true },
  agents_api_v1_conversations_get: { path: '/v1/conversations/CONVERSATION', theirs: 'missing', private: true },
  agents_api_v1_conversations_history: {
    path: '/v1/conversations/CONVERSATION/history',
    theirs: 'missing',
    private: true,
  },
  agents_api_v1_conversations_messages: {
    path: '/v1/conversations/CONVERSATION/messages',
    theirs: 'missing',
    private: true,
  },
  tramontane_conversations_events: { path: '/v1/conversations/CONVERSATION/events', theirs: 'missing', private: true },
  agents_api_v1_conversations_append: {
    path: '/v1/conversations/CONVERSATION',
    body: { inputs: 'x' },
    theirs: 'missing',
    private: true,
  },
  agents_api_v1_conversations_restart: {
    path: '/v1/conversations/CONVERSATION/restart',
    body: { inputs: 'x', from_entry_id: 'e' },
    theirs: 'missing',
    private: true,
  },
  agents_api_v1_conversations_delete: { path: '/v1/conversations/CONVERSATION', theirs: 'missing', private: true },
  agents_api_v1_agents_create: {
    path: '/v1/agents',
    body: { model: MODEL, name: 'x', handoffs: ['AGENT'] },
    theirs: 'missing',
  },
  agents_api_v1_agents_list: { path: '/v1/agents', theirs: 'empty' },
  agents_api_v1_agents_list_pages: { path: '/v1/agents/pages', theirs: 'empty' },
  agents_api_v1_agents_get: { path: '/v1/agents/AGENT', theirs: 'missing' },
  agents_api_v1_agents_update: { path: '/v1/agents/AGENT', body: { name: 'y' }, theirs: 'missing' },
  agents_api_v1_agents_update_version: { path: '/v1/agents/AGENT/version?version=0', theirs: 'missing' },
  agents_api_v1_agents_list_versions: { path: '/v1/agents/AGENT/versions', theirs: 'missing' },
  agents_api_v1_agents_get_version: { path: '/v1/agents/AGENT/versions/0', theirs: 'missing' },
  agents_api_v1_agents_create_or_update_alias: {
    path: '/v1/agents/AGENT/aliases?alias=a&version=0',
    theirs: 'missing',
  },
  agents_api_v1_agents_list_version_aliases: { path: '/v1/agents/AGENT/aliases', theirs: 'missing' },
  agents_api_v1_agents_delete_alias: { path: '/v1/agents/AGENT/aliases?alias=a', theirs: 'missing' },
  agents_api_v1_agents_delete: { path: '/v1/agents/AGENT', theirs: 'missing' },
  agents_completion_v1_agents_completions_post: {
    path: '/v1/agents/completions',
    body: { agent_id: 'AGENT', messages },
    theirs: 'missing',
  },
  files_api_routes_list_files: { path: '/v1/files', theirs: 'empty', private: true },
  files_api_routes_retrieve_file: { path: '/v1/files/FILE', theirs: 'missing', private: true },
  files_api_routes_download_file: { path: '/v1/files/FILE/content', theirs: 'missing', private: true },
  files_api_routes_get_signed_url: { path: '/v1/files/FILE/url', theirs: 'missing', private: true },
  files_api_routes_delete_file: { path: '/v1/files/FILE', theirs: 'missing', private: true },
  // What these answer depends on the request alone.
  files_api_routes_upload_file: { path: '/v1/files', theirs: 'own' },
  moderations_v1_moderations_post: { path: '/v1/moderations', body: { model: MODEL, input: 'x' }, theirs: 'own' },
  chat_moderations_v1_chat_moderations_post: {
    path: '/v1/chat/moderations',
    body: { model: MODEL, input: messages },
    theirs: 'own',
  },
};

type Operation = { operationId: string; method: string; path: string };
const document = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Record<string, { operationId?: string; security?: unknown[] }>>;
};
/** All but the signed address, which is for whoever has it. */
const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { operationId = '' }]) =>
    FAMILIES.test(path) && operationId !== 'files_download_signed'
      ? [{ operationId, method: method.toUpperCase(), path }]
      : [],
  ),
);

describe('conversations, agents, files and moderation', () => {
  let conversing: Conversing;
  let others: { colleague: string; stranger: string; billing: string };
  let ids: Record<string, string>;
  beforeAll(async () => {
    conversing = await startConversing(sqliteForTests());
    const { server } = conversing;
    others = {
      colleague: await addColleague(server),
      stranger: await addStranger(server),
      billing: await addColleague(server, 'billing'),
    };
    const form = new FormData();
    form.set('file', new File(['mine'], 'mine.txt'));
    form.set('visibility', 'user');
    const headers = { authorization: `Bearer ${server.key}` };
    const file = await fetch(`${server.url}/v1/files`, { method: 'POST', headers, body: form });
    const idOf = (answer: Answer, key = 'id') => (answer.body as Record<string, string>)[key] ?? '';
    ids = {
      CONVERSATION: idOf(
        await call(server, '/v1/conversations', { body: { model: MODEL, inputs: 'Hi' } }),
        'conversation_id',
      ),
      AGENT: idOf(await call(server, '/v1/agents', { body: { model: MODEL, name: 'Mine' } })),
      FILE: ((await file.json()) as { id: string }).id,
    };
    await call(server, `/v1/agents/${ids.AGENT}/aliases?alias=a&version=0`, { method: 'PUT' });
  });
  const missing = { CONVERSATION: 'conv_0', AGENT: 'ag_0', FILE: '0198c0de-0000-7000-8000-000000000000' };
  const fill = (text: string, given: Record<string, string>) =>
    text.replace(/CONVERSATION|AGENT|FILE/, (name) => given[name] ?? name);
  const ask = (method: string, { path, body }: Case, given: Record<string, string>, key?: string, query = '') =>
    call(conversing.server, fill(path, given) + query, {
      method,
      key,
      ...(body ? { body: JSON.parse(fill(JSON.stringify(body), given)) } : {}),
    });
  const listed = ({ body }: Answer) => (Array.isArray(body) ? body : ((body as { data: unknown[] }).data ?? []));

  it('have a case here for every operation', () => {
    expect(operations.length).toBeGreaterThan(25);
    expect(operations.map(({ operationId }) => operationId).sort()).toEqual(Object.keys(cases).sort());
  });

  describe.each(operations.filter(({ operationId }) => operationId in cases))(
    '$method $path',
    ({ operationId, method }) => {
      const asked = cases[operationId] as Case;
      const isGet = method === 'GET' || method === 'DELETE';

      it('asks for a key and for a permission, before it looks at anything', async () => {
        expect((await ask(method, asked, ids, 'wrong')).status).toBe(401);
        expect((await ask(method, asked, ids, others.billing)).status).toBe(403);
      });

      if (asked.theirs === 'missing')
        it('answers others as if there were nothing', async () => {
          const nothing = await ask(method, asked, missing);
          expect([400, 404]).toContain(nothing.status);
          for (const key of [others.stranger, ...(asked.private ? [others.colleague] : [])]) {
            const theirs = await ask(method, asked, ids, key);
            const [[name = '', id = '']] = Object.entries(ids).filter(([at]) => JSON.stringify(asked).includes(at)) as [
              [string, string],
            ];
            expect([theirs.status, theirs.text]).toEqual([
              nothing.status,
              nothing.text.replaceAll(missing[name as keyof typeof missing], id),
            ]);
          }
        });

      if (asked.theirs === 'empty')
        it('lists nothing of ours to others, and ours to us', async () => {
          expect(listed(await ask(method, asked, ids))).not.toEqual([]);
          for (const key of [others.stranger, ...(asked.private ? [others.colleague] : [])])
            expect(listed(await ask(method, asked, ids, key))).toEqual([]);
        });

      if (isGet)
        it('refuses a parameter that it does not know', async () => {
          const query = `${asked.path.includes('?') ? '&' : '?'}unknown=1`;
          expect((await ask(method, asked, ids, undefined, query)).status).toBe(422);
        });

      if (asked.body)
        it('refuses a property that it does not know', async () => {
          const answer = await ask(method, { ...asked, body: { ...asked.body, unknown: 1 } }, ids);
          expect(answer).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'unknown'] }] } });
        });
    },
  );

  it('are all still there after what others tried', async () => {
    for (const path of [`/v1/conversations/${ids.CONVERSATION}`, `/v1/agents/${ids.AGENT}`, `/v1/files/${ids.FILE}`])
      expect((await call(conversing.server, path)).status).toBe(200);
  });
});
