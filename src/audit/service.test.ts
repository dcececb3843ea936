import { CompiledQuery, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordStatements } from '../../test/support/count-statements.ts';
import { onEachDatabase } from '../../test/support/databases.ts';
import { uuid } from '../kit/base/ids.ts';
import type { Database } from '../kit/db/index.ts';
import { type AuditEntry, type AuditLogFilters, AuditLogOut, type AuditService, createAuditService } from './index.ts';

const START = Date.parse('2026-01-01T00:00:00Z');

onEachDatabase('the audit log', (test) => {
  let database: Database;
  let audit: AuditService;
  let nowMs = START;
  beforeAll(async () => {
    database = await test.open();
    audit = createAuditService({ database, now: () => nowMs });
  });
  afterAll(() => database.close());

  const entry = (organization_id: string, more: Partial<AuditEntry> = {}): AuditEntry => ({
    organization_id,
    actor: { type: 'HUMAN', metadata: { user_uuid: 'u-1' } },
    event_type: 'prompt.create',
    target_type: 'PROMPT',
    ...more,
  });
  const record = (organizationId: string, more?: Partial<AuditEntry>) =>
    database.transaction((tx) => audit.record(tx, entry(organizationId, more)));
  const logIds = async (organizationId: string) =>
    (await audit.list(database.db, organizationId, { limit: 1000, sort: 'ascending' })).map(({ log_id }) => log_id);
  const countTo = (n: number) => Array.from({ length: n }, (_, i) => i + 1);

  describe('record', () => {
    it('keeps every chain gapless under 50 parallel transactions for one organization and 50 for others', async () => {
      const [busy, ...others] = Array.from({ length: 6 }, uuid) as [string, ...string[]];
      const writes = Array.from({ length: 50 }, (_, i) => [record(busy), record(others[i % 5] as string)]);
      await Promise.all(writes.flat());
      expect(await logIds(busy)).toEqual(countTo(50));
      for (const other of others) expect(await logIds(other)).toEqual(countTo(10));
      expect(await audit.verify()).toMatchObject({ ok: true, organizations: 6, entries: 100 });
    });

    it.runIf(test.kind === 'postgres')('keeps a chain gapless when two processes write it', async () => {
      const other = await test.open();
      const otherAudit = createAuditService({ database: other, now: () => nowMs });
      const organization = uuid();
      const elsewhere = () => other.transaction((tx) => otherAudit.record(tx, entry(organization)));
      await Promise.all(Array.from({ length: 25 }, () => [record(organization), elsewhere()]).flat());
      expect(await logIds(organization)).toEqual(countTo(50));
      expect(await audit.verify({ organizationId: organization })).toMatchObject({ ok: true, entries: 50 });
    });

    it.runIf(test.kind === 'postgres')(
      'takes one round trip for an entry after the first of its organization',
      async () => {
        const organization = uuid();
        await record(organization);
        const recorded = recordStatements(/audit_/);
        await record(organization);
        expect(recorded.statements).toHaveLength(1);
        expect(await audit.verify({ organizationId: organization })).toMatchObject({ ok: true, entries: 2 });
      },
    );

    it('leaves no gap and no trace when the transaction rolls back', async () => {
      const organization = uuid();
      await record(organization);
      const failing = database.transaction(async (tx) => {
        await audit.record(tx, entry(organization));
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      await record(organization);
      expect(await logIds(organization)).toEqual([1, 2]);
      expect(await audit.verify({ organizationId: organization })).toMatchObject({ ok: true, entries: 2 });
    });

    it('writes several entries of one transaction one after the other', async () => {
      const organization = uuid();
      await database.transaction(async (tx) => {
        for (let i = 0; i < 3; i++) await audit.record(tx, entry(organization));
      });
      expect(await audit.verify({ organizationId: organization })).toMatchObject({ ok: true, entries: 3 });
    });

    it.each(['key', 'secret', 'password', 'token', 'api_key', 'clientSecret', 'API_KEY', 'x-auth-token'])(
      'refuses metadata named %s, wherever it stands',
      async (name) => {
        const organization = uuid();
        const metadata = { [name]: 'x' };
        await expect(record(organization, { event_metadata: metadata })).rejects.toThrow('may not hold');
        await expect(record(organization, { target_metadata: metadata })).rejects.toThrow('may not hold');
        await expect(record(organization, { actor: { type: 'OTHER', metadata } })).rejects.toThrow('may not hold');
        expect(await logIds(organization)).toEqual([]);
      },
    );

    it('accepts metadata that only mentions secrets by id or name', async () => {
      const metadata = { api_key_id: '1', key_name: 'ci', prompt_tokens: '12', monkey: 'yes' };
      await expect(record(uuid(), { target_metadata: metadata })).resolves.toBeUndefined();
    });

    it('keeps strange text readable, listable and verifiable', async () => {
      const organization = uuid();
      const metadata = { user_uuid: 'u-1', name: 'a\0b\ud800c 😀 "\\', ['__proto__']: 'own' };
      for (let i = 0; i < 2; i++)
        await record(organization, { actor: { type: 'HUMAN', metadata }, workspace_id: organization });
      const [found] = await audit.list(database.db, organization, { actor_user_uuid: 'u-1' });
      expect(found?.actor_metadata.name).toBe('a\ufffdb\ufffdc 😀 "\\');
      expect(await audit.verify({ organizationId: organization })).toMatchObject({ ok: true, entries: 2 });
    });
  });

  describe('the database itself', () => {
    it('refuses to change, delete or replace an entry', async () => {
      const organization = uuid();
      await record(organization);
      const { db } = database;
      const own = sql`where organization_id = ${organization}`;
      await expect(sql`update audit_logs set created_at = 'x' ${own}`.execute(db)).rejects.toThrow('append-only');
      await expect(sql`delete from audit_logs ${own}`.execute(db)).rejects.toThrow('append-only');
      const again = sql`select * from audit_logs ${own}`;
      const replacing =
        test.kind === 'sqlite'
          ? sql`insert or replace into audit_logs ${again}`
          : sql`insert into audit_logs ${again} on conflict (organization_id, log_id) do update set hash = 'x'`;
      await expect(replacing.execute(db)).rejects.toThrow('append-only');
      if (test.kind === 'postgres') {
        await expect(sql`truncate audit_logs`.execute(db)).rejects.toThrow('append-only');
      }
      expect(await audit.verify({ organizationId: organization })).toMatchObject({ ok: true, entries: 1 });
    });
  });

  describe('list', () => {
    const [mine, theirs, workspace] = [uuid(), uuid(), uuid()];
    const list = async (filters: AuditLogFilters) =>
      (await audit.list(database.db, mine, filters)).map(({ log_id }) => log_id);

    beforeAll(async () => {
      const key = { type: 'API_KEY', metadata: { user_uuid: 'u-2' } } as const;
      const entries: Partial<AuditEntry>[] = [
        { event_metadata: { version: '1' }, target_metadata: { id: 'p' } },
        { event_type: 'prompt.delete', actor: key },
        { event_type: 'skill.create', target_type: 'SKILL', workspace_id: workspace },
        { event_type: 'api_key.create', target_type: 'API_KEY', actor: { type: 'OTHER', metadata: {} } },
      ];
      for (const [index, more] of entries.entries()) {
        nowMs = START + index * 1000;
        await record(mine, more);
        await record(theirs, more);
      }
    });

    it('returns the wire format, newest first', async () => {
      const found = await audit.list(database.db, mine);
      expect(found.map((row) => AuditLogOut.parse(row).log_id)).toEqual([4, 3, 2, 1]);
      expect(found[3]).toEqual({
        created_at: '2026-01-01T00:00:00.000000Z',
        actor_type: 'HUMAN',
        actor_metadata: { user_uuid: 'u-1' },
        event_type: 'prompt.create',
        event_metadata: { version: '1' },
        target_type: 'PROMPT',
        target_metadata: { id: 'p' },
        log_id: 1,
        organization_uuid: mine,
        workspace_uuid: null,
      });
      expect(found[1]?.workspace_uuid).toBe(workspace);
    });

    it("never shows another organization's entries", async () => {
      for (const filters of [{}, { actor_user_uuid: 'u-1' }, { workspace }, { after: '2000-01-01T00:00:00Z' }]) {
        const found = await audit.list(database.db, mine, { limit: 1000, ...filters });
        expect(found.length).toBeGreaterThan(0);
        expect(new Set(found.map(({ organization_uuid }) => organization_uuid))).toEqual(new Set([mine]));
      }
      expect(await audit.list(database.db, uuid())).toEqual([]);
    });

    it.each([
      [{ sort: 'ascending' }, [1, 2, 3, 4]],
      [{ limit: 2 }, [4, 3]],
      [{ limit: 2, sort: 'ascending' }, [1, 2]],
      [{ limit: 0 }, []],
      [{ limit: -1 }, []],
      [{ actor_type: ['API_KEY', 'OTHER'] }, [4, 2]],
      [{ actor_type: [] }, [4, 3, 2, 1]],
      [{ event_type: ['skill.create', 'prompt.create'] }, [3, 1]],
      [{ target_type: ['PROMPT'] }, [2, 1]],
      [{ target_type: ['PROMPT'], actor_type: ['HUMAN'] }, [1]],
      [{ actor_user_uuid: 'u-2' }, [2]],
      [{ actor_user_uuid: 'u-3' }, []],
      [{ after: '2026-01-01T00:00:01Z' }, [4, 3]],
      [{ after: '2026-01-01T00:00:00.999999Z' }, [4, 3, 2]],
      [{ after: '2026-01-01T01:00:01+01:00' }, [4, 3]],
      [{ after: '2026-01-01T00:00:01' }, [4, 3]],
      [{ after: '2026-01-01' }, [4, 3, 2]],
      [{ before: '2026-01-01T00:00:01.000001Z' }, [2, 1]],
      [{ before: '2026-01-01T00:00:01Z' }, [1]],
      [{ after: '2026-01-01T00:00:00Z', before: '2026-01-01T00:00:03Z', sort: 'ascending' }, [2, 3]],
    ] as const)('filters by %j', async (filters, expected) => {
      expect(await list(filters)).toEqual(expected);
    });

    it('filters by workspace', async () => {
      expect(await list({ workspace })).toEqual([3]);
    });

    it('pages by the time of the last entry seen', async () => {
      const [newest] = await audit.list(database.db, mine, { limit: 1 });
      expect(await list({ limit: 2, before: newest?.created_at })).toEqual([3, 2]);
    });
  });

  it.runIf(test.kind === 'sqlite')('lists and filters by actor from an index, without sorting', async () => {
    const plan = async (filters: AuditLogFilters) => {
      const queries: CompiledQuery[] = [];
      const spying = database.db.withPlugin({
        transformQuery({ node, queryId }) {
          queries.push(database.db.getExecutor().compileQuery(node, queryId));
          return node;
        },
        transformResult: async ({ result }) => result,
      });
      await audit.list(spying, uuid(), filters);
      const explain = CompiledQuery.raw(`explain query plan ${queries[0]!.sql}`, [...queries[0]!.parameters]);
      const { rows } = await database.db.executeQuery<{ detail: string }>(explain);
      return rows.map(({ detail }) => detail).join('; ');
    };
    expect(await plan({ before: '2026-01-01T00:00:00Z' })).toMatch(/^SEARCH .* audit_logs_by_time [^;]*$/);
    expect(await plan({ actor_user_uuid: 'u-1' })).toMatch(/^SEARCH .* audit_logs_by_actor [^;]*<expr>[^;]*$/);
  });
});
