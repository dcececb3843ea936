import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { runHere } from '../../src/cli/run-here-for-tests.ts';
import { call } from '../support/call.ts';
import { sqliteForTests, temporaryDir } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { codeBlocks } from './read-markdown.ts';

const root = join(import.meta.dirname, '../..');
const blocksOf = (page: string) => codeBlocks(readFileSync(join(root, page), 'utf8'), 'sh');
const commandsOf = (block: string) =>
  block.split('\n').flatMap((line) => (line.startsWith('npx tramontane ') ? [line.split(' ').slice(2)] : []));

describe('the examples of the pages on skills and folders', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startTestServer(sqliteForTests());
    process.chdir(temporaryDir());
  });
  const run = (words: string[]) =>
    runHere(
      words.map((word) => word.replace('~/', `${process.cwd()}/`)),
      { TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: server.key },
    );

  it('work as they stand, in their order', async () => {
    const [request = '', ...blocks] = blocksOf('docs/skills.md');
    const path = /TRAMONTANE_URL(\/v2\/\S+)"/.exec(request)?.[1] ?? '';
    const body = JSON.parse(/-d '(.+)'/s.exec(request)?.[1] ?? '');
    expect(await call(server, path, { body })).toMatchObject({ status: 200, body: { name: 'release-notes' } });
    await call(server, '/v2/skills/release-notes/versions', { body: { definition: { body: 'two' } } });
    // For the commands that import the working directory, and the skills of the user's other programs.
    await run(['export', 'elsewhere']);
    cpSync('elsewhere/private/skills/release-notes', '.claude/skills/release-notes', { recursive: true });

    const commands = [...blocks, ...blocksOf('docs/workspace-folder.md')].flatMap(commandsOf);
    expect(commands.length).toBeGreaterThan(8);
    for (const words of commands) expect(await run(words), words.join(' ')).toMatchObject({ code: 0 });
  }, 60_000);
});
