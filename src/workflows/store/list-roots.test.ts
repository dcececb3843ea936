import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import { countStatements } from '../../../test/support/statements.ts';
import type { Database } from '../../kit/db/index.ts';
import { listRoots, type Root, type RootPosition } from './runs.ts';

const W = 'workspace';
const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();

onEachDatabase('root executions', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
    const flags = { is_latest: false, has_children: false, parent_waits: false, cancel_requested: false };
    const counts = { version: 1, timeout_ms: 1, last_event_id: 1, history_bytes: 1, turn_attempt: 1, lease_seq: 0 };
    const texts = { workflow_id: 'w', workflow_name: 'w', registration_id: 'r', deployment_name: 'd' };
    const row = (second: number, execution_id: string, root_execution_id = execution_id, workspace_id = W) => {
      const run_id = `${execution_id}-${second}`;
      const ids = { run_id, execution_id, root_execution_id, first_run_id: run_id, workspace_id, organization_id: 'o' };
      const more = { display_name: null, user_id: null, status: 'COMPLETED' as const, sticky_event_id: 0 };
      return { ...flags, ...counts, ...texts, ...ids, ...more, search_key_paths: '[]', started_at: at(second) };
    };
    const rows = [
      ...Array.from({ length: 12 }, (_, n) => row(n, `e${n}`)),
      // Reset again and again, so that a whole page has no root of its own; and with many children.
      ...Array.from({ length: 9 }, (_, n) => row(20 + n, 'e3')),
      ...Array.from({ length: 9 }, (_, n) => row(40 + n, `child-${n}`, 'e3')),
      row(60, 'last'),
      row(5, 'foreign', 'foreign', 'another'),
    ];
    await database.db.insertInto('workflow_runs').values(rows).execute();
  });

  it.each([
    // Pages of four roots.
    { passed: undefined, pagesExpected: 5 },
    // 31 runs, by pages of four roots and steps of three runs.
    { passed: 3, pagesExpected: 10 },
  ])(
    'come once each, in the order of their first run, whatever is passed by at once',
    async ({ passed, pagesExpected }) => {
      const seen: Root[] = [];
      let pages = 0;
      for (let after: RootPosition | undefined; ; pages++) {
        const { roots, next } = await listRoots(database.db, W, after, 4, passed);
        seen.push(...roots);
        if (!next) break;
        after = next;
      }
      expect(seen.map(({ execution_id }) => execution_id)).toEqual([
        ...Array.from({ length: 12 }, (_, n) => `e${n}`),
        'last',
      ]);
      expect(seen[3]).toMatchObject({ run_id: 'e3-3', started_at: at(3) });
      expect(pages).toBe(pagesExpected);
    },
  );

  it('are chosen among the runs of one page, not among all', async () => {
    const statements = countStatements();
    await listRoots(database.db, W, undefined, 4);
    expect(statements.stop().texts).toEqual([
      expect.stringMatching(/ limit \S+ offset \S+$/),
      expect.stringMatching(/limit \S+\) as "r" order by/),
    ]);
  });
});
