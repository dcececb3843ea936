import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { atEnd } from '../../../test/support/cleanup.ts';
import { isSqliteOrFull, onEachDatabase, temporaryDir } from '../../../test/support/databases.ts';
import { addColleague, addStranger } from '../../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { makeLibrary } from '../libraries-for-tests.ts';
import type { LibrarySource, ListDocumentsResponse } from '../schema.ts';
import { hasGit, serveRepository } from './git-for-tests.ts';

const PATIENCE_MS = 60_000;
const MISSING = '01890000-0000-7000-8000-000000000000';
const pages = new Map([
  ['/sitemap.xml', ''],
  ['/a', '<h1>Apples</h1><p>Apples are red.</p>'],
  ['/b', '<h1>Pears</h1><p>Pears are green.</p>'],
]);

onEachDatabase('sources of libraries', (database) => {
  let server: TestServer;
  let open: string;
  let closed: string;
  let site: string;
  let repository: Awaited<ReturnType<typeof serveRepository>>;
  beforeAll(async () => {
    open = temporaryDir();
    closed = temporaryDir();
    const web = createServer(({ url = '' }, response) => {
      const body = pages.get(url);
      response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'text/html' }).end(body);
    });
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    atEnd(() => web.close());
    const host = `127.0.0.1:${(web.address() as AddressInfo).port}`;
    site = `http://${host}`;
    repository = await serveRepository();
    const source_folders = [{ path: open }, { path: closed, workspaces: [MISSING] }];
    server = await startTestServer(database, {
      file: {
        outbound: { allow: [host, repository.host] },
        libraries: { source_folders, source_files_max: 20, document_limit_mib: 1 },
      },
    });
  });

  const path = (libraryId: string, more = '') => `/v1/libraries/${libraryId}/sources${more}`;
  const list = async (libraryId: string) =>
    ((await call(server, path(libraryId))).body as { data: LibrarySource[] }).data;
  async function ended(libraryId: string): Promise<LibrarySource> {
    for (;;) {
      const [source] = await list(libraryId);
      if (source?.status === 'done' || source?.status === 'error') return source;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  async function create(libraryId: string, place: object, more: object = {}): Promise<LibrarySource> {
    const { status, body } = await call(server, path(libraryId), { body: { place, ...more } });
    expect([status, body]).toEqual([201, expect.objectContaining({ status: 'waiting' })]);
    return ended(libraryId);
  }
  async function runAgain({ library_id, id }: LibrarySource): Promise<LibrarySource> {
    expect((await call(server, path(library_id, `/${id}/run`), { method: 'POST' })).status).toBe(202);
    return ended(library_id);
  }
  const names = async (libraryId: string) => {
    const { body } = await call(server, `/v1/libraries/${libraryId}/documents?sort_by=name&sort_order=asc`);
    return (body as ListDocumentsResponse).data.map(({ name }) => name);
  };

  it(
    'a folder that the operator opened is read, and later runs bring what changed',
    async () => {
      const { id } = await makeLibrary(server);
      const folder = join(open, 'docs');
      mkdirSync(join(folder, 'sub'), { recursive: true });
      writeFileSync(join(closed, 'secret.txt'), 'secret');
      symlinkSync(closed, join(folder, 'out'));
      for (const file of ['a.md', 'sub/b.md', 'c.md', '.hidden', 'x.log'])
        writeFileSync(join(folder, file), `In ${file}.`);
      writeFileSync(join(folder, 'big.txt'), 'x'.repeat(1_100_000));
      const first = await create(id, { type: 'folder', path: folder, ignore: ['*.log'] });
      expect(first).toMatchObject({
        status: 'done',
        interval_seconds: 3600,
        error: null,
        result: { added: 3, changed: 0, renamed: 0, removed: 0, unchanged: 0, skipped: 1 },
      });
      expect(Date.parse(first.next_run_at ?? '')).toBeGreaterThan(Date.now() + 3_000_000);
      expect(await names(id)).toEqual(['a.md', 'c.md', 'sub/b.md']);
      writeFileSync(join(folder, 'a.md'), 'Changed.');
      renameSync(join(folder, 'sub/b.md'), join(folder, 'b.md'));
      rmSync(join(folder, 'c.md'));
      expect(await runAgain(first)).toMatchObject({ result: { added: 0, changed: 1, renamed: 1, removed: 1 } });
      expect(await names(id)).toEqual(['a.md', 'b.md']);
      expect(await runAgain(first)).toMatchObject({ result: { added: 0, changed: 0, unchanged: 2 } });
      rmSync(folder, { recursive: true });
      expect(await runAgain(first)).toMatchObject({ status: 'error', error: { code: 'source_folder_refused' } });
      expect(await names(id)).toEqual(['a.md', 'b.md']);
    },
    PATIENCE_MS,
  );

  it('a folder that is closed, missing or reached by a link is refused in the same words', async () => {
    const { id } = await makeLibrary(server);
    symlinkSync(closed, join(open, 'way-out'));
    const answers = await Promise.all(
      [closed, '/etc', join(open, '../..'), join(open, 'way-out'), join(open, 'nothing')].map((folder) =>
        call(server, path(id), { body: { place: { type: 'folder', path: folder } } }),
      ),
    );
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]).toMatchObject({ status: 400, body: { code: 'source_folder_refused' } });
  });

  it.runIf(hasGit && isSqliteOrFull(database))(
    'a branch of a git repository is read without links, submodules or a checkout',
    async () => {
      const { id } = await makeLibrary(server);
      const text = Array.from({ length: 400 }, (_, i) => `Line ${i} of a long text.`).join('\n');
      mkdirSync(join(repository.dir, 'docs/deep'), { recursive: true });
      symlinkSync('/etc/passwd', join(repository.dir, 'docs/link'));
      const files = { 'README.md': 'Read me.', 'docs/a.md': text, 'docs/deep/b.md': `${text}\nOne more.` };
      repository.commit(files);
      repository.git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},docs/submodule`);
      repository.git('commit', '-q', '-m', 'submodule');
      const head = repository.git('rev-parse', 'HEAD');
      repository.git('repack', '-adfq');
      const first = await create(id, { type: 'git', url: repository.url, folder: 'docs' }, { interval_seconds: null });
      expect(first).toMatchObject({
        status: 'done',
        revision: head,
        next_run_at: null,
        result: { added: 2, skipped: 0 },
      });
      expect(await names(id)).toEqual(['docs/a.md', 'docs/deep/b.md']);
      const { body } = await call(server, `/v1/libraries/${id}/documents?search=b.md`);
      const [deep] = (body as ListDocumentsResponse).data;
      expect(deep?.size).toBe(files['docs/deep/b.md'].length);
      repository.git('rm', '-qr', '--cached', 'docs/submodule');
      repository.commit({ 'docs/a.md': 'Short now.' });
      expect(await runAgain(first)).toMatchObject({ result: { changed: 1, unchanged: 1 } });
      const { id: other } = await makeLibrary(server);
      expect(await create(other, { type: 'git', url: repository.url, branch: 'nothing' })).toMatchObject({
        status: 'error',
        error: { code: 'source_unreadable', message: "The repository has no branch 'nothing'." },
      });
    },
    PATIENCE_MS,
  );

  it.runIf(hasGit && isSqliteOrFull(database))(
    'a repository with more files than allowed, and one that unfolds without end, end with a reason',
    async () => {
      const many = await makeLibrary(server);
      repository.git('checkout', '-q', '--orphan', 'many');
      repository.commit(Object.fromEntries(Array.from({ length: 25 }, (_, i) => [`${i}.txt`, `Number ${i}.`])));
      const place = { type: 'git', url: repository.url };
      expect((await create(many.id, { ...place, branch: 'many' })).error?.message).toContain('more than 20 files');
      let tree = repository.git('rev-parse', 'HEAD^{tree}');
      for (let level = 0; level < 12; level++) {
        const entries = Array.from({ length: 10 }, (_, i) => `040000 tree ${tree}\td${i}`).join('\n');
        writeFileSync(join(repository.dir, '..', 'entries'), `${entries}\n`);
        tree = repository.git('-c', `alias.mk=!git mktree < '${join(repository.dir, '..', 'entries')}'`, 'mk');
      }
      repository.git('branch', 'bomb', repository.git('commit-tree', '-m', 'x', tree));
      const bomb = await makeLibrary(server);
      expect(await create(bomb.id, { ...place, branch: 'bomb' })).toMatchObject({ status: 'error' });
      expect(await names(bomb.id)).toEqual([]);
    },
    PATIENCE_MS,
  );

  it.runIf(isSqliteOrFull(database))(
    'the pages of a site map are read, a page that is gone is removed, and a site that is private is refused',
    async () => {
      const { id } = await makeLibrary(server);
      const map = (...paths: string[]) =>
        pages.set(
          '/sitemap.xml',
          `<urlset>${paths.map((page) => `<url><loc>${site}${page}</loc></url>`).join('')}</urlset>`,
        );
      map('/a', '/b', '/missing');
      const first = await create(id, { type: 'site', url: site, pages_max: 10 });
      expect(first).toMatchObject({ status: 'done', result: { added: 2, skipped: 1 } });
      map('/a');
      expect(await runAgain(first)).toMatchObject({ result: { unchanged: 1, removed: 1 } });
      expect(await names(id)).toEqual(['127.0.0.1/a']);
      const other = await makeLibrary(server);
      const refused = await create(other.id, { type: 'site', url: 'http://127.0.0.1:1/' });
      expect(refused).toMatchObject({ status: 'error', error: { code: 'web_page_unreadable' } });
      const git = await makeLibrary(server);
      expect(await create(git.id, { type: 'git', url: 'http://127.0.0.1:1/x.git' })).toMatchObject({ status: 'error' });
    },
    PATIENCE_MS,
  );

  it(
    'a deleted source leaves its documents or takes them along, and a deleted library takes its sources',
    async () => {
      const folder = join(open, 'kept');
      mkdirSync(folder);
      writeFileSync(join(folder, 'a.md'), 'Kept.');
      for (const documents of ['keep', 'delete']) {
        const { id } = await makeLibrary(server);
        const source = await create(id, { type: 'folder', path: folder });
        const gone = await call(server, path(id, `/${source.id}?documents=${documents}`), { method: 'DELETE' });
        expect([gone.status, await names(id), await list(id)]).toEqual([204, documents === 'keep' ? ['a.md'] : [], []]);
      }
      const { id } = await makeLibrary(server);
      await create(id, { type: 'folder', path: folder });
      await call(server, `/v1/libraries/${id}`, { method: 'DELETE' });
      const { db } = server.platform.database;
      expect(await db.selectFrom('library_sources').select('id').where('library_id', '=', id).execute()).toEqual([]);
      const files = db.selectFrom('library_source_files').select('source_id');
      const held = await db.selectFrom('library_sources').select('id').execute();
      const stray = (await files.execute()).filter(({ source_id }) => !held.some((one) => one.id === source_id));
      expect(stray).toEqual([]);
    },
    PATIENCE_MS,
  );

  it.runIf(isSqliteOrFull(database))('401, 403, 404 and 422 as for libraries', async () => {
    const { id } = await makeLibrary(server);
    const [stranger, billing] = [await addStranger(server), await addColleague(server, 'billing')];
    const body = { place: { type: 'site', url: 'https://example.test/' } };
    const calls: [string, string, object?][] = [
      ['GET', path(id)],
      ['POST', path(id), body],
      ['POST', path(id, `/${MISSING}/run`)],
      ['DELETE', path(id, `/${MISSING}`)],
    ];
    for (const [method, at, given] of calls)
      for (const [key, status] of [
        ['wrong', 401],
        [billing, 403],
        [stranger, 404],
      ] as const)
        expect([method, at, (await call(server, at, { method, body: given, key })).status]).toEqual([
          method,
          at,
          status,
        ]);
    for (const [method, at] of calls.slice(2)) expect((await call(server, at, { method })).status).toBe(404);
    for (const given of [
      { ...body, surprise: 1 },
      { ...body, interval_seconds: 10 },
      { place: { type: 'git', url: 'https://user:password@example.test/x.git' } },
      { place: { type: 'git', url: 'https://example.test/x.git', folder: '../x' } },
      { place: { type: 'git', url: 'file:///etc' } },
      { place: { type: 'folder', path: '' } },
    ])
      expect([given, (await call(server, path(id), { body: given })).status]).toEqual([given, 422]);
  });
});
