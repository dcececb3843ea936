import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isSqliteOrFull, onEachDatabase, temporaryDir } from '../../test/support/databases.ts';
import { createAuditService } from '../audit/index.ts';
import { engineErrors } from '../engines/index.ts';
import { createReadEngine } from '../engines/read/index.ts';
import { createLog } from '../kit/base/log.ts';
import { CONTENT_QUEUE, createBlobs, type DeletedContent } from '../kit/blobs/index.ts';
import type { Database } from '../kit/db/index.ts';
import { createPageTokens, requestErrors, type Scope } from '../kit/http/index.ts';
import { createTasks } from '../kit/tasks/index.ts';
import { createLibraryService, type DocumentIndex, type LibraryService } from './index.ts';
import type { Document } from './schema.ts';

const START_MS = Date.UTC(2026, 8, 1, 12);
const HOUR_MS = 3_600_000;
const [ORGANIZATION, WORKSPACE, USER, KEY] = [1, 2, 3, 4].map((n) => `01890000-0000-7000-8000-00000000000${n}`) as [
  string,
  string,
  string,
  string,
];
const WORD = 'quizzaciously';

onEachDatabase('the reading of documents', (testDatabase) => {
  const permissions = new Set(['libraries:read', 'libraries:write']);
  const scope = {
    organization_id: ORGANIZATION,
    workspace_id: WORKSPACE,
    user_id: USER,
    key_id: KEY,
    permissions,
  } as unknown as Scope;
  const dir = join(temporaryDir(), 'blobs', 'libraries');
  const sourceFolder = temporaryDir();
  const log = createLog('silent');
  const reader = createReadEngine({
    ...{ textCharactersMax: 1e6, chunksMax: 1000, entriesMax: 20, unpackedBytesMax: 1e7 },
    ...{ concurrency: 1, memoryMib: 512, documentMs: 60_000, log },
  });
  let nowMs = START_MS;
  let database: Database;
  /** What is indexed, by document, and every call. */
  const indexed = new Map<string, string[]>();
  const puts: string[] = [];
  const changes: { title: string; attributes: Record<string, unknown> }[] = [];
  let beforePut: () => Promise<void> = async () => undefined;
  let mayWrite = true;
  /** Of whoever reads pages of pictures. */
  let refusal: () => Error = requestErrors.server_stopping;
  const warmed: string[] = [];
  const index: DocumentIndex = {
    warmUp: (workspaceId) => void warmed.push(workspaceId),
    async setAttributes({ title, attributes }) {
      changes.push({ title, attributes });
    },
    progress: async () => new Map(),
    listChunks: async () => [],
    async put({ documentId, chunks }) {
      await beforePut();
      puts.push(documentId);
      indexed.set(
        documentId,
        chunks.map(({ text }) => text),
      );
    },
    async removeDocument({ documentId }) {
      indexed.delete(documentId);
    },
    async removeCollection() {
      indexed.clear();
    },
  };

  function open(): LibraryService {
    const now = () => nowMs;
    return createLibraryService({
      database,
      audit: createAuditService({ database, now }),
      tasks: createTasks({ database, now }),
      tokens: createPageTokens('secret'),
      blobs: createBlobs({ dir }),
      index,
      search: async () => [],
      reader,
      authority: {
        scopeOf() {
          if (!mayWrite) throw requestErrors.access_lost('its API key was deleted');
          return scope;
        },
      },
      recognize: () => Promise.reject(refusal()),
      transcribe: () => Promise.reject(requestErrors.server_stopping()),
      summarize: undefined,
      repositories: { fetch: () => Promise.reject(new Error('no network')) },
      sourceFolders: [{ path: sourceFolder }],
      sourceLimits: { filesMax: 10, fileBytesMax: 1e6, bytesMax: 1e7, timeoutMs: 60_000 },
      web: { outbound: { fetch: () => Promise.reject(new Error('no network')) } },
      withinStorage: (_scope, _bytes, work) => work(),
      isInOrganization: async () => true,
      concurrency: 2,
      chunkCharacters: 500,
      bytesMax: 1e6,
      publicUrl: undefined,
      now,
      log,
    });
  }

  let service: LibraryService;
  beforeAll(async () => {
    database = await testDatabase.open();
    const created_at = new Date(START_MS).toISOString();
    await database.transaction(async (tx) => {
      await tx
        .insertInto('organizations')
        .values({ id: ORGANIZATION, name: 'O', plan: 'enterprise', created_at })
        .execute();
      const workspace = {
        id: WORKSPACE,
        organization_id: ORGANIZATION,
        name: 'W',
        description: '',
        icon: '',
        created_at,
      };
      await tx
        .insertInto('workspaces')
        .values({ ...workspace, is_default: true, archived_at: null })
        .execute();
      await tx
        .insertInto('users')
        .values({ id: USER, email: 'u@x.test', first_name: null, last_name: null, created_at })
        .execute();
      await tx
        .insertInto('organization_members')
        .values({ organization_id: ORGANIZATION, user_id: USER, role: 'member', created_at })
        .execute();
    });
    service = open();
    service.start();
  });
  afterAll(async () => {
    await service.stop(0);
    await reader.close();
  });

  async function* once(text: string | Uint8Array) {
    yield Buffer.from(text as string);
  }
  async function upload(libraryId: string, name: string, content: string | Uint8Array): Promise<Document> {
    const staged = await service.documents.stage(once(content), 1e6);
    return (await service.documents.upload(scope, libraryId, { filename: name, mimetype: null, content: staged }))
      .document;
  }
  const get = ({ library_id, id }: Document) =>
    service.documents.get({ scope, setHeader: () => undefined }, library_id, id);
  const settled = (document: Document, status = 'done') =>
    expect.poll(async () => (await get(document)).process_status, { timeout: 20_000, interval: 10 }).toBe(status);
  const makeLibrary = (more: object = {}) => service.libraries.create(scope, { name: 'L', ...more });
  const rowsWith = async (word: string) => {
    const { db } = database;
    const pages = await db.selectFrom('library_pages').selectAll().execute();
    const documents = await db.selectFrom('library_documents').selectAll().execute();
    return JSON.stringify([pages, documents]).includes(word);
  };
  const contentsOnDisk = () =>
    readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile()).length;
  const removeDeleted = async () => {
    const tasks = createTasks({ database, now: () => nowMs + HOUR_MS });
    for (const { payload } of await tasks.claim(CONTENT_QUEUE, { limit: 100, leaseMs: 1000 })) {
      nowMs += 2 * HOUR_MS * 24 * 365;
      await service.removeContent((payload as DeletedContent).sha256s);
      nowMs -= 2 * HOUR_MS * 24 * 365;
    }
  };

  it('a source runs again when its interval is over, by what its creator may do then', async () => {
    const { id } = await makeLibrary();
    writeFileSync(join(sourceFolder, 'a.md'), 'First.');
    const place = { type: 'folder' as const, path: sourceFolder, ignore: [] };
    await service.sources.create(scope, id, { place, interval_seconds: 300 });
    const source = async () => (await service.sources.list(scope, id)).data[0];
    const ended = (more: object) => expect.poll(source, { timeout: 20_000, interval: 10 }).toMatchObject(more);
    await ended({ status: 'done', result: { added: 1 } });
    writeFileSync(join(sourceFolder, 'b.md'), 'Second.');
    nowMs += 299_000;
    await service.sources.runDue();
    expect(await source()).toMatchObject({ result: { added: 1, unchanged: 0 } });
    nowMs += 2000;
    await service.sources.runDue();
    await ended({ status: 'done', result: { added: 1, unchanged: 1 } });
    mayWrite = false;
    nowMs += 301_000;
    try {
      await service.sources.runDue();
      await ended({ status: 'error', error: { message: expect.stringContaining('its API key was deleted') } });
    } finally {
      mayWrite = true;
    }
    expect(await service.libraries.get(scope, id)).toMatchObject({ nb_documents: 2 });
  });

  it('the embedding model is loaded while a document is still being read', async () => {
    warmed.length = 0;
    let warmedBefore: string[] = [];
    beforePut = async () => {
      warmedBefore = [...warmed];
    };
    await settled(await upload((await makeLibrary()).id, 'warm.txt', 'Something to read.'));
    beforePut = async () => undefined;
    // Documents of earlier tests may still be read beside it.
    expect(warmedBefore).toContain(WORKSPACE);
  });

  it('a document whose server stopped while it was read is read by another one, once', async () => {
    const library = await makeLibrary();
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    beforePut = () => {
      reach();
      return held;
    };
    const document = await upload(library.id, 'a.txt', 'Read me once.');
    await reached;
    await service.stop(0);
    beforePut = async () => undefined;
    service = open();
    service.start();
    await settled(document);
    release();
    await nextTurn();
    expect(indexed.get(document.id)).toEqual(['Read me once.']);
    const pages = await database.db
      .selectFrom('library_pages')
      .selectAll()
      .where('document_id', '=', document.id)
      .execute();
    expect(pages).toEqual([{ document_id: document.id, page: 0, text: 'Read me once.', left_out: [] }]);
  });

  it('a document in whose reading servers die waits after three of them, and fails after twelve', async () => {
    await service.stop(0);
    service = open();
    const library = await makeLibrary();
    const [unlucky, deadly] = [
      await upload(library.id, 'a.txt', 'Unlucky.'),
      await upload(library.id, 'b.txt', 'Deadly.'),
    ];
    const died = async (document: Document, attempt: number, deaths: number) => {
      const task = database.db.updateTable('tasks').where('dedupe_key', '=', document.id);
      const caller = { key_id: KEY, user_id: USER, organization_id: ORGANIZATION, workspace_id: WORKSPACE };
      const place = { document_id: document.id, library_id: library.id, workspace_id: WORKSPACE };
      await task.set({ attempt, payload: JSON.stringify({ ...place, caller, tries: 0, deaths }) }).execute();
    };
    await died(unlucky, 3, 0);
    await died(deadly, 3, 9);
    service.start();
    await settled(unlucky, 'waiting_for_capacity');
    await settled(deadly, 'error');
    nowMs += 31_000;
    await settled(unlucky);
    expect(indexed.get(unlucky.id)).toEqual(['Unlucky.']);
  });

  it('a document that is deleted while it is read leaves nothing in the index', async () => {
    const library = await makeLibrary();
    const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    beforePut = () => {
      reach();
      return held;
    };
    const document = await upload(library.id, 'a.txt', `Deleted ${WORD}.`);
    await reached;
    await service.documents.remove(scope, library.id, document.id);
    beforePut = async () => undefined;
    release();
    await expect.poll(() => puts.includes(document.id), { timeout: 20_000 }).toBe(true);
    await expect.poll(() => indexed.has(document.id), { timeout: 20_000 }).toBe(false);
    expect(await rowsWith(WORD)).toBe(false);
  });

  it('a document whose uploader may not write any more fails with that reason', async () => {
    const library = await makeLibrary();
    mayWrite = false;
    const document = await upload(library.id, 'a.txt', 'Too late.');
    await settled(document, 'error');
    mayWrite = true;
    const headers = new Map<string, string>();
    const setHeader = (name: string, value: string) => void headers.set(name, value);
    await service.documents.get({ scope, setHeader }, library.id, document.id);
    expect(headers.get('tramontane-error')).toMatch(/^access_lost: .*API key was deleted/);
    expect(indexed.has(document.id)).toBe(false);
  });

  it('what has no free engine waits for capacity, and is read later', async () => {
    const library = await makeLibrary();
    const document = await upload(library.id, 'a.pdf', '%PDF-1.7');
    await settled(document, 'waiting_for_capacity');
    await service.documents.remove(scope, library.id, document.id);
  });

  it('what took too long is tried once more a minute later, and fails if it does so again', async () => {
    let attempts = 0;
    refusal = () => {
      attempts += 1;
      return engineErrors.document_too_slow('The document took too long to be read.');
    };
    const library = await makeLibrary();
    const document = await upload(library.id, 'slow.pdf', '%PDF-1.7');
    await settled(document, 'waiting_for_capacity');
    expect(attempts).toBe(1);
    nowMs += 61_000;
    await settled(document, 'error');
    expect(attempts).toBe(2);
    refusal = requestErrors.server_stopping;
    const headers = new Map<string, string>();
    const setHeader = (name: string, value: string) => void headers.set(name, value);
    await service.documents.get({ scope, setHeader }, library.id, document.id);
    expect(headers.get('tramontane-error')).toMatch(/^document_too_slow: /);
  });

  it.runIf(isSqliteOrFull(testDatabase))(
    'what cannot be stored waits, and fails with that reason and with nothing half if the disk stays full',
    async () => {
      const library = await makeLibrary();
      const full = async () => {
        throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
      };
      beforePut = full;
      const document = await upload(library.id, 'a.txt', 'Stored late.');
      await settled(document, 'waiting_for_capacity');
      beforePut = async () => undefined;
      nowMs += 61_000;
      await settled(document);
      expect(indexed.get(document.id)).toEqual(['Stored late.']);

      beforePut = full;
      const lost = await upload(library.id, 'b.txt', 'Never stored.');
      const status = async () => {
        const { process_status } = await get(lost);
        // Only while it waits: leases of work that runs would be over.
        if (process_status === 'waiting_for_capacity') nowMs += 61_000;
        return process_status;
      };
      await expect.poll(status, { timeout: 60_000, interval: 200 }).toBe('error');
      beforePut = async () => undefined;
      const headers = new Map<string, string>();
      const setHeader = (name: string, value: string) => void headers.set(name, value);
      await service.documents.get({ scope, setHeader }, library.id, lost.id);
      expect(headers.get('tramontane-error')).toMatch(/^document_not_stored: /);
      expect(indexed.has(lost.id)).toBe(false);
      expect(await rowsWith('Never stored.')).toBe(false);
    },
    90_000,
  );

  it('a name and attributes that are set while a document is read are indexed', async () => {
    const library = await makeLibrary();
    const uploaded = Promise.withResolvers<Document>();
    beforePut = async () => {
      const { id } = await uploaded.promise;
      await service.documents.update(scope, library.id, id, { name: 'b.txt', attributes: { team: 'blue' } });
    };
    changes.length = 0;
    const document = await upload(library.id, 'a.txt', 'Named later.');
    uploaded.resolve(document);
    await settled(document);
    await expect.poll(() => changes, { timeout: 20_000 }).toEqual([{ title: 'b.txt', attributes: { team: 'blue' } }]);
    beforePut = async () => undefined;
    const plain = await upload(library.id, 'c.txt', 'Named before.');
    await settled(plain);
    expect(changes).toHaveLength(1);
  });

  it('deleting a library takes pages, rows, index and content with it', async () => {
    const library = await makeLibrary();
    const document = await upload(library.id, `${WORD}.txt`, `All about ${WORD}.`);
    await settled(document);
    expect([indexed.has(document.id), await rowsWith(WORD)]).toEqual([true, true]);
    const before = contentsOnDisk();
    await service.libraries.remove(scope, library.id);
    expect(await rowsWith(WORD)).toBe(false);
    await expect.poll(() => indexed.size, { timeout: 20_000 }).toBe(0);
    await removeDeleted();
    expect(contentsOnDisk()).toBeLessThan(before);
  });

  it('an expired document is missing at once and deleted soon', async () => {
    const library = await makeLibrary();
    const document = await upload(library.id, 'a.txt', 'Short-lived.');
    await settled(document);
    const expires_at = new Date(nowMs + HOUR_MS).toISOString();
    await service.documents.update(scope, library.id, document.id, { expires_at });
    nowMs += 2 * HOUR_MS;
    await expect(get(document)).rejects.toMatchObject({ status: 404 });
    await service.expire();
    await expect.poll(() => indexed.has(document.id), { timeout: 20_000 }).toBe(false);
    expect(await rowsWith('Short-lived.')).toBe(false);
  });

  it('a library of a user who has left the organization is deleted, one of the workspace stays', async () => {
    const [mine, ours] = [await makeLibrary({ owner_type: 'User' }), await makeLibrary()];
    await service.prune();
    expect((await service.libraries.get(scope, mine.id)).id).toBe(mine.id);
    await database.db.deleteFrom('organization_members').where('user_id', '=', USER).execute();
    await service.prune();
    await expect(service.libraries.get(scope, mine.id)).rejects.toMatchObject({ status: 404 });
    expect((await service.libraries.get(scope, ours.id)).id).toBe(ours.id);
  });
});
