import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../../test/support/call.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { addColleague } from '../../../test/support/people.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import { runJson } from '../run-for-tests.ts';
import { runHere } from '../run-here-for-tests.ts';

let server: TestServer;
const environment = (key = server.key) => ({ TRAMONTANE_URL: server.url, TRAMONTANE_API_KEY: key });
const run = (...words: string[]) => runHere(words, environment());

beforeAll(async () => {
  server = await startTestServer(sqliteForTests());
  const send = (path: string, body: unknown) => call(server, `/v2${path}`, { body });
  await send('/skills', {
    name: 'notes',
    definition: {
      description: 'Use for notes.',
      body: 'one\ntwo\n',
      assets: { 'run.sh': { textContent: 'echo 1\n' }, 'a.bin': { rawContent: 'AP8=' }, old: { textContent: 'x\n' } },
    },
    aliases: ['main'],
  });
  await send('/skills/notes/versions', {
    definition: {
      description: 'Use for notes.',
      body: 'one\n2 \u001b[31mred\n',
      assets: { 'run.sh': { textContent: 'echo 1\n', isExecutable: true }, 'a.bin': { rawContent: 'AP//' } },
    },
  });
});

describe('skills', () => {
  it('list shows what the key may see', async () => {
    const { code, stdout } = await run('skills', 'list');
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /^NAME +VERSION +ALIASES +SHARING +UPDATED +DESCRIPTION\nnotes +2 +- +private +\S+ \S+ +Use for notes\.\n$/,
    );
    expect((await run('skills', 'list', '--alias', 'main')).data).toMatchObject([{ name: 'notes', version: 1 }]);
    const { stdout: nothing } = await runHere(['skills', 'list'], environment(await addColleague(server)));
    expect(nothing).toContain('This key can read no skills');
    expect(await runJson(['skills', 'list'], environment())).toMatchObject({ code: 0, data: [{ name: 'notes' }] });
  });

  it('show prints SKILL.md, or a file, at any version', async () => {
    expect(await run('skills', 'show', 'notes', '--alias', 'main')).toMatchObject({
      code: 0,
      stdout: '---\nname: notes\ndescription: Use for notes.\n---\n\none\ntwo\n',
      stderr: '[notes version 1 of 2, private; also a.bin, old, run.sh]\n',
    });
    expect((await run('skills', 'show', 'notes', '--version', '1', '--alias', 'main')).code).toBe(2);
    expect((await run('skills', 'show', 'notes', '--file', 'run.sh')).stdout).toBe('echo 1\n');
    expect(await run('skills', 'show', 'notes', '--file', 'none')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("has no file 'none'. It has: SKILL.md, a.bin, run.sh"),
    });
    expect((await run('skills', 'show', 'notes', '--file', 'a.bin')).code).toBe(1);
    expect(await run('skills', 'show', 'nothing')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("No skill 'nothing' was found"),
    });
  });

  it('intake tells and sets the policy', async () => {
    expect(await run('skills', 'intake')).toMatchObject({ code: 0, data: { policy: 'report' } });
    expect((await run('skills', 'intake', '--policy', 'refuse')).stdout).toContain('are refused');
    expect((await run('skills', 'intake')).data).toEqual({ policy: 'refuse' });
    const colleague = environment(await addColleague(server));
    expect(await runHere(['skills', 'intake', '--policy', 'report'], colleague)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("lacks the permission 'skills:administer'"),
    });
    await run('skills', 'intake', '--policy', 'report');
  });
});

describe('diff', () => {
  it('of a skill shows each file that changed, and no control characters of it', async () => {
    const { code, stdout, data } = await run('skills', 'diff', 'notes', '1', '2');
    expect(code).toBe(0);
    expect(stdout).toBe(
      [
        '--- SKILL.md (version 1)',
        '+++ SKILL.md (version 2)',
        '@@ -4,4 +4,4 @@',
        ' ---',
        ' ',
        ' one',
        '-two',
        '+2 \ufffd[31mred',
        '--- a.bin (version 1)',
        '+++ a.bin (version 2)',
        'binary, 2 → 3 bytes',
        '--- old (version 1)',
        '+++ old (version 2)',
        '@@ -1,1 +0,0 @@',
        '-x',
        '--- run.sh (version 1)',
        '+++ run.sh (version 2)',
        'now executable',
        '',
      ].join('\n'),
    );
    expect(data).toMatchObject({
      name: 'notes',
      from: 1,
      to: 2,
      files: [{ change: 'changed' }, { change: 'changed' }, { change: 'removed' }, { change: 'changed' }],
    });
  });
});
