import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { countStatements } from '../../../test/support/statements.ts';
import type { Database } from '../../kit/db/index.ts';
import { listRuns } from './list-runs.ts';
import { findFirstStart } from './metrics.ts';
import { listEndedTrees } from './retention.ts';
import { hasOpenRun, isRoot, listRoots } from './runs.ts';
import { listRunsOfTree } from './trees.ts';

const W = 'workspace';
const CHILDREN = 3000;
const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();

onEachDatabase('a tree of executions', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
    const flags = { has_children: false, parent_waits: false, cancel_requested: false };
    const counts = { version: 1, timeout_ms: 1, last_event_id: 1, history_bytes: 1, turn_attempt: 1, lease_seq: 0 };
    const texts = { workflow_name: 'w', registration_id: 'r', deployment_name: 'd' };
    const row = (
      n: number,
      execution_id: string,
      root_execution_id: string,
      is: { open?: true; earlier?: true } = {},
    ) => {
      const ids = {
        run_id: `run-${n}`,
        workflow_id: `w${n % 1000}`,
        execution_id,
        root_execution_id,
        first_run_id: `run-${n}`,
      };
      const owners = { workspace_id: W, organization_id: 'o', display_name: null, user_id: null };
      const times = { started_at: at(n), ended_at: is.open ? null : at(n + 1), sticky_event_id: 0 };
      const state = { status: is.open ? ('RUNNING' as const) : ('COMPLETED' as const), is_latest: !is.earlier };
      return { ...flags, ...counts, ...texts, ...ids, ...owners, ...times, ...state, search_key_paths: '[]' };
    };
    const rows = [
      row(0, 'over', 'over', { earlier: true }),
      row(1, 'over', 'over'),
      row(2, 'going', 'going', { earlier: true }),
      row(3, 'going', 'going'),
      ...Array.from({ length: CHILDREN }, (_, n) => row(n + 10, `over-${n}`, 'over')),
      ...Array.from({ length: CHILDREN }, (_, n) => row(n + CHILDREN + 10, `going-${n}`, 'going')),
      row(9000, 'last', 'going', { open: true }),
      // Most are alone, which PostgreSQL learns.
      ...Array.from({ length: CHILDREN }, (_, n) => row(n + 10_000, `alone-${n}`, `alone-${n}`, { open: true })),
    ];
    for (let first = 0; first < rows.length; first += 500)
      await database.db
        .insertInto('workflow_runs')
        .values(rows.slice(first, first + 500))
        .execute();
    if (database.kind === 'postgres') await sql`analyze workflow_runs`.execute(database.db);
  });

  const isOpen = (rootExecutionId: string, executionId?: string, workspaceId = W) =>
    hasOpenRun(database.db, workspaceId, { rootExecutionId, executionId });

  it('is open as long as one of its executions is', async () => {
    expect([await isOpen('over'), await isOpen('going'), await isOpen('none')]).toEqual([false, true, false]);
    expect([await isOpen('going', 'last'), await isOpen('going', 'going'), await isOpen('going', 'going-7')]).toEqual([
      true,
      false,
      false,
    ]);
    expect([await isOpen('going', undefined, 'another'), await isOpen('going', 'last', 'another')]).toEqual([
      false,
      false,
    ]);
    expect([await isRoot(database.db, W, 'over'), await isRoot(database.db, W, 'over-1')]).toEqual([true, false]);
  });

  const page = { sortBy: 'start_time', order: 'asc', limit: 10_000 } as const;

  it('has the runs of its root, earlier ones as well, and of its descendants', async () => {
    const tree = { workspace_id: W, root_execution_id: 'over' };
    const listed = await listRuns(database.db, W, { ...page, rootExecutionId: 'over' });
    const runs = listed.rows.map(({ run_id }) => run_id);
    expect(runs).toHaveLength(CHILDREN + 2);
    expect(runs).toEqual(expect.arrayContaining(['run-0', 'run-1', 'run-10']));
    expect(await listRunsOfTree(database.db, tree, 7)).toHaveLength(7);
    expect(await listRunsOfTree(database.db, { ...tree, workspace_id: 'another' }, 7)).toEqual([]);
    expect(await listRunsOfTree(database.db, { ...tree, root_execution_id: 'over-7' }, 7)).toEqual([]);
  });

  it('has ended when all of its runs have, the root as well', async () => {
    const ended = (second: number) => listEndedTrees(database.db, at(second), 10);
    const over = { workspace_id: W, root_execution_id: 'over' };
    expect(await ended(20_000)).toEqual([over]);
    expect(await ended(CHILDREN)).toEqual([]);
    const setEnd = (second: number) =>
      database.db
        .updateTable('workflow_runs')
        .set({ ended_at: at(second) })
        .where('run_id', '=', 'run-0')
        .execute();
    await setEnd(20_000);
    expect(await ended(20_000)).toEqual([]);
    await setEnd(1);
    expect(await ended(20_000)).toEqual([over]);
  });

  const first = () => listRoots(database.db, W, undefined, 5);

  it.each([
    [
      'runs of a workflow',
      'workflow_runs_by_workflow',
      () => listRuns(database.db, W, { ...page, workflowId: 'none' }),
    ],
    ['the first run of a workflow', 'workflow_runs_by_workflow', () => findFirstStart(database.db, W, 'none')],
    ['its runs', 'workflow_runs_by_tree', () => listRuns(database.db, W, { ...page, rootExecutionId: 'none' })],
    ['whether it has ended', 'workflow_runs_by_tree', () => listEndedTrees(database.db, at(0), 10)],
    ['whether a tree is open', 'workflow_runs_by_tree', () => isOpen('over')],
    ['whether there is a tree', 'workflow_runs_by_tree', () => isRoot(database.db, W, 'over')],
    ['whether an execution is open', 'workflow_runs_latest', () => isOpen('going', 'last')],
    ['which run of an execution is the first', 'workflow_runs_earlier', first],
  ])('tells %s from an index, and does not read all of its runs', async (_, index, read) => {
    const statements = countStatements();
    await read();
    const text = statements.stop().texts.at(-1) ?? '';
    const plan = database.kind === 'sqlite' ? await planOnSqlite(text) : await planOnPostgres(text);
    expect(plan).toContain(index);
    if (read !== first) expect(plan).not.toContain('workflow_runs_by_start');
  });

  async function planOnSqlite(text: string): Promise<string> {
    const nothing = text.replaceAll('?', 'null');
    const { rows } = await sql.raw<{ detail: string }>(`explain query plan ${nothing}`).execute(database.db);
    return rows.map(({ detail }) => detail).join('\n');
  }

  /** For values that are not known: with some that are, the plan would be about these. */
  function planOnPostgres(text: string): Promise<string> {
    const values = new Set(text.match(/\$\d+/g) ?? []).size;
    return database.transaction(async (tx) => {
      await sql`set local plan_cache_mode = force_generic_plan`.execute(tx);
      await sql.raw(`prepare asked as ${text}`).execute(tx);
      const call = `explain execute asked (${Array.from({ length: values }, () => "'1'").join(', ')})`;
      const { rows } = await sql.raw<Record<string, string>>(call).execute(tx);
      await sql`deallocate asked`.execute(tx);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
  }
});
