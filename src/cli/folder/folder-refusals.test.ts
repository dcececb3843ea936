import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryDir } from '../../../test/support/databases.ts';
import { addColleague, addStranger } from '../../../test/support/people.ts';
import { runHere as run } from '../run-here-for-tests.ts';
import { useFolders, writeTree } from './folders-for-tests.ts';

const { server, environment, exportTo, importFrom, read, send } = useFolders();

describe('refusals of export and import', () => {
  it('name the file, and nothing is imported', async () => {
    const key = await addStranger(server());
    const secret = writeTree(temporaryDir(), { secret: 'x', 'SKILL.md': '---\nname: linked\n---\n' });
    const cases: [Record<string, string | Buffer>, (dir: string) => void, RegExp][] = [
      [{ 's/a/SKILL.md': 'no front matter' }, () => undefined, /s\/a: it does not begin with front matter/],
      [{ 's/a/SKILL.md': '---\nname: [a\n---\n' }, () => undefined, /s\/a: its YAML cannot be read/],
      [{ 's/a/SKILL.md': Buffer.from([0x2d, 0xff]) }, () => undefined, /s\/a: not valid UTF-8/],
      [
        { 's/a/SKILL.md': '---\nname: a\n---\n', 's/a/big': Buffer.alloc(1024 * 1024 + 1) },
        () => undefined,
        /s\/a\/big has 1048577 bytes/,
      ],
      [
        { 's/a/SKILL.md': '---\nname: a\n---\n' },
        (dir) => symlinkSync(join(secret, 'secret'), join(dir, 's/a/link')),
        /s\/a\/link is a symbolic link/,
      ],
      [
        { 's/a/SKILL.md': '---\nname: a\n---\n' },
        (dir) => symlinkSync(secret, join(dir, 's/b')),
        /s\/b: symbolic link/,
      ],
      [
        { 's/a/SKILL.md': '---\nname: x\n---\n1', 's/b/SKILL.md': '---\nname: x\n---\n2' },
        () => undefined,
        /s\/b\/SKILL\.md: named 'x' like .*s\/a\/SKILL\.md, but different/,
      ],
      [{ 's/readme.md': 'x' }, () => undefined, /There is nothing to import in/],
    ];
    for (const [files, prepare, message] of cases) {
      const dir = writeTree(temporaryDir(), files);
      prepare(dir);
      expect(await run(['import', join(dir, 's')], environment(key))).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(message),
      });
    }
    expect(await run(['import', '/nowhere'], environment(key))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The folder /nowhere does not exist'),
    });
    expect(await read(key, '/skills')).toEqual({ data: [] });
  }, 60_000);

  it('of the server name the file too, and the others are imported', async () => {
    const key = await addStranger(server());
    const dir = writeTree(temporaryDir(), {
      'a/SKILL.md': '---\nname: Not-A-Name\n---\n',
      'b/SKILL.md': '---\nname: b\n---\n',
      'b/x/NUL.txt': 'x',
      'c/SKILL.md': '---\nname: c\n---\n',
    });
    const { code, data } = await importFrom(key, dir);
    expect({ code, data }).toMatchObject({
      code: 1,
      data: {
        created: 1,
        failed: 2,
        failures: [
          expect.stringMatching(/a\/SKILL\.md: String should match/),
          expect.stringMatching(/b\/x\/NUL\.txt: path-portable/),
        ],
      },
    });
  });

  it('a mistake in an edited export names the file', async () => {
    const key = await addStranger(server());
    const dir = writeTree(temporaryDir(), {
      'tramontane-export.yaml': 'format: 1\n',
      'prompts/a.md': '---\nname: a\ntitel: x\n---\n',
      'prompts/b.md': '---\nname: b\naliases: [p]\n---\n',
      'prompts/b@p.md': '---\nname: c\naliases: [p]\n---\n',
      'skills/s/SKILL.md': '---\nname: s\n---\n',
      'skills/s.yaml': 'alias: x\n',
    });
    const { code, stderr } = await run(['import', dir], environment(key));
    expect(code).toBe(1);
    for (const words of [
      "prompts/a: unknown field 'titel' in the front matter",
      "b.md: named 'b', but",
      "the alias 'p' is also in",
      "skills/s: unknown field 'alias'",
    ])
      expect(stderr).toContain(words);
  });

  it('export writes neither over what is not its own nor through a link', async () => {
    const key = await addStranger(server());
    const occupied = writeTree(temporaryDir(), { 'skills/mine.txt': 'mine' });
    expect(await run(['export', occupied], environment(key))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is not part of an earlier export'),
    });
    expect(readFileSync(join(occupied, 'skills/mine.txt'), 'utf8')).toBe('mine');
    const linked = writeTree(temporaryDir(), { 'tramontane-export.yaml': '' });
    symlinkSync(occupied, join(linked, 'skills'));
    expect(await run(['export', linked], environment(key))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is a symbolic link'),
    });
  });

  it('a key, a server: what is missing is said', async () => {
    for (const command of [
      ['export', 'x'],
      ['skills', 'list'],
      ['prompts', 'diff', 'a', '1', '2'],
    ])
      expect(await run(command, { TRAMONTANE_URL: server().url })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('Set TRAMONTANE_API_KEY'),
      });
    const dir = writeTree(temporaryDir(), { 'a/SKILL.md': '---\nname: a\n---\n' });
    expect(await run(['import', dir], environment('wrong'))).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('does not accept this key'),
    });
  });

  it("somebody else's private objects are not exported, shared ones are", async () => {
    const colleague = await addColleague(server());
    await send(server().key, '/skills', { name: 'hidden', definition: {} });
    await send(server().key, '/skills', { name: 'open', definition: {}, sharingScope: 'workspace' });
    const { data } = await exportTo(colleague, join(temporaryDir(), 'out'));
    const names = (data as { objects: { name: string }[] }).objects.map(({ name }) => name);
    expect(names).toContain('open');
    expect(names).not.toContain('hidden');
  });
});
