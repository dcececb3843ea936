import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { countCpuMs } from '../../../test/support/cpu-time.ts';
import { temporaryDir } from '../../../test/support/databases.ts';
import { isIgnored, listFiles, openInside, planSync, TooManyFiles } from './index.ts';

describe('patterns', () => {
  it.each([
    ['*.log', 'a/b.log', true],
    ['*.log', 'a/b.md', false],
    ['node_modules', 'a/node_modules/x.md', true],
    ['drafts/', 'drafts/x.md', true],
    ['/drafts/x.md', 'old/drafts/x.md', false],
    ['/drafts/*', 'drafts/x.md', true],
    ['docs/*.md', 'docs/a.md', true],
    ['docs/*.md', 'docs/old/a.md', false],
    ['docs/**', 'docs/old/a.md', true],
    ['**/old/*.md', 'docs/old/a.md', true],
    ['?.md', 'a.md', true],
    ['?.md', 'ab.md', false],
    ['', 'a.md', false],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(isIgnored(path, [pattern])).toBe(expected);
  });

  it('a hostile pattern takes no longer than its length times that of the name', () => {
    const spentMs = countCpuMs();
    expect(isIgnored('a'.repeat(5000), [`${'*a'.repeat(500)}b`])).toBe(false);
    expect(spentMs()).toBeLessThan(5000);
  });
});

describe('a folder', () => {
  it('is listed without hidden files, ignored ones and links, and nothing outside of it is opened', async () => {
    const outside = temporaryDir();
    writeFileSync(join(outside, 'secret.txt'), 'secret');
    const root = temporaryDir();
    for (const dir of ['a', '.git', 'late']) mkdirSync(join(root, dir));
    for (const path of ['b.md', 'a/x.md', 'a/y.log', '.git/config', '.env', 'late/secret.txt'])
      writeFileSync(join(root, path), path);
    symlinkSync(join(outside, 'secret.txt'), join(root, 'link.txt'));
    symlinkSync(outside, join(root, 'dir'));
    const files = await listFiles(root, { ignore: ['*.log'], filesMax: 10 });
    expect(files.map(({ path }) => path)).toEqual(['a/x.md', 'b.md', 'late/secret.txt']);
    await expect(listFiles(root, { ignore: [], filesMax: 2 })).rejects.toThrow(TooManyFiles);
    const file = await openInside(root, 'a/x.md');
    expect(await file?.readFile('utf8')).toBe('a/x.md');
    await file?.close();
    expect(await openInside(root, 'link.txt')).toBeUndefined();
    renameSync(join(root, 'late'), join(root, 'kept'));
    symlinkSync(outside, join(root, 'late'));
    expect(await openInside(root, 'late/secret.txt')).toBeUndefined();
    expect(await openInside(root, '../secret.txt')).toBeUndefined();
  });
});

describe('a plan', () => {
  const file = (path: string, sha256: string) => ({ path, sha256 });
  const known = (path: string, sha256: string) => ({ id: `id-${path}`, path, sha256 });
  const none = new Set<string>();

  it('adds what is new, replaces what changed, moves what was renamed, and names what is gone', () => {
    const local = [file('changed', '2'), file('new', '3'), file('renamed', '4'), file('same', '5')];
    const before = [known('changed', '1'), known('old-name', '4'), known('same', '5'), known('gone', '6')];
    expect(planSync(local, before, none)).toEqual({
      add: [
        { path: 'changed', sha256: '2', replaces: 'id-changed' },
        { path: 'new', sha256: '3' },
      ],
      move: [{ ...known('old-name', '4'), to: 'renamed' }],
      gone: [known('gone', '6')],
      doubles: [],
      same: 1,
    });
  });

  it('a content stands once, where it stood before, and is left alone where somebody else added it', () => {
    expect(planSync([file('a', '1'), file('b', '1')], [known('b', '1')], none)).toMatchObject({
      add: [],
      same: 1,
      doubles: [{ path: 'a', of: 'b' }],
    });
    expect(planSync([file('a', '1')], [], new Set(['1']))).toMatchObject({ add: [], same: 1 });
  });

  it('two files that changed places are moved, and nothing is sent or deleted', () => {
    const plan = planSync([file('a', '2'), file('b', '1')], [known('a', '1'), known('b', '2')], none);
    expect(plan).toMatchObject({ add: [], gone: [], same: 0 });
    expect(plan.move.map(({ id, to }) => [id, to])).toEqual([
      ['id-b', 'a'],
      ['id-a', 'b'],
    ]);
  });
});
