import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { migrations } from '../../migrations/index.ts';
import { createPostgresDatabase, onEachDatabase } from '../../test/support/databases.ts';
import { createAuditService } from '../audit/index.ts';
import { createLog } from '../kit/base/log.ts';
import { type Database, migrate, openDatabase } from '../kit/db/index.ts';
import { createPageTokens, type Scope } from '../kit/http/index.ts';
import type { Span } from './schema/span.ts';
import { createTraceService, type TraceService } from './service/trace-service.ts';
import { spanAt, workspace_id } from './spans-for-tests.ts';
import { listPartitions } from './store/partitions.ts';
import { spanWriter } from './store/spans.ts';
import { DAY_US } from './time-range.ts';

const NOW = Date.parse('2026-03-10T12:00:00Z');
const DAY_MS = DAY_US / 1000;
const RETENTION_DAYS = 30;
const scope = { workspace_id, organization_id: 'o', user_id: 'u', key_id: 'k' } as unknown as Scope;

function serviceOn(database: Database, clock: { now: number }): TraceService {
  const now = () => clock.now;
  return createTraceService({
    ...{ database, now, log: createLog('silent'), isOn: true, retentionDays: RETENTION_DAYS },
    audit: createAuditService({ database, now }),
    tokens: createPageTokens('test'),
    contents: { isAllowed: true, retentionDays: RETENTION_DAYS, charactersMax: 1000, redact: [] },
  });
}

const write = (database: Database, spans: Span[]) =>
  database.transaction((tx) => spanWriter(database.kind, { mayRepeat: true })(tx, spans));

const idsIn = async ({ db }: Database) =>
  (await db.selectFrom('spans').select('span_id').orderBy('start_us').execute()).map(({ span_id }) => span_id);

onEachDatabase('spans that are too old', (opened) => {
  let database: Database;
  let traces: TraceService;
  const clock = { now: NOW };
  beforeAll(async () => {
    database = await opened.open();
    traces = serviceOn(database, clock);
  });
  afterAll(() => traces.stop());

  it('are deleted with what was said and thought of them; newer ones are found across all days', async () => {
    const spans = [0, 1, 10, 29].map((days) => spanAt(NOW - days * DAY_MS));
    await write(database, spans);
    await traces.prune();
    const { db } = database;
    const place = { workspace_id, start_us: spans[0]?.start_us ?? 0, span_id: spans[0]?.span_id ?? '' };
    const texts = { system_instructions: '', tool_definitions: '', tool_call_arguments: '', tool_call_result: '' };
    await db
      .insertInto('span_contents')
      .values({ ...place, input_messages: 'x', output_messages: 'y', ...texts })
      .execute();
    await db
      .insertInto('span_feedback')
      .values({ ...place, trace_id: 't', user_id: 'u', rating: 'up', note: '', created_at: '', updated_at: '' })
      .execute();
    expect(await idsIn(database)).toHaveLength(4);
    const caller = { scope, signal: new AbortController().signal };
    const found = await traces.searchSpans(caller as never, { page_size: 10 }, {});
    expect(found.results.map(({ span_id }) => span_id)).toEqual(spans.map(({ span_id }) => span_id));
    for (let days = 1; days <= RETENTION_DAYS + 1; days++) {
      clock.now = NOW + days * DAY_MS;
      await write(database, [spanAt(clock.now)]);
      await traces.prune();
    }
    const left = await idsIn(database);
    expect(left).not.toContain(spans[0]?.span_id);
    expect(left).toHaveLength(RETENTION_DAYS + 1);
    for (const table of ['span_contents', 'span_feedback'] as const)
      expect(await db.selectFrom(table).selectAll().execute(), table).toEqual([]);
  });
});

const url = inject('postgresUrl');

describe.runIf(url)('partitions of spans on PostgreSQL', () => {
  let database: Database;
  let traces: TraceService;
  let address: string;
  const clock = { now: NOW };
  const old = migrations.findIndex(({ name }) => name === '0050-span-partitions');
  const future = NOW + 3 * DAY_MS;

  beforeAll(async () => {
    address = await createPostgresDatabase(url ?? '');
    database = await openDatabase({ kind: 'postgres', url: address });
    await migrate(database, migrations.slice(0, old), '99.0.0', new Date(NOW).toISOString());
  });
  afterAll(async () => {
    await traces.stop();
    await database.close();
  });

  it('a table that is there already becomes the first of them, whatever the time of its rows', async () => {
    await write(database, [spanAt(NOW - 20 * DAY_MS), spanAt(NOW), spanAt(future)]);
    await migrate(database, migrations, '99.0.0', new Date(NOW).toISOString());
    traces = serviceOn(database, clock);
    expect(await idsIn(database)).toHaveLength(3);
    const [before, ...others] = await listPartitions(database.db);
    expect(others).toEqual([]);
    expect(before).toMatchObject({ name: 'spans_before', fromUs: Number.NEGATIVE_INFINITY });
    expect(before?.toUs).toBe(Date.parse('2026-03-14T00:00:00Z') * 1000);
    await write(database, [spanAt(NOW), spanAt(future + DAY_MS)]);
    expect(await idsIn(database)).toHaveLength(4);
  });

  it('are made ahead by the sweep, which moves the rows that came before them', async () => {
    const rowsIn = async (table: string) =>
      (await sql`select 1 from ${sql.id(table)}`.execute(database.db)).rows.length;
    expect(await rowsIn('spans_default')).toBe(1);
    await traces.prune();
    const names = (await listPartitions(database.db)).map(({ name }) => name);
    expect(names).toEqual(['spans_20260314', 'spans_20260315', 'spans_20260316', 'spans_20260317', 'spans_before']);
    expect([await rowsIn('spans_default'), await rowsIn('spans_20260314')]).toEqual([0, 1]);
    await traces.prune();
    expect((await listPartitions(database.db)).map(({ name }) => name)).toEqual(names);
  });

  it('a search names the partitions of its time only', async () => {
    const from = Date.parse('2026-03-15T00:00:00Z') * 1000;
    const { rows } = await sql<{
      'QUERY PLAN': string;
    }>`explain select * from spans where workspace_id = ${workspace_id}
      and start_us >= ${sql.lit(from)} and start_us < ${sql.lit(from + DAY_US)} order by start_us desc, span_id desc limit 5`.execute(
      database.db,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('spans_20260315');
    expect(plan).not.toMatch(/spans_(before|default|20260314)/);
  });

  it('are dropped whole when their last day is over, and one that is in use is dropped later', async () => {
    clock.now = Date.parse('2026-04-13T12:00:00Z');
    await traces.prune();
    const names = async () => (await listPartitions(database.db)).map(({ name }) => name);
    expect(await names()).not.toContain('spans_before');
    expect(await names()).toContain('spans_20260314');
    clock.now += DAY_MS;
    const reader = new pg.Client(address);
    await reader.connect();
    await reader.query('begin; select 1 from spans_20260314');
    await traces.prune();
    expect(await names()).toContain('spans_20260314');
    await reader.end();
    await traces.prune();
    expect(await names()).not.toContain('spans_20260314');
    expect(await idsIn(database)).toEqual([]);
  });
});
