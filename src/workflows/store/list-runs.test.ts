import { beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../../test/support/databases.ts';
import type { Database } from '../../kit/db/index.ts';
import { type ListRuns, listRuns } from './list-runs.ts';

const WORKSPACE = 'workspace';
const RUNS = 60;
/** Two runs each began at the same time. */
const startOf = (n: number) => new Date(Date.UTC(2026, 0, 1) + Math.floor(n / 2) * 1000).toISOString();
const isRare = (n: number) => n % 13 === 7;
const LOOKS = { step: 10, most: 20 };

onEachDatabase('runs of workflows', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
    const flags = { is_latest: true, has_children: false, parent_waits: false, cancel_requested: false };
    const counts = { version: 1, timeout_ms: 1, last_event_id: 1, history_bytes: 1, turn_attempt: 1, lease_seq: 0 };
    const texts = { workflow_id: 'w', workflow_name: 'w', registration_id: 'r', deployment_name: 'd' };
    for (const workspace_id of [WORKSPACE, 'another'])
      await database.db
        .insertInto('workflow_runs')
        .values(
          Array.from({ length: RUNS }, (_, n) => {
            const run_id = `${workspace_id}-${String(n).padStart(3, '0')}`;
            const ids = { run_id, execution_id: run_id, root_execution_id: run_id, first_run_id: run_id };
            const status = isRare(n) ? ('RUNNING' as const) : ('COMPLETED' as const);
            const more = { display_name: isRare(n) ? 'Rare' : null, user_id: null, status, sticky_event_id: 0 };
            const row = { ...flags, ...counts, ...texts, ...ids, ...more, search_key_paths: '[]' };
            return { ...row, organization_id: 'o', workspace_id, started_at: startOf(n) };
          }),
        )
        .execute();
  });

  /** All pages, and how many they were. */
  async function readAll(filter: Partial<ListRuns>, limit: number, looks = LOOKS) {
    const found: string[] = [];
    for (let [pages, after] = [1, undefined as string | undefined]; ; pages++) {
      const where = { sortBy: 'start_time' as const, order: 'asc' as const, limit, ...filter };
      const { rows, next } = await listRuns(database.db, WORKSPACE, { ...where, ...(after ? { after } : {}) }, looks);
      expect(rows.length).toBeLessThanOrEqual(limit);
      found.push(...rows.map(({ run_id }) => run_id));
      if (next === undefined) return { found, pages };
      after = next;
    }
  }
  const rare = Array.from({ length: RUNS }, (_, n) => n)
    .filter(isRare)
    .map((n) => `${WORKSPACE}-${String(n).padStart(3, '0')}`);

  it.each([
    ['a search', { search: 'rare' }],
    ['a status', { statuses: ['RUNNING' as const] }],
  ])('%s finds all of its runs in their order, whatever the length of pages and of steps', async (_, filter) => {
    for (const step of [1, 7, 10, 100])
      for (const limit of [1, 2, 50]) {
        const looks = { step, most: 3 * step };
        expect((await readAll(filter, limit, looks)).found).toEqual(rare);
        expect((await readAll({ ...filter, order: 'desc' }, limit, looks)).found).toEqual(rare.toReversed());
      }
  });

  it('a page looks at so many runs at most, and says where to go on', async () => {
    expect(await readAll({ search: 'nothing has this' }, 50)).toEqual({ found: [], pages: RUNS / LOOKS.most + 1 });
    expect((await readAll({}, RUNS)).pages).toBe(1);
  });
});
