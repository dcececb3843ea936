import { beforeAll, describe, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase } from '../../test/support/databases.ts';
import { doublingSchema } from '../../test/support/expensive-schemas.ts';
import { addColleague } from '../../test/support/people.ts';
import { definitionOf, register, startWorkflows, type Workflows } from './workflows-for-tests.ts';

type Body = Record<string, unknown>;

onEachDatabase('/v1/workflows', (database) => {
  let workflows: Workflows;
  const get = async (path: string) => (await workflows.send('GET', path)).body as Body;
  const names = async (query: string) =>
    ((await get(`?${query}`)).workflows as { name: string }[]).map(({ name }) => name);
  const idOf = async (name: string) => ((await get(`/${name}`)).workflow as { id: string }).id;

  beforeAll(async () => {
    workflows = await startWorkflows(database);
    await register(workflows.server, [
      definitionOf('invoice-flow', { display_name: 'Invoices', description: 'Pays what is due', search_keys: ['no'] }),
      definitionOf('translate', { display_name: 'Translations' }),
      definitionOf('approve', { display_name: 'Approvals' }),
    ]);
    await register(workflows.server, [definitionOf('nightly')], { deployment_name: 'night', worker_name: 'owl' });
  });

  /** As if its workers had died a minute ago. */
  const silence = (deployment: string) =>
    workflows.server.platform.database.db
      .updateTable('workflow_workers')
      .set({ seen_ms: Date.now() - 60_000 })
      .where('deployment_id', 'in', (eb) =>
        eb.selectFrom('workflow_deployments').select('id').where('name', '=', deployment),
      )
      .execute();

  describe('what is registered', () => {
    it('has its fields, and active while a worker was heard of [WORKFLOWS-GET] [WORKFLOWS-FIELDS] [WORKFLOWS-ACTIVE-FIELD]', async () => {
      const { workflow } = await get('/invoice-flow');
      expect(workflow).toEqual({
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: 'invoice-flow',
        display_name: 'Invoices',
        type: 'code',
        description: 'Pays what is due',
        customer_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        workspace_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        shared_namespace: null,
        available_in_chat_assistant: false,
        is_technical: false,
        archived: false,
        tags: [],
        active: true,
      });
      expect(await get(`/${(workflow as Body).id}`)).toEqual({ workflow });
    });

    it('keeps its registration while the definition is the same, and gets another when it changed', async () => {
      const first = await register(workflows.server, [definitionOf('translate')], { worker_name: 'w2' });
      const again = await register(workflows.server, [definitionOf('translate')], { worker_name: 'w2' });
      expect(again.workflow_registration_ids).toEqual(first.workflow_registration_ids);
      const changed = definitionOf('translate', { input_schema: { type: 'object', required: ['text'] } });
      const [next] = (await register(workflows.server, [changed], { worker_name: 'w2' })).workflow_registration_ids;
      expect(first.workflow_registration_ids).not.toContain(next);
      // A worker serves what it said last: nobody serves the first definition but the worker of the beginning.
      const kept = (await get(`/registrations/${first.workflow_registration_ids[0]}`)).workflow_registration as Body;
      expect(kept.active).toBe(true);
      await register(workflows.server, [definitionOf('translate', { display_name: 'Translations' })], {
        worker_name: 'w2',
      });
    });

    it('tells a worker of another deployment that serves the same name, and says what it must heartbeat', async () => {
      const other = await register(workflows.server, [definitionOf('nightly')], { deployment_name: 'other' });
      expect(other).toMatchObject({ has_conflicts: false, warnings: [expect.stringContaining("'nightly'")] });
      const refs = other.workflow_registration_refs;
      const beat = { deployment_name: 'other', worker_name: 'worker-1', workflow_registration_refs: refs };
      expect((await workflows.send('POST', '/workers/heartbeat', beat)).body).toEqual({ all_active: true });
      const stranger = { ...beat, worker_name: 'nobody' };
      expect((await workflows.send('POST', '/workers/heartbeat', stranger)).body).toEqual({ all_active: false });
      await silence('other');
    });

    it('is inactive 50 seconds after the last heartbeat, and active with the next', async () => {
      await silence('night');
      expect((await get('/nightly')).workflow).toMatchObject({ active: false });
      expect(await names('deployment_status=active')).not.toContain('nightly');
      expect(await names('deployment_status=inactive')).toEqual(['nightly']);
      await workflows.send('POST', '/workers/heartbeat', { deployment_name: 'night', worker_name: 'owl' });
      expect((await get('/nightly')).workflow).toMatchObject({ active: true });
    });

    it.runIf(isSqliteOrFull(database))('tells a worker whose it is', async () => {
      const { body } = await workflows.send('GET', '/workers/whoami');
      expect(body).toMatchObject({ scheduler_url: workflows.server.url, tls: false, namespace: expect.any(String) });
    });

    it.runIf(isSqliteOrFull(database))(
      'cannot have a name that is a word of the paths [WORKFLOWS-RESERVED-NAMES]',
      async () => {
        for (const name of 'archive unarchive events executions registrations runs schedules deployments workers register metrics'.split(
          ' ',
        )) {
          const body = { definitions: [definitionOf(name)], deployment_name: 'main', worker_name: 'w' };
          expect([name, (await workflows.send('POST', '/register', body)).status]).toEqual([name, 422]);
        }
      },
    );

    it.runIf(isSqliteOrFull(database))('refuses schemas that take too much work to check, and says which', async () => {
      const signals = [{ name: 'go', input_schema: doublingSchema }];
      for (const [fields, place] of [
        [{ input_schema: doublingSchema }, ['input_schema']],
        [{ signals }, ['signals', 0, 'input_schema']],
      ] as const) {
        const body = { definitions: [definitionOf('costly', fields)], deployment_name: 'main', worker_name: 'w' };
        const answer = await workflows.send('POST', '/register', body);
        expect(answer.status, answer.text).toBe(422);
        const item = { type: 'schema_too_expensive', loc: ['body', 'definitions', 0, ...place] };
        expect(answer.body).toMatchObject({ detail: [item], code: 'WF_1001' });
      }
    });

    it.runIf(isSqliteOrFull(database))(
      'refuses what is no JSON Schema, names that are there twice, and unknown fields',
      async () => {
        const refused = async (definitions: unknown[]) => {
          const body = { definitions, deployment_name: 'main', worker_name: 'w' };
          const answer = await workflows.send('POST', '/register', body);
          expect(answer.status, answer.text).toBe(422);
          return (answer.body as { detail: { loc: unknown[] }[] }).detail[0]?.loc;
        };
        expect(await refused([definitionOf('x', { input_schema: { type: 'nonsense' } })])).toEqual([
          'body',
          'definitions',
          0,
          'input_schema',
        ]);
        expect(await refused([definitionOf('x'), definitionOf('x')])).toEqual(['body', 'definitions', 1, 'name']);
        expect(await refused([definitionOf('x', { color: 'blue' })])).toEqual(['body', 'definitions', 0, 'color']);
        expect(await refused([definitionOf('no spaces please')])).toEqual(['body', 'definitions', 0, 'name']);
      },
    );
  });

  describe('the list', () => {
    it('shows archived, display_name, id and name in order of the display name [WORKFLOWS-LIST] [WORKFLOWS-ARCHIVED-FIELD] [WORKFLOWS-LIST-PARAMETERS]', async () => {
      const { workflows: shown, next_cursor } = await get('?include_shared=true&order=asc&limit=50&active_only=false');
      expect(next_cursor).toBeNull();
      expect(shown).toMatchObject([
        { name: 'approve', display_name: 'Approvals', archived: false, id: expect.any(String), tags: [] },
        { name: 'invoice-flow', display_name: 'Invoices', metadata: { shared_namespace: null } },
        { name: 'translate', display_name: 'Translations' },
        { name: 'nightly', display_name: 'nightly' },
      ]);
      expect(await names('order=desc')).toEqual(['nightly', 'translate', 'invoice-flow', 'approve']);
      expect(await names('include_shared=false&active_only=true')).toHaveLength(4);
    });

    it('goes on where it stopped, without gap or repetition [WORKFLOWS-LIST-CURSOR]', async () => {
      for (const order of ['asc', 'desc']) {
        const seen: string[] = [];
        let cursor = '';
        for (let pages = 0; pages < 10; pages++) {
          const page = await get(`?order=${order}&limit=1${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
          seen.push(...(page.workflows as { name: string }[]).map(({ name }) => name));
          cursor = (page.next_cursor as string | null) ?? '';
          if (!cursor) break;
        }
        expect(seen).toEqual(await names(`order=${order}`));
      }
      const { next_cursor } = await get('?limit=1');
      const elsewhere = `?limit=1&order=desc&cursor=${encodeURIComponent(next_cursor as string)}`;
      expect((await workflows.send('GET', elsewhere)).status).toBe(422);
    });

    it('is narrowed by deployment, tags, archive, assistant and a search that forgives a slip', async () => {
      expect(await names('deployment_name=night')).toEqual(['nightly']);
      expect(await names('deployment_name=night&deployment_name=main')).toHaveLength(4);
      expect(await names('search=invioces')).toEqual(['invoice-flow']);
      expect(await names('search=DUE')).toEqual(['invoice-flow']);
      expect(await names(`search=${(await idOf('approve')).slice(-12)}`)).toEqual(['approve']);
      expect(await names('search=nothing-like-it')).toEqual([]);
      await workflows.send('PUT', '/approve', { tags: ['a', 'b%'] });
      expect(await names('tags=a&tags=b%25')).toEqual(['approve']);
      expect(await names('tags=a&tags=c')).toEqual([]);
      expect(await names('available_in_chat_assistant=true')).toEqual([]);
      expect(await names('archived=true')).toEqual([]);
      expect(await names('status=RUNNING')).toEqual([]);
    });

    it.runIf(isSqliteOrFull(database))('says what is wrong with a parameter', async () => {
      for (const query of ['limit=0', 'limit=1001', 'order=up', 'sort_by=name', 'archived=maybe', 'color=blue'])
        expect([query, (await workflows.send('GET', `?${query}`)).status]).toEqual([query, 422]);
    });
  });

  describe('registrations', () => {
    it('are answered twice, under the old name too [WORKFLOWS-REGISTRATIONS] [WORKFLOWS-REGISTRATION-FIELDS] [WORKFLOWS-REGISTRATIONS-PARAMETERS]', async () => {
      const id = await idOf('invoice-flow');
      const query = `?workflow_id=${id}&active_only=true&include_shared=true&with_workflow=true&limit=10`;
      const body = await get(`/registrations${query}`);
      expect(body.workflow_versions).toEqual(body.workflow_registrations);
      expect(body.workflow_registrations).toMatchObject([
        {
          id: expect.any(String),
          workflow_id: id,
          deployment_name: 'main',
          task_queue: 'main',
          compatible_with_chat_assistant: false,
          definition: { input_schema: { type: 'object' }, signals: [], execution_timeout: 3600 },
          workflow: { id, name: 'invoice-flow' },
        },
      ]);
    });

    it('are found by task queue, search and archive, and one by its id [WORKFLOWS-REGISTRATION] [WORKFLOWS-REGISTRATION-PARAMETERS]', async () => {
      const list = async (query: string) => (await get(`/registrations?${query}`)).workflow_registrations as Body[];
      const [found] = await list('task_queue=night');
      expect(found).toMatchObject({ deployment_name: 'night', workflow: null });
      expect(await list('workflow_search=invioces')).toHaveLength(1);
      expect(await list('archived=true')).toEqual([]);
      const one = await get(`/registrations/${found?.id}?with_workflow=true&include_shared=false`);
      expect(one.workflow_registration).toMatchObject({ id: found?.id, active: true, workflow: { name: 'nightly' } });
      expect(one.workflow_version).toEqual(one.workflow_registration);
      expect((await get(`/registrations/${found?.id}`)).workflow_registration).toMatchObject({ workflow: null });
    });

    it('go on where they stopped [WORKFLOWS-REGISTRATIONS-CURSOR]', async () => {
      const all = ((await get('/registrations')).workflow_registrations as Body[]).map(({ id }) => id);
      const seen: unknown[] = [];
      for (let cursor: unknown = ''; cursor !== null; ) {
        const page = await get(`/registrations?limit=2${cursor && `&cursor=${encodeURIComponent(String(cursor))}`}`);
        seen.push(...(page.workflow_registrations as Body[]).map(({ id }) => id));
        cursor = page.next_cursor;
      }
      expect(all.length).toBeGreaterThan(3);
      expect(seen).toEqual(all);
    });
  });

  describe('changes', () => {
    it('answer the changed workflow; tags replace the list, and code does not undo them [WORKFLOWS-UPDATE]', async () => {
      const change = {
        display_name: 'Night shift',
        description: 'Counts',
        tags: [' a ', 'a', 'b'],
        available_in_chat_assistant: true,
      };
      const { body } = await workflows.send('PUT', '/nightly', change);
      expect(body).toMatchObject({ workflow: { ...change, tags: ['a', 'b'] } });
      await register(workflows.server, [definitionOf('nightly', { display_name: 'From code' })], {
        deployment_name: 'night',
        worker_name: 'owl',
      });
      expect((await get('/nightly')).workflow).toMatchObject({ display_name: 'Night shift', tags: ['a', 'b'] });
    });

    it('add tags and keep the others, also when two are added at the same time, up to a hundred', async () => {
      const added = await Promise.all(
        ['c', ' d ', 'a'].map((tag) => workflows.send('POST', '/nightly/tags', { tags: [tag] })),
      );
      expect(added.map(({ status }) => status)).toEqual([204, 204, 204]);
      const { tags } = (await get('/nightly')).workflow as { tags: string[] };
      expect(tags.toSorted()).toEqual(['a', 'b', 'c', 'd']);
      const many = Array.from({ length: 97 }, (_, index) => `t${index}`);
      const refused = await workflows.send('POST', '/nightly/tags', { tags: many });
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([
        422,
        expect.stringContaining('at most 100 tags'),
      ]);
      // Limits are of what was sent, as in the OpenAPI document.
      for (const body of [{}, { tags: [''] }, { tags: [`${'a'.repeat(100)} `] }, { tags: [], more: 1 }])
        expect((await workflows.send('POST', '/nightly/tags', body)).status).toBe(422);
      expect((await workflows.send('POST', '/nobody/tags', { tags: [] })).status).toBe(404);
      expect((await get('/nightly')).workflow).toMatchObject({ tags });
    });

    it('accept an empty object and change nothing [WORKFLOWS-UPDATE-EMPTY]', async () => {
      const before = (await get('/nightly')).workflow as Body;
      const { active: _active, ...same } = before;
      expect((await workflows.send('PUT', '/nightly', {})).body).toEqual({ workflow: same });
      expect((await workflows.send('PUT', '/nightly', { tags: [''] })).status).toBe(422);
      expect((await workflows.send('PUT', '/nightly', { color: 'blue' })).status).toBe(422);
    });

    it('archive and unarchive, and again [WORKFLOWS-ARCHIVE] [WORKFLOWS-ARCHIVE-STATE] [WORKFLOWS-ARCHIVE-AGAIN] [WORKFLOWS-UNARCHIVE] [WORKFLOWS-UNARCHIVE-STATE] [WORKFLOWS-UNARCHIVE-AGAIN]', async () => {
      for (const [deed, archived] of [
        ['archive', true],
        ['archive', true],
        ['unarchive', false],
        ['unarchive', false],
      ] as const) {
        const { status, body } = await workflows.send('PUT', `/approve/${deed}`);
        expect({ status, body }).toMatchObject({ status: 200, body: { workflow: { name: 'approve', archived } } });
        expect((await get('/approve')).workflow).toMatchObject({ archived });
        expect(await names(`archived=${archived}`)).toContain('approve');
      }
    });

    it('archive many at once by name or id, and list those that fail [WORKFLOWS-BULK-ARCHIVE] [WORKFLOWS-BULK-ARCHIVE-FAILED] [WORKFLOWS-BULK-UNARCHIVE] [WORKFLOWS-BULK-UNARCHIVE-FAILED]', async () => {
      const missing = '00000000-0000-4000-8000-000000000000';
      const workflow_ids = [await idOf('approve'), missing, await idOf('translate')];
      const archived = (await workflows.send('PUT', '/archive', { workflow_ids })).body as Body;
      expect(archived).toMatchObject({
        archived: [
          { name: 'approve', archived: true },
          { name: 'translate', archived: true },
        ],
        errored: [{ workflow_id: missing, message: expect.stringContaining(missing) }],
      });
      expect((await workflows.send('PUT', '/unarchive', { workflow_ids })).body).toMatchObject({
        unarchived: [
          { name: 'approve', archived: false },
          { name: 'translate', archived: false },
        ],
        errored: [{ workflow_id: missing }],
      });
      const named = { workflow_ids: ['approve', 'nobody', await idOf('approve'), 'translate'] };
      for (const deed of ['archive', 'unarchive'])
        expect((await workflows.send('PUT', `/${deed}`, named)).body).toMatchObject({
          [`${deed}d`]: [{ name: 'approve' }, { name: 'translate' }],
          errored: [{ workflow_id: 'nobody', message: expect.stringContaining('nobody') }],
        });
      expect((await workflows.send('PUT', '/archive', { workflow_ids: [''] })).status).toBe(422);
    });

    it('are in the audit log', async () => {
      const { organization_id } = await workflows.server.platform.database.db
        .selectFrom('workflows')
        .select('organization_id')
        .executeTakeFirstOrThrow();
      const entries = await workflows.server.platform.audit.list(
        workflows.server.platform.database.db,
        organization_id,
        {
          event_type: ['workflow.update', 'workflow.archive', 'workflow.unarchive'],
        },
      );
      expect(entries.length).toBeGreaterThanOrEqual(6);
      expect(entries[0]).toMatchObject({ target_type: 'WORKFLOW', actor_type: 'API_KEY' });
    });

    it.runIf(isSqliteOrFull(database))('need the right to change; an onlooker only reads', async () => {
      const onlooker = await addColleague(workflows.server, 'observability_viewer');
      expect((await workflows.send('GET', '/approve', undefined, onlooker)).status).toBe(200);
      expect((await workflows.send('PUT', '/approve', {}, onlooker)).status).toBe(403);
      expect((await workflows.send('POST', '/approve/execute', {}, onlooker)).status).toBe(403);
    });
  });
});
