import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findChangedFiles } from './changed-files.ts';
import { chooseTests } from './choose-tests.ts';

const importing = (...paths: string[]) => paths.map((path) => `import '${path}';`).join('\n');
const sources = new Map([
  ['test/architecture/architecture.test.ts', ''],
  ['test/docs/docs.test.ts', ''],
  ['test/sdk/prompts.test.ts', ''],
  ['test/walking-skeleton.test.ts', ''],
  ['src/app.ts', importing('./prompts/index.ts')],
  ['src/prompts/index.ts', importing('./store.ts')],
  ['src/prompts/store.ts', ''],
  ['src/prompts/routes.test.ts', ''],
  ['src/prompts/store.test.ts', ''],
  ['src/chat/service.ts', importing('../prompts/index.ts')],
  ['src/chat/index.ts', importing('./service.ts')],
  ['src/chat/routes.test.ts', ''],
  ['src/agents/service.ts', importing('../chat/index.ts')],
  ['src/agents/routes.test.ts', ''],
  ['src/skills/shared.test.ts', importing('../prompts/store.ts')],
  ['src/cli/chat/run.ts', importing('../../prompts/index.ts')],
  ['src/cli/chat/chat.test.ts', ''],
  ['console/test/pages.test.ts', ''],
]);
const choose = (...changed: string[]) => [...chooseTests(changed, sources).keys()].sort();

describe('the tests near to a change', () => {
  it('are those of the room, of rooms that import it, of its name and of its importers, and the architecture', () => {
    expect(choose('src/prompts/store.ts')).toEqual([
      'src/chat/routes.test.ts',
      'src/prompts/routes.test.ts',
      'src/prompts/store.test.ts',
      'src/skills/shared.test.ts',
      'test/architecture/architecture.test.ts',
      'test/sdk/prompts.test.ts',
    ]);
  });

  it('are a changed test alone, and the tests of pages for a page', () => {
    expect(choose('src/prompts/store.test.ts', 'docs/prompts.md')).toEqual([
      'src/prompts/store.test.ts',
      'test/architecture/architecture.test.ts',
      'test/docs/docs.test.ts',
    ]);
    expect(choose('console/src/main.tsx')).toContain('console/test/pages.test.ts');
    expect(choose('.github/workflows/ci.yml')).toContain('test/docs/docs.test.ts');
  });

  it('are a sample where a change reaches more rooms than there is time for, or all of them', () => {
    const base = [...'abcdefg'].map((room) => [`src/${room}/index.ts`, importing('../prompts/index.ts')] as const);
    const chosen = chooseTests(['src/prompts/store.ts'], new Map([...sources, ...base]));
    expect(chosen.get('test/walking-skeleton.test.ts')).toBe('sample: 9 rooms use src/prompts');
    expect([...chosen.keys()]).not.toContain('src/chat/routes.test.ts');
    expect(choose('src/app.ts')).toContain('test/walking-skeleton.test.ts');
  });
});

describe('the changed files', () => {
  it('are those since the last common commit: committed, uncommitted, new and deleted ones', () => {
    const root = mkdtempSync(join(tmpdir(), 'tramontane-near-'));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    const git = (...args: string[]) => {
      const author = ['-c', 'user.name=A', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false'];
      expect(spawnSync('git', [...author, ...args], { cwd: root }).status).toBe(0);
    };
    const write = (path: string, text: string) => writeFileSync(join(root, path), text);
    git('init', '--quiet', '--initial-branch=main');
    for (const path of ['kept', 'edited', 'deleted', 'committed']) write(path, '1');
    git('add', '.');
    git('commit', '--quiet', '--message=Begin');
    git('checkout', '--quiet', '-b', 'work');
    write('committed', '2');
    git('commit', '--quiet', '--all', '--message=Change');
    write('edited', '2');
    write('a new one', '1');
    rmSync(join(root, 'deleted'));
    expect(findChangedFiles(root)).toEqual(['a new one', 'committed', 'deleted', 'edited']);
    expect(findChangedFiles(root, 'HEAD')).toEqual(['a new one', 'deleted', 'edited']);
    expect(() => findChangedFiles(root, 'gone')).toThrow('no version "gone"');
    expect(() => findChangedFiles(root, '--all')).toThrow('no version "--all"');
  });
});
