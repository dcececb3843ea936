import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { findAgents } from '../../src/agents/store.ts';
import { listJobsAfter } from '../../src/batch/store.ts';
import { listConnectors } from '../../src/connectors/store/connectors.ts';
import type { Consumer } from '../../src/connectors/store/tables.ts';
import { findNewestRun } from '../../src/conversations/store/runs.ts';
import { listFilesAfter } from '../../src/files/store.ts';
import type { Database } from '../../src/kit/db/index.ts';
import { listLibraries } from '../../src/libraries/store/libraries.ts';
import { listDeliveries } from '../../src/notifications/store/deliveries.ts';
import { listVoicesAfter } from '../../src/speech/store.ts';
import { searchLogs } from '../../src/traces/store/logs.ts';
import { searchSpans } from '../../src/traces/store/spans.ts';
import { listDeployments } from '../../src/workflows/store/deployments.ts';
import { listRuns } from '../../src/workflows/store/list-runs.ts';
import { listRegistrations } from '../../src/workflows/store/registrations.ts';
import { listRoots } from '../../src/workflows/store/runs.ts';
import { findSchedules } from '../../src/workflows/store/schedules.ts';
import { listWorkflows } from '../../src/workflows/store/workflows.ts';
import { onEachDatabase } from '../support/databases.ts';
import { countStatements } from '../support/statements.ts';

const W = 'a-workspace';
const at = '2026-01-01T00:00:00.000000Z';
const after = { created_at: at, id: 'x' };
const limit = 10;
const range = { workspaceId: W, fromUs: 10, toUs: 90, condition: undefined, limit };
const ALL = { search: undefined, isOwnedBy: undefined };
const descending = { order: 'desc' as const, limit };

/** In the plan of SQLite; an index without the id has the time alone. */
const BEGINS = /\((\w+=\? AND )+(\(\w+,\w+\)[<>]\(\?,\?\)|created_at[<>]\?)\)/;

/** A later page of each list that goes on from a position. */
const PAGES: Record<string, (database: Database) => unknown> = {
  agents: (database) => findAgents(database, W, {}, { limit, after }),
  batches: ({ db }) => listJobsAfter(db, W, after, limit),
  connectors: ({ db }) =>
    listConnectors(db, { organization_id: 'o', workspace_id: W, user_id: 'u' } as Consumer, { limit, after }),
  deliveries: ({ db }) => listDeliveries(db, 'e', { status: undefined, after: { created_ms: 1, id: 'x' }, limit }),
  deployments: ({ db }) => listDeployments(db, W, { ...descending, orderBy: 'created_at', after: { at, id: 'x' } }),
  'deployments by change': ({ db }) =>
    listDeployments(db, W, { ...descending, orderBy: 'updated_at', after: { at, id: 'x' } }),
  files: ({ db }) =>
    listFilesAfter(db, { workspaceId: W, userId: 'u', now: at }, {}, { ...descending, position: after }),
  'files of a purpose': ({ db }) =>
    listFilesAfter(
      db,
      { workspaceId: W, userId: 'u', now: at },
      { purpose: 'batch' },
      { ...descending, position: after },
    ),
  libraries: ({ db }) =>
    listLibraries(db, { organizationId: 'o', workspaceId: W, userId: 'u' }, ALL, { limit, offset: 0, after }),
  registrations: ({ db }) => listRegistrations(db, W, { after, limit }),
  roots: ({ db }) => listRoots(db, W, { started_at: at, run_id: 'x' }, limit),
  runs: ({ db }) => listRuns(db, W, { ...descending, sortBy: 'start_time', after: `${at}/x` }),
  schedules: (database) => findSchedules(database, W, { after, limit }),
  voices: ({ db }) => listVoicesAfter(db, W, { after, among: undefined }, limit),
  workflows: ({ db }) => listWorkflows(db, W, { ...descending, after: { display_name: 'x', id: 'x' } }),
};

onEachDatabase('a later page', (test) => {
  let database: Database;
  beforeAll(async () => {
    database = await test.open();
  });

  it.each(Object.entries(PAGES))('of %s begins at its position, and reads nothing before it', async (_, read) => {
    const statements = countStatements();
    await read(database);
    const [text = ''] = statements.stop().texts.filter((one) => /\) [<>] \(/.test(one));
    expect(text).not.toBe('');
    if (database.kind === 'postgres') return;
    const marks = text.match(/\?/g)?.length ?? 0;
    let explained = sql`explain query plan `;
    for (const [i, part] of text.split('?').entries())
      explained = sql`${explained}${sql.raw(part)}${i < marks ? sql`${null}` : sql``}`;
    const { rows } = await sql<{ detail: string }>`${explained}`.execute(database.db);
    expect(rows.map(({ detail }) => detail).join('\n')).toMatch(BEGINS);
  });

  it('is not read for the newest run of a conversation', async () => {
    const statements = countStatements();
    await findNewestRun(database.db, { workspace_id: W, user_id: 'u' }, 'c');
    expect(statements.stop().texts).toEqual([expect.stringMatching(/ limit /)]);
  });

  it('of spans and logs is of a range that begins or ends at its position', async () => {
    const { db, kind } = database;
    const after = { timeUs: 50, logId: 'x' };
    const queries = [
      searchSpans(db, kind, { ...range, after: { startUs: 50, spanId: 'x' } }),
      searchLogs(db, kind, { ...range, after, isAscending: false }),
      searchLogs(db, kind, { ...range, after, isAscending: true }),
    ];
    for (const query of queries) expect((await db.executeQuery(query)).rows).toEqual([]);
    expect(queries.map(({ parameters }) => parameters.slice(1, 3))).toEqual([
      [10, 51],
      [10, 51],
      [50, 90],
    ]);
  });
});
