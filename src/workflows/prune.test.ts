import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import { countStatements } from '../../test/support/statements.ts';
import { systemClock } from '../kit/base/clock.ts';
import { createBlobs } from '../kit/blobs/index.ts';
import { createEvents } from '../kit/events/index.ts';
import { createPrune } from './service/prune.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const W = 'workspace';
const AT_ONCE = { trees: 2, runs: 3, events: 4 };
/** Each is some more than two steps. */
const [TREES, DESCENDANTS, EVENTS] = [5, 7, 10];

onEachDatabase('executions after their retention', (test) => {
  it('go with all descendants, however many, and those beside them stay', async () => {
    const database = await test.open();
    const events = createEvents({ database, now: systemClock });
    const longAgo = new Date(Date.now() - 40 * DAY_MS).toISOString();
    const row = (execution_id: string, root_execution_id: string, ended_at: string | null, is_latest = true) => {
      const run_id = `${execution_id}-${is_latest}`;
      const flags = { has_children: false, parent_waits: false, cancel_requested: false, is_latest };
      const counts = { version: 1, timeout_ms: 1, last_event_id: 1, history_bytes: 1, turn_attempt: 1, lease_seq: 0 };
      const texts = { workflow_id: 'w', workflow_name: 'w', registration_id: 'r', deployment_name: 'd' };
      const ids = { run_id, execution_id, root_execution_id, first_run_id: run_id, workspace_id: W };
      const others = { organization_id: 'o', display_name: null, user_id: null, sticky_event_id: 0 };
      const state = { status: ended_at ? ('COMPLETED' as const) : ('RUNNING' as const), started_at: longAgo, ended_at };
      return { ...flags, ...counts, ...texts, ...ids, ...others, ...state, search_key_paths: '[]' };
    };
    const rows = [
      row('over', 'over', longAgo, false),
      row('over', 'over', longAgo),
      ...Array.from({ length: DESCENDANTS }, (_, n) => row(`over-${n}`, 'over', longAgo)),
      ...Array.from({ length: TREES - 1 }, (_, n) => row(`alone-${n}`, `alone-${n}`, longAgo)),
      row('going', 'going', longAgo),
      row('going-1', 'going', longAgo),
      row('going-2', 'going', null),
      row('late', 'late', new Date().toISOString()),
    ];
    await database.db.insertInto('workflow_runs').values(rows).execute();
    const said = Array.from({ length: EVENTS }, (_, n) => ({ type: 'said', data: { n } }));
    const streams = [`workflow:${W}:over`, `workflow:${W}:going`];
    for (const stream of streams) await database.transaction((tx) => events.append(tx, stream, said));

    const dir = mkdtempSync(join(tmpdir(), 'tramontane-test-'));
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const blobs = createBlobs({ dir });
    const statements = countStatements();
    await createPrune({ database, events, blobs, retentionDays: 30, now: systemClock, atOnce: AT_ONCE })();
    const { texts } = statements.stop();
    // One statement of SQLite takes 32,766 values.
    const deletes = texts.filter((text) => text.startsWith('delete from "workflow_runs"'));
    const values = deletes.map((text) => text.match(/\?|\$\d+/g)?.length ?? 0);
    expect(Math.max(...values)).toBe(AT_ONCE.runs);
    const trims = texts.filter((text) => text.startsWith('delete from "whole_events"'));
    expect(trims).toHaveLength(Math.ceil(EVENTS / AT_ONCE.events));
    const left = await database.db.selectFrom('workflow_runs').select('execution_id').orderBy('execution_id').execute();
    expect(left.map(({ execution_id }) => execution_id)).toEqual(['going', 'going-1', 'going-2', 'late']);
    expect(await Promise.all(streams.map((stream) => events.head(database.db, stream)))).toEqual([0, EVENTS]);
    const stored = database.db.selectFrom('whole_events').select(({ fn }) => fn.countAll<number>().as('count'));
    expect(Number((await stored.executeTakeFirstOrThrow()).count)).toBe(EVENTS);
    await events.stop();
    await database.close();
  });
});
