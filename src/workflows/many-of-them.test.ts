import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import { rounds } from '../../test/support/rounds.ts';
import { countStatements } from '../../test/support/statements.ts';
import { definitionOf, register, startWorkflows, type Workflows } from './workflows-for-tests.ts';

/** More than two pages; in the full run more than the values that one statement of SQLite may have. */
const DEPLOYMENTS = rounds(2100, 40_000);
const PAGE_SIZE = 1000;
const WORKFLOWS = 1200;
const uuidOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

onEachDatabase('a workspace with very many workflows and deployments', (database) => {
  let workflows: Workflows;
  const get = async (path: string) => {
    const statements = countStatements();
    const answer = await workflows.send('GET', path);
    const values = statements.stop().texts.map((text) => text.match(/\?|\$\d+/g)?.length ?? 0);
    // No statement has a value for each deployment or workflow.
    expect(Math.max(...values)).toBeLessThan(PAGE_SIZE + 100);
    expect(answer.status, answer.text).toBe(200);
    return answer.body as {
      deployments: { name: string }[];
      workflows: { name: string }[];
      next_cursor: string | null;
    };
  };
  beforeAll(async () => {
    workflows = await startWorkflows(database);
    await register(workflows.server, [definitionOf('approve', { display_name: 'Approvals' })]);
    const { db } = workflows.server.platform.database;
    const row = await db.selectFrom('workflows').selectAll().executeTakeFirstOrThrow();
    const copyOf = (n: number) => ({ ...row, id: uuidOf(n), name: `w-${n}`, display_name: `W ${n}`, tags: '[]' });
    for (let n = 0; n < WORKFLOWS; n += 200)
      await db
        .insertInto('workflows')
        .values(Array.from({ length: 200 }, (_, i) => copyOf(n + i)))
        .execute();
    await sql`insert into workflow_deployments (id, workspace_id, name, created_at, updated_at)
      with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${DEPLOYMENTS})
      select '00000000-0000-4000-8000-' || substr(cast(1000000000000 + n as text), 2), ${sql.lit(row.workspace_id)}, 'd-' || n, '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z' from numbers`.execute(
      db,
    );
  });

  it('lists deployments page by page, also if no size of a page is given', async () => {
    const first = await get('/deployments?active_only=false');
    expect(first.deployments).toHaveLength(PAGE_SIZE);
    expect(first.deployments[0]?.name).toBe('main');
    const second = await get(`/deployments?active_only=false&cursor=${encodeURIComponent(first.next_cursor ?? '')}`);
    const names = [...first.deployments, ...second.deployments].map(({ name }) => name);
    expect(new Set(names).size).toBe(2 * PAGE_SIZE);
  });

  it('finds the deployments that have workers, and those of a workflow', async () => {
    for (const query of ['', '?workflow_name=approve', '?workflow_name=approve&active_only=false']) {
      const { deployments, next_cursor } = await get(`/deployments${query}`);
      expect([deployments.map(({ name }) => name), next_cursor]).toEqual([['main'], null]);
    }
    expect((await get('/deployments?workflow_name=w-1')).deployments).toEqual([]);
    expect((await get('/deployments?workflow_name=absent')).deployments).toEqual([]);
  });

  it('finds workflows by their texts, with a typo, among all of them', async () => {
    expect((await get('?search=aprovals')).workflows.map(({ name }) => name)).toEqual(['approve']);
    expect((await get(`?search=w-${WORKFLOWS - 1}`)).workflows.map(({ name }) => name)).toContain(`w-${WORKFLOWS - 1}`);
  });
});
