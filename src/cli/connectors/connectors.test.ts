import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sqliteForTests, temporaryDir } from '../../../test/support/databases.ts';
import { startFakeMcp } from '../../../test/support/mcp-server.ts';
import { startTestServer } from '../../../test/support/server.ts';
import { loadConfig } from '../../config/config.ts';
import { checkConnectors } from '../../operator/doctor/check-connectors.ts';
import { runHere } from '../run-here-for-tests.ts';

async function prepare() {
  const [wiki, gone] = [await startFakeMcp(), await startFakeMcp()];
  await gone.close();
  const platform = await startTestServer(sqliteForTests());
  const dir = temporaryDir();
  const TRAMONTANE_CONFIG = join(dir, 'tramontane.yaml');
  const own = { url: `${platform.url}/mcp`, headers: { Authorization: `Bearer ${platform.key}` } };
  const connectors = [
    { id: 'wiki', url: `${wiki.url}?key=in-the-url`, description: 'Our wiki', headers: { 'X-Key': '${WIKI_KEY}' } },
    { id: 'own', ...own },
    { id: 'gone', url: gone.url },
  ];
  writeFileSync(TRAMONTANE_CONFIG, JSON.stringify({ models: [], connectors }));
  const environment = { TRAMONTANE_DATA_DIR: join(dir, 'data'), TRAMONTANE_CONFIG, WIKI_KEY: 'hunter2' };
  return { environment, wiki };
}

it('lists the connectors without their secrets, and tests them as a run would use them', async () => {
  const { environment, wiki } = await prepare();
  const listed = await runHere(['connectors', 'list'], environment);
  expect(listed).toMatchObject({
    code: 0,
    data: { connectors: [{ id: 'wiki', url: wiki.url, headers: ['X-Key'], workspaces: null }, { id: 'own' }, {}] },
  });
  expect(listed.stdout).toMatch(/^wiki +http:.*\/mcp +X-Key +all +Our wiki/m);
  expect(listed.stdout + JSON.stringify(listed.data)).not.toMatch(/hunter2|in-the-url/);

  const tested = await runHere(['connectors', 'test'], environment);
  expect(tested).toMatchObject({
    code: 1,
    data: {
      connectors: [
        { id: 'wiki', error: null, protocolVersion: '2025-11-25', tools: [{ name: 'echo' }] },
        // Our own tool server speaks the stateless era, and is spoken to in it.
        { id: 'own', error: null, protocolVersion: '2026-07-28', server: { name: 'tramontane' } },
        { id: 'gone', error: "The connector 'gone' could not be reached." },
      ],
    },
  });
  expect(tested.stdout).toMatch(/^ok +wiki: fake 1, protocol 2025-11-25, 1 tools\n +echo +Say it again/m);
  expect(wiki.seen.at(-1)?.headers['x-key']).toBe('hunter2');

  expect(await runHere(['connectors', 'test', '--id', 'wiki'], environment)).toMatchObject({ code: 0 });
  const unknown = await runHere(['connectors', 'test', '--id', 'wikki'], environment);
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining('Declared: wiki, own, gone.') });
});

it('has a line of the doctor for each, and no server is refused a start for one that does not answer', async () => {
  const { environment } = await prepare();
  expect(await checkConnectors(loadConfig(environment))).toMatchObject([
    { status: 'ok', what: 'wiki responds with 1 tools' },
    { status: 'ok' },
    { status: 'warn', what: "The connector 'gone' could not be reached.", fix: expect.stringContaining('--id gone') },
  ]);
});

it.each([
  [{ url: 'https://user:secret@example.com/mcp' }, 'Give credentials under headers, not in the url'],
  [{ headers: { 'bad name': 'x' } }, 'connectors.0.headers'],
  [{ headers: { name: 'secret\nvalue' } }, 'A header has no such value'],
  [{ id: 'not an id' }, 'An id has 1 to 64 letters'],
  [{ tokn: 'x' }, "unknown key 'connectors.0.tokn'"],
])('refuses a declaration that cannot work, and repeats no secret: %j', (wrong, message) => {
  const file = join(temporaryDir(), 'tramontane.yaml');
  const connector = { id: 'wiki', url: 'https://example.com/mcp', ...wrong };
  writeFileSync(file, JSON.stringify({ connectors: [connector] }));
  expect(() => loadConfig({ TRAMONTANE_CONFIG: file })).toThrow(message);
  expect(() => loadConfig({ TRAMONTANE_CONFIG: file })).not.toThrow('secret');
});

it('refuses two connectors of one id', () => {
  const file = join(temporaryDir(), 'tramontane.yaml');
  const connector = { id: 'wiki', url: 'https://example.com/mcp' };
  writeFileSync(file, JSON.stringify({ connectors: [connector, connector] }));
  expect(() => loadConfig({ TRAMONTANE_CONFIG: file })).toThrow('Two connectors have the same id');
});

it('adds, lists, tests, signs in to, calls and removes stored connectors of a running server', async () => {
  const wiki = await startFakeMcp();
  const server = await startTestServer(sqliteForTests(), { file: { outbound: { allow: [wiki.place] } } });
  const environment = {
    TRAMONTANE_URL: server.url,
    TRAMONTANE_API_KEY: server.key,
    WIKI_TOKEN: 'a-token-in-a-variable',
  };
  const run = (...words: string[]) => runHere(words, environment);
  expect(await run('connectors', 'add', 'wiki', wiki.url, '--share', 'workspace')).toMatchObject({
    code: 0,
    data: { name: 'wiki', visibility: 'shared_workspace' },
  });
  expect((await run('connectors', 'list', '--stored')).stdout).toMatch(/^wiki +mcp +shared_workspace +yes/m);
  expect(await run('connectors', 'login', 'wiki', '--bearer', 'WIKI_TOKEN', '--scope', 'workspace')).toMatchObject({
    code: 0,
  });
  expect(await run('connectors', 'login', 'wiki', '--bearer', 'NO_SUCH_VARIABLE')).toMatchObject({ code: 2 });
  expect(await run('connectors', 'test', '--stored')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('wiki: 1 tools'),
  });
  expect((await run('connectors', 'tools', 'wiki')).stdout).toMatch(/^echo +yes +Say it again/m);
  expect(await run('connectors', 'call', 'wiki', 'echo', '--arguments', '{"text":"salut"}')).toMatchObject({
    code: 0,
    stdout: 'You said salut\n',
  });
  expect(wiki.seen.findLast(({ method }) => method === 'tools/call')?.headers.authorization).toBe(
    'Bearer a-token-in-a-variable',
  );
  expect(await run('connectors', 'remove', 'wiki')).toMatchObject({ code: 0 });
  expect(await run('connectors', 'tools', 'wiki')).toMatchObject({ code: 1 });
});
