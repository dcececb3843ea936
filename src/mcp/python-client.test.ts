import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { call } from '../../test/support/call.ts';
import { sqliteForTests } from '../../test/support/databases.ts';
import { pythonWithMcp } from '../../test/support/python.ts';
import { rounds } from '../../test/support/rounds.ts';
import { startTestServer } from '../../test/support/server.ts';
import { makeLibrary, upload } from '../libraries/libraries-for-tests.ts';

const script = fileURLToPath(new URL('every-tool-for-tests.py', import.meta.url));

type Era = [mode: string, protocol: string];
const OLDER: Era = ['legacy', '2025-11-25'];
const NEWER: Era[] = [['auto', '2026-07-28']];

type Run = {
  protocol: string;
  tools: string[];
  resources: string[];
  prompts: string[];
  called: { name: string; failed: boolean; result: Record<string, unknown> }[];
};

it.runIf(pythonWithMcp)('the official Python client connects, lists, and calls every tool [MCP-PYTHON]', async () => {
  const server = await startTestServer(sqliteForTests());
  await call(server, '/v2/skills', { body: { name: 'from-the-api', definition: { description: 'x' } } });
  await call(server, '/v2/prompts', { body: { name: 'greet', definition: { content: 'Hi' } } });
  const library = await makeLibrary(server);
  const document = await upload(server, library.id, 'tides.md', 'High water is at noon.');
  const eras = rounds(NEWER, [OLDER, ...NEWER]);
  const words = [script, `${server.url}/mcp`, server.key, library.id, document.id, ...eras.map(([mode]) => mode)];
  const { stdout } = await promisify(execFile)(pythonWithMcp ?? '', words);
  const runs = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Run);
  expect(runs.map(({ protocol }) => protocol)).toEqual(eras.map(([, protocol]) => protocol));
  for (const { tools, resources, prompts, called } of runs) {
    expect(called.filter(({ failed }) => failed)).toEqual([]);
    expect(called.map(({ name }) => name).sort()).toEqual(tools.toSorted());
    const results = Object.fromEntries(called.map(({ name, result }) => [name, result]));
    expect(results).toMatchObject({
      create_skill_version: { version: 2, deduplicated: false },
      get_skill: { body: 'Read more.\n' },
      read_skill_file: { text: 'Notes.\n' },
      delete_skill: { deleted: true },
      search_libraries: { passages: [{ document_name: 'tides.md' }] },
      read_document: { text: expect.stringContaining('noon') },
    });
    expect(resources).toEqual(['skill://from-the-api/SKILL.md', `library://${library.id}`]);
    expect(prompts).toEqual(['greet']);
  }
});
