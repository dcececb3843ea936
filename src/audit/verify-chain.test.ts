import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onEachDatabase } from '../../test/support/databases.ts';
import { systemClock } from '../kit/base/clock.ts';
import { uuid } from '../kit/base/ids.ts';
import type { Database } from '../kit/db/index.ts';
import { GENESIS_HASH, hashEntry } from './hash-entry.ts';
import { type AuditHead, type AuditService, createAuditService } from './index.ts';
import type { AuditLogRow } from './store.ts';

const ENTRIES = 10;
const PAGE_ENTRIES = 10;

onEachDatabase('verifying the audit log', (test) => {
  let database: Database;
  let audit: AuditService;
  beforeAll(async () => {
    database = await test.open();
    audit = createAuditService({ database, now: systemClock });
    // What someone with write access to the database would do first.
    const drops =
      test.kind === 'postgres'
        ? ['append_only', 'no_delete'].map((what) => `drop trigger audit_logs_${what} on audit_logs`)
        : ['update', 'delete', 'replace'].map((what) => `drop trigger audit_logs_no_${what}`);
    for (const drop of drops) await sql.raw(drop).execute(database.db);
  });
  afterAll(() => database.close());

  async function recordChain(organization_id = uuid(), entries = ENTRIES): Promise<string> {
    await database.transaction(async (tx) => {
      for (let i = 1; i <= entries; i++) {
        await audit.record(tx, {
          organization_id,
          actor: { type: 'HUMAN', metadata: { user_uuid: 'u', email: 'a@example.org' } },
          event_type: 'prompt.update',
          event_metadata: { version: String(i) },
          target_type: 'PROMPT',
        });
      }
    });
    return organization_id;
  }

  const read = (organizationId: string) =>
    database.db
      .selectFrom('audit_logs')
      .selectAll()
      .where('organization_id', '=', organizationId)
      .orderBy('log_id')
      .execute();
  const update = (organizationId: string, logId: number, set: Partial<AuditLogRow>) =>
    database.db
      .updateTable('audit_logs')
      .set(set)
      .where('organization_id', '=', organizationId)
      .where('log_id', '=', logId)
      .execute();
  const remove = (organizationId: string, logId: number) =>
    database.db
      .deleteFrom('audit_logs')
      .where('organization_id', '=', organizationId)
      .where('log_id', '=', logId)
      .execute();
  const setHead = (organizationId: string, set: Partial<AuditHead>) =>
    database.db.updateTable('audit_heads').set(set).where('organization_id', '=', organizationId).execute();
  async function swap(organizationId: string, one: number, other: number): Promise<void> {
    await update(organizationId, one, { log_id: 1_000_000 });
    await update(organizationId, other, { log_id: one });
    await update(organizationId, 1_000_000, { log_id: other });
  }
  /** Writes entries anew with fitting hashes, as someone would who knows how the chain is made; returns the last hash. */
  async function rebuild(
    organizationId: string,
    from: number,
    set: Partial<AuditLogRow>,
    until = ENTRIES,
  ): Promise<string> {
    const rows = await read(organizationId);
    let previous_hash = rows.find(({ log_id }) => log_id === from - 1)?.hash ?? GENESIS_HASH;
    for (const row of rows.filter(({ log_id }) => log_id >= from && log_id <= until)) {
      const changed = { ...row, ...(row.log_id === from ? set : {}) };
      const hash = hashEntry(previous_hash, changed);
      await update(organizationId, row.log_id, { ...changed, previous_hash, hash });
      previous_hash = hash;
    }
    return previous_hash;
  }

  type Tampering = [string, (organizationId: string) => Promise<unknown>, number, string];
  const tamperings: Tampering[] = [
    ['a changed event type', (id) => update(id, 4, { event_type: 'prompt.delete' }), 4, 'altered'],
    ['a changed time', (id) => update(id, 4, { created_at: '2020-01-01T00:00:00.000000Z' }), 4, 'altered'],
    ['a changed workspace', (id) => update(id, 4, { workspace_id: uuid() }), 4, 'altered'],
    ['changed metadata', (id) => update(id, 4, { event_metadata: { version: '40' } }), 4, 'altered'],
    ['a changed first entry', (id) => update(id, 1, { target_type: 'SKILL' }), 1, 'altered'],
    ['a changed last entry', (id) => update(id, 10, { target_type: 'SKILL' }), 10, 'altered'],
    ['a changed hash', (id) => update(id, 4, { hash: 'f'.repeat(64) }), 4, 'altered'],
    ['a changed previous hash', (id) => update(id, 4, { previous_hash: 'f'.repeat(64) }), 4, 'altered'],
    ['an entry rewritten with a fitting hash', (id) => rebuild(id, 4, { target_type: 'SKILL' }, 4), 4, 'altered'],
    ['a last entry rewritten with a fitting hash', (id) => rebuild(id, 10, { target_type: 'SKILL' }), 10, 'head'],
    ['an entry slipped in before the first', (id) => insertCopy(id, 1, 0), 0, 'altered'],
    ['a deleted first entry', (id) => remove(id, 1), 1, 'missing'],
    ['a deleted middle entry', (id) => remove(id, 4), 4, 'missing'],
    ['a deleted last entry', (id) => remove(id, 10), 10, 'truncated'],
    [
      'all entries deleted',
      (id) => database.db.deleteFrom('audit_logs').where('organization_id', '=', id).execute(),
      1,
      'truncated',
    ],
    ['two neighbours swapped', (id) => swap(id, 4, 5), 4, 'reordered'],
    ['two distant entries swapped', (id) => swap(id, 2, 9), 2, 'reordered'],
    ['the first two entries swapped', (id) => swap(id, 1, 2), 1, 'reordered'],
    ['a changed hash in the head', (id) => setHead(id, { hash: 'f'.repeat(64) }), 10, 'head'],
    ['a head turned back', (id) => setHead(id, { log_id: 9 }), 10, 'head'],
    ['a head moved forward', (id) => setHead(id, { log_id: 12 }), 11, 'truncated'],
    [
      'a deleted head',
      (id) => database.db.deleteFrom('audit_heads').where('organization_id', '=', id).execute(),
      10,
      'head',
    ],
    ['a head turned back to nothing', (id) => setHead(id, { log_id: 0, hash: GENESIS_HASH }), 10, 'head'],
    ['an entry appended past the head', (id) => insertCopy(id, 10, 11), 11, 'head'],
  ];

  async function insertCopy(organizationId: string, from: number, to: number): Promise<void> {
    const row = (await read(organizationId)).find(({ log_id }) => log_id === from)!;
    await database.db
      .insertInto('audit_logs')
      .values({ ...row, log_id: to })
      .execute();
  }

  it.each(tamperings)('finds %s', async (_, tamper, log_id, problem) => {
    const [organizationId, bystander] = [await recordChain(), await recordChain()];
    await tamper(organizationId);
    const verification = await audit.verify({ organizationId });
    expect(verification).toEqual({ ok: false, organization_id: organizationId, log_id, problem });
    expect(await audit.verify({ organizationId: bystander })).toMatchObject({ ok: true, entries: ENTRIES });
  });

  it.runIf(test.kind === 'sqlite')('finds metadata that is no longer JSON', async () => {
    const organization_id = await recordChain();
    await sql`update audit_logs set event_metadata = '{' where organization_id = ${organization_id} and log_id = 4`.execute(
      database.db,
    );
    const expected = { ok: false, organization_id, log_id: 4, problem: 'altered' };
    expect(await audit.verify({ organizationId: organization_id })).toEqual(expected);
  });

  it.runIf(test.kind === 'sqlite')('finds an entry whose number is no number', async () => {
    const organization_id = await recordChain();
    await sql`update audit_logs set log_id = 'x' where organization_id = ${organization_id} and log_id = 10`.execute(
      database.db,
    );
    const expected = { ok: false, organization_id, problem: 'head' };
    expect(await audit.verify({ organizationId: organization_id })).toMatchObject(expected);
  });

  it('finds entries moved from one organization to another', async () => {
    const [from, to] = [await recordChain(), uuid()];
    await sql`update audit_logs set organization_id = ${to} where organization_id = ${from}`.execute(database.db);
    await sql`update audit_heads set organization_id = ${to} where organization_id = ${from}`.execute(database.db);
    expect(await audit.verify({ organizationId: to })).toMatchObject({ ok: false, log_id: 1, problem: 'altered' });
  });

  describe('with a noted head', () => {
    async function note(organizationId: string): Promise<AuditHead> {
      const verification = await audit.verify({ organizationId });
      if (!verification.ok) throw new Error('expected a sound chain');
      return verification.heads[0]!;
    }

    it('accepts a chain that has grown since', async () => {
      const organizationId = await recordChain();
      const noted = [await note(organizationId)];
      await recordChain(organizationId);
      const expected = { ok: true, organizations: 1, entries: 2 * ENTRIES };
      expect(await audit.verify({ organizationId, noted })).toMatchObject(expected);
    });

    it('finds a chain rebuilt as a whole, which is sound in itself', async () => {
      const organizationId = await recordChain();
      const noted = [await note(organizationId)];
      const hash = await rebuild(organizationId, 4, { event_metadata: { version: 'forged' } });
      await setHead(organizationId, { hash });
      expect(await audit.verify({ organizationId })).toMatchObject({ ok: true });
      const expected = { ok: false, organization_id: organizationId, log_id: ENTRIES, problem: 'rebuilt' };
      expect(await audit.verify({ organizationId, noted })).toEqual(expected);
    });

    it('finds a chain cut short together with its head', async () => {
      const organizationId = await recordChain();
      const noted = [await note(organizationId)];
      await remove(organizationId, ENTRIES);
      const last = (await read(organizationId)).at(-1)!;
      await setHead(organizationId, { log_id: last.log_id, hash: last.hash });
      expect(await audit.verify({ organizationId })).toMatchObject({ ok: true, entries: ENTRIES - 1 });
      const expected = { ok: false, organization_id: organizationId, log_id: ENTRIES, problem: 'truncated' };
      expect(await audit.verify({ organizationId, noted })).toEqual(expected);
    });
  });
});

onEachDatabase('verifying the whole audit log', (test) => {
  let database: Database;
  let audit: AuditService;
  beforeAll(async () => {
    database = await test.open();
    audit = createAuditService({ database, now: systemClock, pageEntries: PAGE_ENTRIES });
  });
  afterAll(() => database.close());

  async function insertChain(organization_id: string, entries: number): Promise<AuditHead> {
    let hash = GENESIS_HASH;
    const rows = Array.from({ length: entries }, (_, i): AuditLogRow => {
      const row = {
        organization_id,
        log_id: 1 + i,
        workspace_id: null,
        created_at: '2026-01-01T00:00:00.000000Z',
        actor_type: 'OTHER',
        actor_metadata: {},
        event_type: 'agent.update',
        event_metadata: { version: String(i) },
        target_type: 'AGENT',
        target_metadata: { id: uuid() },
      } as const;
      const previous_hash = hash;
      hash = hashEntry(previous_hash, row);
      return { ...row, previous_hash, hash };
    });
    await database.db.insertInto('audit_logs').values(rows).execute();
    const head = { organization_id, log_id: entries, hash };
    await database.db.insertInto('audit_heads').values(head).execute();
    return head;
  }

  it('accepts an empty log', async () => {
    expect(await audit.verify()).toEqual({ ok: true, organizations: 0, entries: 0, heads: [] });
    const empty = { ok: true, organizations: 0, entries: 0, heads: [] };
    expect(await audit.verify({ organizationId: uuid() })).toEqual(empty);
  });

  it('reads entries in pages, lets others run between them, and returns every head', async () => {
    const ids = [uuid(), uuid()].sort() as [string, string];
    const heads = [await insertChain(ids[0], 35), await insertChain(ids[1], 5)];
    const progress: number[] = [];
    const turnsAtPage: number[] = [];
    let turns = 0;
    let next = setImmediate(function count() {
      turns++;
      next = setImmediate(count);
    });
    const onProgress = ({ entries }: { entries: number }) => {
      progress.push(entries);
      turnsAtPage.push(turns);
    };
    const verification = await audit.verify({ onProgress });
    clearImmediate(next);
    expect(verification).toEqual({ ok: true, organizations: 2, entries: 40, heads });
    expect(progress).toEqual([10, 20, 30, 35, 40]);
    expect(new Set(turnsAtPage).size).toBe(turnsAtPage.length);
  });

  it('stays sound while entries are being written', async () => {
    const organizationId = uuid();
    const write = () =>
      database.transaction((tx) =>
        audit.record(tx, {
          organization_id: organizationId,
          actor: { type: 'OTHER', metadata: {} },
          event_type: 'agent.create',
          target_type: 'AGENT',
        }),
      );
    let writing = true;
    const writers = Promise.all(Array.from({ length: 100 }, write)).finally(() => {
      writing = false;
    });
    while (writing) expect(await audit.verify({ organizationId })).toMatchObject({ ok: true });
    await writers;
    expect(await audit.verify({ organizationId })).toMatchObject({ ok: true, entries: 100 });
  });

  it('misses a deleted organization only if its head was not noted', async () => {
    const noted = [{ organization_id: uuid(), log_id: 3, hash: 'f'.repeat(64) }];
    expect(await audit.verify()).toMatchObject({ ok: true });
    const expected = { ok: false, organization_id: noted[0]!.organization_id, log_id: 1, problem: 'truncated' };
    expect(await audit.verify({ noted })).toEqual(expected);
  });
});
