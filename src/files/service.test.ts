import { readdirSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import consumers from 'node:stream/consumers';
import { beforeAll, describe, expect, it } from 'vitest';
import { onEachDatabase, temporaryDir } from '../../test/support/databases.ts';
import { createAuditService } from '../audit/index.ts';
import { CONTENT_QUEUE, createBlobs, type DeletedContent } from '../kit/blobs/index.ts';
import type { Database } from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import { createTasks } from '../kit/tasks/index.ts';
import { createFileService, type FileService, type NewFile } from './index.ts';

const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 8, 1, 12);
const report: NewFile = {
  filename: 'report.txt',
  mimetype: 'text/plain',
  purpose: 'batch',
  sample_type: 'batch_result',
  source: 'mistral',
  visibility: 'workspace',
};

onEachDatabase('files', (testDatabase) => {
  const scope = { organization_id: 'o1', workspace_id: 'w1', user_id: 'u1', key_id: 'k1' } as Scope;
  const dir = join(temporaryDir(), 'blobs', 'files');
  const blobs = createBlobs({ dir });
  let nowMs = START_MS;
  let database: Database;
  let files: FileService;
  beforeAll(async () => {
    database = await testDatabase.open();
    const created_at = new Date(START_MS).toISOString();
    await database.transaction(async (tx) => {
      await tx.insertInto('organizations').values({ id: 'o1', name: 'O', plan: 'enterprise', created_at }).execute();
      const workspace = { id: 'w1', organization_id: 'o1', name: 'W', description: '', icon: '', created_at };
      await tx
        .insertInto('workspaces')
        .values({ ...workspace, is_default: true, archived_at: null })
        .execute();
    });
    files = createFileService({
      database,
      audit: createAuditService({ database, now: () => nowMs }),
      organizationOf: async () => 'o1',
      blobs,
      tasks: createTasks({ database, now: () => nowMs }),
      now: () => nowMs,
      bytesMax: 1000,
      publicUrl: 'https://ai.example.com',
    });
  });

  const contentsOnDisk = async () => {
    const digests: string[] = [];
    for await (const digest of blobs.list()) digests.push(digest);
    return digests;
  };
  /** As if every content had been written hours before the clock of the test. */
  const ageContents = async () => {
    const longAgo = new Date(nowMs - 2 * HOUR_MS);
    for (const digest of await contentsOnDisk())
      utimesSync(join(dir, digest.slice(0, 2), digest.slice(2)), longAgo, longAgo);
  };
  /** What the queue of deleted content holds, as the server would do it once it is due. */
  const removeDeleted = async () => {
    const tasks = createTasks({ database, now: () => nowMs + 60_000 });
    for (const { payload } of await tasks.claim(CONTENT_QUEUE, { limit: 100, leaseMs: 1000 }))
      await files.removeContent((payload as DeletedContent).sha256s);
  };
  async function* text(...parts: string[]) {
    for (const part of parts) yield Buffer.from(part);
  }

  describe('a file of the platform itself', () => {
    it('keeps what the room says about it, and its lines are counted', async () => {
      const file = await files.create(scope, report, text('one\ntw', 'o\n'));
      expect(file).toMatchObject({ source: 'mistral', sample_type: 'batch_result', num_lines: 2, expires_at: null });
      const { content } = await files.open(scope, file.id);
      expect(await consumers.text(content.stream())).toBe('one\ntwo\n');
    });

    it('larger than the limit leaves nothing', async () => {
      const before = await contentsOnDisk();
      await expect(files.create(scope, report, text('x'.repeat(600), 'y'.repeat(600)))).rejects.toThrow('1000 bytes');
      expect(await contentsOnDisk()).toEqual(before);
      expect(readdirSync(join(dir, 'tmp'))).toEqual([]);
    });

    it.each([
      ['../../etc/passwd', 'passwd'],
      ['C:\\Users\\me\\plan.txt', 'plan.txt'],
      ['a\u0000b\r\nc', 'a_b__c'],
      ['', 'file'],
      ['x'.repeat(400), 'x'.repeat(255)],
    ])('named %j is called %j', async (filename, expected) => {
      expect(await files.create(scope, { ...report, filename }, text('n'))).toMatchObject({ filename: expected });
    });

    it.each([
      ['Text/HTML', 'text/html'],
      ['not a type', null],
      ['text/html\u0000', null],
      [null, null],
    ])('of the type %j has the mimetype %j', async (mimetype, expected) => {
      expect(await files.create(scope, { ...report, mimetype }, text('n'))).toMatchObject({ mimetype: expected });
    });
  });

  describe('expiry', () => {
    it('makes a file missing in every way at its hour, and the next pruning removes row and content [FILES-EXPIRY]', async () => {
      const file = await files.create(scope, { ...report, expiryHours: 2 }, text('short-lived'));
      expect(file.expires_at).toBe(Math.floor(nowMs / 1000) + 7200);
      const url = new URL(await files.signUrl(scope, file.id, 168, 'http://unused'));
      const query = {
        expires: Number(url.searchParams.get('expires')),
        signature: url.searchParams.get('signature') ?? '',
      };
      const ids = async () =>
        (await files.list(scope, { page: 0, page_size: 1000, include_total: false })).data.map(({ id }) => id);

      nowMs += 2 * HOUR_MS - 1;
      expect(await ids()).toContain(file.id);
      expect((await files.openSigned(file.id, query)).file.id).toBe(file.id);

      nowMs += 1;
      expect(await ids()).not.toContain(file.id);
      for (const look of [files.get, files.open, files.remove])
        await expect(look(scope, file.id)).rejects.toMatchObject({ status: 404 });
      await expect(files.openSigned(file.id, query)).rejects.toMatchObject({ status: 403 });
      expect(await blobs.open(file.signature ?? '')).toBeDefined();

      await ageContents();
      await files.expire();
      await removeDeleted();
      expect(await blobs.open(file.signature ?? '')).toBeUndefined();
      const rows = await database.db.selectFrom('files').select('id').where('id', '=', file.id).execute();
      expect(rows).toEqual([]);
    });

    it('of a signed address is its own [FILES-URL-EXPIRY]', async () => {
      const file = await files.create(scope, report, text('signed'));
      const url = await files.signUrl(scope, file.id, 1, 'http://unused');
      expect(url.startsWith(`https://ai.example.com/v1/files/${file.id}/download?`)).toBe(true);
      const { searchParams } = new URL(url);
      const query = { expires: Number(searchParams.get('expires')), signature: searchParams.get('signature') ?? '' };
      nowMs += HOUR_MS - 1000;
      expect((await files.openSigned(file.id, query)).content.bytes).toBe(6);
      nowMs += 1000;
      await expect(files.openSigned(file.id, query)).rejects.toMatchObject({ status: 403 });
    });
  });

  describe('a deleted file', () => {
    it('is gone from the disk within a minute, unless another file has the same content or it was just written', async () => {
      await removeDeleted();
      const [one, two] = [
        await files.create(scope, report, text('twice')),
        await files.create(scope, report, text('twice')),
      ];
      const alone = await files.create(scope, report, text('alone'));
      await ageContents();
      for (const { id } of [one, alone]) await files.remove(scope, id);
      await removeDeleted();
      expect(await blobs.open(alone.signature ?? '')).toBeUndefined();
      expect((await files.open(scope, two.id)).content.bytes).toBe(5);

      await files.remove(scope, two.id);
      // As if an upload of the same content had ended a moment ago, and its row were about to come.
      utimesSync(join(dir, two.signature!.slice(0, 2), two.signature!.slice(2)), new Date(nowMs), new Date(nowMs));
      await removeDeleted();
      expect(await blobs.open(two.signature ?? '')).toBeDefined();
    });
  });

  describe('pruning', () => {
    it('keeps content that another file has, and what was written within the hour', async () => {
      const [one, two] = [
        await files.create(scope, report, text('both')),
        await files.create(scope, report, text('both')),
      ];
      await files.remove(scope, one.id);
      await ageContents();
      const young = await files.create(scope, report, text('young'));
      utimesSync(join(dir, young.signature!.slice(0, 2), young.signature!.slice(2)), new Date(nowMs), new Date(nowMs));
      await files.remove(scope, young.id);
      await files.prune();
      expect((await files.open(scope, two.id)).content.bytes).toBe(4);
      expect(await blobs.open(young.signature ?? '')).toBeDefined();
      await files.remove(scope, two.id);
      await ageContents();
      await files.prune();
      expect(await blobs.open(two.signature ?? '')).toBeUndefined();
      expect(await blobs.open(young.signature ?? '')).toBeUndefined();
    });
  });

  it('a file whose content is missing on this server is our fault, in words without a path', async () => {
    const file = await files.create(scope, report, text('lost'));
    await blobs.remove(file.signature ?? '');
    const error = await files.open(scope, file.id).catch((error) => error);
    expect(error).toMatchObject({ status: 500, message: expect.not.stringContaining(dir) });
  });
});
