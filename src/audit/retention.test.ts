import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import { uuid } from '../kit/base/ids.ts';
import type { Database } from '../kit/db/index.ts';
import { hashEntry } from './hash-entry.ts';
import { type AuditLogRow, type AuditService, createAuditService } from './index.ts';

const START = Date.parse('2026-01-01T00:00:00Z');
const DAY_MS = 24 * 60 * 60 * 1000;
const KEEPER = { type: 'OTHER', metadata: { name: 'retention' } } as const;

onEachDatabase('the retention of the audit log', (test) => {
  let database: Database;
  let audit: AuditService;
  let nowMs = START;
  beforeAll(async () => {
    database = await test.open();
    audit = createAuditService({ database, now: () => nowMs });
  });
  afterAll(() => database.close());

  /** One entry a day. */
  async function recordDays(days: number, organization_id = uuid()): Promise<string> {
    for (let day = 0; day < days; day++) {
      nowMs = START + day * DAY_MS;
      await database.transaction((tx) =>
        audit.record(tx, {
          organization_id,
          actor: { type: 'HUMAN', metadata: { user_uuid: 'u' } },
          event_type: 'prompt.update',
          event_metadata: { day: String(day + 1) },
          target_type: 'PROMPT',
        }),
      );
    }
    return organization_id;
  }
  const day = (number: number) => new Date(START + (number - 1) * DAY_MS).toISOString();
  const prune = (organizationId: string, before: string) => audit.prune({ organizationId, before, actor: KEEPER });
  const ids = async (organizationId: string) => {
    const found: number[] = [];
    for await (const { log_id } of audit.export(organizationId)) found.push(log_id);
    return found;
  };
  const verify = (organizationId: string, noted?: { organization_id: string; log_id: number; hash: string }[]) =>
    audit.verify({ organizationId, noted });
  async function dropTriggers(): Promise<void> {
    const drops =
      test.kind === 'postgres'
        ? [
            'audit_logs_append_only on audit_logs',
            'audit_logs_no_delete on audit_logs',
            'audit_checkpoints_forward on audit_checkpoints',
          ]
        : ['audit_logs_no_update', 'audit_logs_no_delete', 'audit_checkpoints_forward', 'audit_checkpoints_no_delete'];
    for (const drop of drops) await sql.raw(`drop trigger if exists ${drop}`).execute(database.db);
  }

  it('prunes older entries, records it in the log, and the rest stays valid [ADMIN-AUDIT-RETENTION]', async () => {
    const organizationId = await recordDays(10);
    const bystander = await recordDays(3);
    nowMs = START + 10 * DAY_MS;
    expect(await prune(organizationId, day(5))).toEqual({ pruned: 4, broken: [] });
    expect(await ids(organizationId)).toEqual([5, 6, 7, 8, 9, 10, 11]);
    expect(await ids(bystander)).toEqual([1, 2, 3]);
    const [newest] = await audit.list(database.db, organizationId, { limit: 1 });
    expect(newest).toMatchObject({
      log_id: 11,
      event_type: 'audit_log.prune',
      event_metadata: { pruned_up_to: '4', count: '4' },
      actor_metadata: { name: 'retention' },
    });
    expect(await verify(organizationId)).toMatchObject({ ok: true, entries: 7 });
    expect(await prune(organizationId, day(5))).toEqual({ pruned: 0, broken: [] });
  });

  it('continues from its checkpoint, and can prune everything but the record of the pruning', async () => {
    const organizationId = await recordDays(6);
    await prune(organizationId, day(3));
    await prune(organizationId, day(5));
    expect(await ids(organizationId)).toEqual([5, 6, 7, 8]);
    nowMs = START + 30 * DAY_MS;
    await prune(organizationId, day(20));
    expect(await ids(organizationId)).toEqual([9]);
    expect(await verify(organizationId)).toMatchObject({ ok: true, entries: 1 });
    await recordDays(2, organizationId);
    expect(await verify(organizationId)).toMatchObject({ ok: true, entries: 3 });
  });

  it('keeps a recent entry although a later one is older, because a clock was set back', async () => {
    const organizationId = await recordDays(4);
    await recordDays(2, organizationId);
    await prune(organizationId, day(4));
    expect(await ids(organizationId)).toEqual([4, 5, 6, 7]);
  });

  it('a noted head is still checked if it is the checkpoint or later, and ignored if it is earlier', async () => {
    const organizationId = await recordDays(8);
    const heads: { organization_id: string; log_id: number; hash: string }[] = [];
    for await (const { organization_id, log_id, hash } of audit.export(organizationId))
      heads.push({ organization_id, log_id, hash });
    await prune(organizationId, day(5));
    for (const head of heads) expect(await verify(organizationId, [head])).toMatchObject({ ok: true });
    for (const head of heads.slice(3)) {
      const found = await verify(organizationId, [{ ...head, hash: 'f'.repeat(64) }]);
      expect(found).toMatchObject({ ok: false, log_id: head.log_id, problem: 'rebuilt' });
    }
  });

  it('does not prune a broken log, and reports where it is broken', async () => {
    const organizationId = await recordDays(5);
    await dropTriggers();
    await sql`update audit_logs set event_type = 'prompt.delete' where organization_id = ${organizationId} and log_id = 2`.execute(
      database.db,
    );
    expect(await prune(organizationId, day(5))).toEqual({
      pruned: 0,
      broken: [{ ok: false, organization_id: organizationId, log_id: 2, problem: 'altered' }],
    });
    expect(await ids(organizationId)).toEqual([1, 2, 3, 4, 5]);
  });

  type Tampering = [string, (id: string) => Promise<unknown>, number, string];
  const checkpoint = (id: string) => sql`where organization_id = ${id}`;
  const tamperings: Tampering[] = [
    [
      'a checkpoint moved over more',
      (id) => sql`update audit_checkpoints set log_id = 5 ${checkpoint(id)}`.execute(database.db),
      5,
      'checkpoint',
    ],
    [
      'a checkpoint with another hash',
      (id) => sql`update audit_checkpoints set hash = 'f' ${checkpoint(id)}`.execute(database.db),
      3,
      'checkpoint',
    ],
    [
      'a checkpoint with another time',
      (id) => sql`update audit_checkpoints set created_at = 'x' ${checkpoint(id)}`.execute(database.db),
      3,
      'checkpoint',
    ],
    [
      'a checkpoint with another signature',
      (id) => sql`update audit_checkpoints set signature = 'x' ${checkpoint(id)}`.execute(database.db),
      3,
      'checkpoint',
    ],
    [
      'a removed checkpoint',
      (id) => sql`delete from audit_checkpoints ${checkpoint(id)}`.execute(database.db),
      1,
      'missing',
    ],
    [
      'more removed than the checkpoint says',
      (id) => sql`delete from audit_logs ${checkpoint(id)} and log_id = 4`.execute(database.db),
      4,
      'missing',
    ],
    [
      'a changed entry after the checkpoint',
      (id) => sql`update audit_logs set created_at = 'x' ${checkpoint(id)} and log_id = 4`.execute(database.db),
      4,
      'altered',
    ],
    ['an entry slipped in before the checkpoint', (id) => slipIn(id, 2), 2, 'altered'],
  ];

  async function slipIn(organizationId: string, log_id: number): Promise<void> {
    const rows: AuditLogRow[] = [];
    for await (const row of audit.export(organizationId)) rows.push(row);
    const forged = { ...rows[0]!, log_id, previous_hash: '0'.repeat(64) };
    await database.db
      .insertInto('audit_logs')
      .values({ ...forged, hash: hashEntry(forged.previous_hash, forged) })
      .execute();
  }

  it.each(tamperings)('verify finds %s', async (_, tamper, log_id, problem) => {
    const organizationId = await recordDays(6);
    await prune(organizationId, day(4));
    expect(await verify(organizationId)).toMatchObject({ ok: true });
    await dropTriggers();
    await tamper(organizationId);
    expect(await verify(organizationId)).toEqual({ ok: false, organization_id: organizationId, log_id, problem });
  });

  it('exports each entry in order, with the hashes by which a file can be checked', async () => {
    const organizationId = await recordDays(3);
    let previous = '0'.repeat(64);
    for await (const row of audit.export(organizationId)) {
      expect([row.previous_hash, row.hash]).toEqual([previous, hashEntry(previous, row)]);
      previous = row.hash;
    }
    expect(previous).not.toBe('0'.repeat(64));
  });
});

onEachDatabase('the database itself', (test) => {
  it('refuses to delete entries that no checkpoint covers, and to move a checkpoint back', async () => {
    const database = await test.open();
    let nowMs = START;
    const audit = createAuditService({ database, now: () => nowMs });
    const organization_id = uuid();
    for (let i = 0; i < 4; i++) {
      nowMs = START + i * DAY_MS;
      await database.transaction((tx) =>
        audit.record(tx, { organization_id, actor: KEEPER, event_type: 'agent.create', target_type: 'AGENT' }),
      );
    }
    await audit.prune({
      organizationId: organization_id,
      before: new Date(START + 2 * DAY_MS).toISOString(),
      actor: KEEPER,
    });
    const run = (text: string) => sql.raw(text).execute(database.db);
    await expect(run('delete from audit_logs where log_id = 3')).rejects.toThrow('append-only');
    await expect(run('update audit_checkpoints set log_id = 1')).rejects.toThrow('only move forward');
    await expect(run('delete from audit_checkpoints')).rejects.toThrow('only move forward');
    await database.close();
  });
});
