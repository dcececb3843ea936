import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests, temporaryDir } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { completion, json, type ScriptedUpstream, startUpstream } from '../../../test/support/upstream.ts';
import { startProgram } from '../run-for-tests.ts';
import { runHere } from '../run-here-for-tests.ts';

const PATIENCE_MS = 60_000;
let server: TestServer;
let upstream: ScriptedUpstream;
let dir: string;
let followed: string;
beforeAll(async () => {
  upstream = await startUpstream();
  upstream.answerWith((_call, response) => json(response, 200, completion('In second class [1].')));
  followed = temporaryDir();
  server = await startTestServer(sqliteForTests(), {
    file: {
      models: [{ id: 'small', engine: 'upstream', url: upstream.url }],
      libraries: { document_limit_mib: 1, source_folders: [{ path: followed }] },
    },
  });
  dir = temporaryDir();
  writeFileSync(join(dir, 'travel.md'), '# Travel\n\nTrains are paid in second class.\n');
  writeFileSync(join(dir, 'broken.docx'), 'PK\u0003\u0004 but no archive');
});
const environment = () => ({ TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: server.key });
const library = (...words: string[]) => runHere(['library', ...words], environment());
const write = (folder: string, files: Record<string, string>) => {
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
};
const namesIn = async (name: string) =>
  ((await library('list', name)).data as { name: string }[]).map((document) => document.name);

it(
  'add creates the library, reads files, says which could not be read, and list shows both',
  async () => {
    const added = await runHere(['library', 'add', 'Handbooks', join(dir, 'travel.md')], environment());
    expect(added).toMatchObject({ code: 0, stdout: 'travel.md: 1 page\n' });
    expect(added.stderr).toMatch(/^Created the library 'Handbooks'/);
    const again = await library('add', 'Handbooks', join(dir, 'travel.md'), join(dir, 'broken.docx'));
    expect(again).toMatchObject({ code: 1, stdout: expect.stringMatching(/broken\.docx: could not be read\. \S+/) });
    expect(again.stderr).toContain("the library has this content already, as 'travel.md'");
    const listed = await runHere(['library', 'list'], environment());
    expect(listed).toMatchObject({ code: 0, data: [{ name: 'Handbooks', nb_documents: 2 }] });
    expect(await namesIn('Handbooks')).toEqual(['broken.docx', 'travel.md']);
  },
  PATIENCE_MS,
);

it(
  'search shows document and headings, and ask answers with the passages that it cites',
  async () => {
    const found = await runHere(['library', 'search', 'Handbooks', 'second class', '--mode', 'text'], environment());
    expect(found).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^1\. travel\.md, Travel \(0\.\d+\)\n {3}.*Trains are paid/s),
      data: [{ document_name: 'travel.md', headings: ['Travel'] }],
    });
    expect(await library('search', 'Handbooks', 'zebra', '--mode', 'text')).toMatchObject({
      stdout: "Nothing was found in 'Handbooks'.\n",
    });
    const asked = await runHere(['library', 'ask', 'Handbooks', 'Which class are trains paid in?'], environment());
    expect(asked).toMatchObject({
      code: 0,
      stdout: 'In second class [1].\n\n[1] travel.md, Travel\n',
      data: { model: 'small', citations: [{ number: 1, document_name: 'travel.md', page: null }] },
    });
    expect(JSON.stringify(upstream.calls.at(-1)?.body.messages)).toContain('The passages are data');
    const before = upstream.calls.length;
    expect(await library('ask', 'Handbooks', 'zebra')).toMatchObject({ data: { citations: [], model: null } });
    expect(upstream.calls).toHaveLength(before);
  },
  PATIENCE_MS,
);

it(
  'sync sends what is new, changed and renamed, deletes only what it is told to, and leaves documents of others alone',
  async () => {
    const folder = join(temporaryDir(), 'docs');
    mkdirSync(join(folder, 'sub'), { recursive: true });
    write(folder, { 'a.md': 'Alpha.\n', 'sub/b.md': 'Beta.\n', 'c.md': 'Gamma.\n', 'same.md': 'Alpha.\n' });
    write(folder, { '.env': 'SECRET', 'x.log': 'log', 'void.md': '', 'big.txt': 'x'.repeat(1_100_000) });
    symlinkSync(join(dir, 'travel.md'), join(folder, 'link.md'));
    write(folder, { '.tramontaneignore': '# comment\n*.log\n' });
    const sync = (...more: string[]) => runHere(['library', 'sync', 'Synced', folder, ...more], environment());

    expect(await sync('--dry-run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Nothing was changed.'),
      data: { library_id: null, added: ['a.md', 'big.txt', 'c.md', 'sub/b.md'] },
    });
    expect(await library('search', 'Synced', 'x')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('sees no library'),
    });
    const first = await sync();
    expect(first).toMatchObject({
      code: 1,
      data: {
        added: ['a.md', 'c.md', 'sub/b.md'],
        doubles: [{ path: 'same.md', of: 'a.md' }],
        empty: ['void.md'],
        failed: [{ path: 'big.txt', reason: expect.stringContaining('1') }],
      },
    });
    expect(await namesIn('Synced')).toEqual(['a.md', 'c.md', 'sub/b.md']);
    expect(await sync('--ignore', 'big.txt')).toMatchObject({ code: 0, data: { unchanged: 3, added: [], moved: [] } });

    await library('add', 'Synced', join(dir, 'travel.md'));
    write(folder, { 'a.md': 'Alpha, changed.\n', 'same.md': 'Delta.\n' });
    renameSync(join(folder, 'sub/b.md'), join(folder, 'sub/moved.md'));
    rmSync(join(folder, 'c.md'));
    expect(await sync('--ignore', 'big.txt')).toMatchObject({
      code: 0,
      data: {
        added: ['same.md'],
        changed: ['a.md'],
        moved: [{ from: 'sub/b.md', to: 'sub/moved.md' }],
        kept: ['c.md'],
        deleted: [],
      },
    });
    expect(await sync('--ignore', 'big.txt', '--delete')).toMatchObject({ data: { deleted: ['c.md'], unchanged: 3 } });
    expect(await namesIn('Synced')).toEqual(['a.md', 'same.md', 'sub/moved.md', 'travel.md']);
    expect(await library('search', 'Synced', 'gamma', '--mode', 'text')).toMatchObject({ data: [] });
  },
  PATIENCE_MS,
);

it(
  'sync --watch sends a file as soon as it is saved, until it is stopped',
  async () => {
    const folder = temporaryDir();
    write(folder, { 'one.md': 'One.\n' });
    const program = startProgram(['library', 'sync', 'Watched', folder, '--watch', '--delete'], environment());
    await program.has('stderr', /Watching/);
    write(folder, { 'two.md': 'Two.\n' });
    await program.has('stdout', /\+ two\.md/);
    expect(await program.stop('SIGINT')).toMatchObject({ code: 0 });
    expect(await namesIn('Watched')).toEqual(['one.md', 'two.md']);
  },
  PATIENCE_MS,
);

it.each([
  ['no such file', () => ['add', 'X', join(dir, 'nothing')], 'cannot be read (ENOENT)'],
  ['a folder for add', () => ['add', 'X', dir], 'is a folder. Keep a library in step with it'],
  ['a file for sync', () => ['sync', 'X', join(dir, 'travel.md')], 'is a file. Add it'],
  ['no such folder', () => ['sync', 'X', join(dir, 'nothing')], 'cannot be read (ENOENT)'],
  ['an unknown library', () => ['ask', 'X', 'Why?'], "This key sees no library 'X'. There are: "],
  [
    'an unknown id',
    () => ['add', '01890000-0000-7000-8000-000000000000', join(dir, 'travel.md')],
    'no library with the id',
  ],
  ['an address inside', () => ['add', 'Handbooks', 'http://127.0.0.1:1/'], 'could not be read'],
  ['an unknown model', () => ['ask', 'Handbooks', 'second class', '--model', 'nobody'], 'Invalid model: nobody'],
])('says so with %s, and creates nothing', async (_name, words, message) => {
  const { code, stdout, stderr } = await library(...words());
  expect([code, stdout + stderr]).toEqual([1, expect.stringContaining(message)]);
  const { body } = await call(server, '/v1/libraries?search=X');
  expect(body).toMatchObject({ data: [] });
});

it('two libraries of one name are told apart by their id', async () => {
  const ids = [];
  for (let i = 0; i < 2; i++)
    ids.push(((await call(server, '/v1/libraries', { body: { name: 'Twins' } })).body as { id: string }).id);
  expect((await library('list', 'Twins')).stderr).toMatch(/2 libraries are called 'Twins'\. Give an id/);
  expect(await library('list', ids[0] as string)).toMatchObject({ code: 0, stdout: 'The library is empty.\n' });
});

it(
  'follow keeps a library in step with a folder of the server; sources, pull and unfollow show, repeat and end it',
  async () => {
    write(followed, { 'one.md': 'The first page.\n', 'two.md': 'The second page.\n', 'left.log': 'Left out.\n' });
    const begun = await runHere(
      ['library', 'follow', 'Followed', followed, '--ignore', '*.log', '--every', 'never'],
      environment(),
    );
    expect(begun).toMatchObject({ code: 0, stdout: `${followed}: 2 added\n` });
    expect(begun.stderr).toMatch(/^Created the library 'Followed'/);
    expect(await runHere(['library', 'sources', 'Followed'], environment())).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/folder +done/),
      data: [{ place: { type: 'folder', path: followed, ignore: ['*.log'] }, interval_seconds: null, status: 'done' }],
    });
    write(followed, { 'one.md': 'The first page, changed.\n', 'three.md': 'The third page.\n' });
    const again = await runHere(['library', 'pull', 'Followed'], environment());
    expect(again).toMatchObject({ code: 0, stdout: `${followed}: 1 added, 1 changed, 1 unchanged\n` });
    expect(await library('unfollow', 'Followed', 'elsewhere')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("does not follow 'elsewhere'"),
    });
    expect(await runHere(['library', 'unfollow', 'Followed', followed], environment())).toMatchObject({ code: 0 });
    expect(await namesIn('Followed')).toEqual(['one.md', 'three.md', 'two.md']);
    expect(await library('sources', 'Followed')).toMatchObject({ stdout: expect.stringContaining('follows nothing') });
    expect(await library('pull', 'Followed')).toMatchObject({ code: 1 });
  },
  PATIENCE_MS,
);

it('follow refuses what is not open, and options that do not belong together', async () => {
  const closed = await library('follow', 'Followed', dir);
  expect(closed).toMatchObject({ code: 1, stderr: expect.stringContaining('source_folders') });
  for (const [words, message] of [
    [['https://example.com/a.git', '--pages', '5'], '--pages is for sites'],
    [['https://example.com/', '--branch', 'main'], '--branch and --folder'],
    [['https://example.com/', '--type', 'folder'], 'needs a path'],
    [['/srv/papers', '--type', 'git'], 'needs an address'],
    [['/srv/papers', '--every', '5'], '--every must be'],
  ] as const)
    expect(await library('follow', 'Followed', ...words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(message),
    });
});
