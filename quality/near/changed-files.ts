import { spawnSync } from 'node:child_process';

/** Where work is usually begun; the first that exists. */
const BASES = ['upstream/main', 'origin/main', 'main'];

/** The paths that differ from the last common commit with `ref`: committed or not, new ones and those that are gone. */
export function findChangedFiles(root: string, ref = findBase(root)): string[] {
  const commit = git(root, 'rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`)?.trim();
  if (!commit) throw new Error(`This repository has no version "${ref}". Name a branch, a tag or a commit.`);
  const base = git(root, 'merge-base', commit, 'HEAD')?.trim();
  if (!base) throw new Error(`"${ref}" and the checked out version have no common commit.`);
  const differing = git(root, 'diff', '--name-only', '--no-renames', '-z', base) ?? '';
  const untracked = git(root, 'ls-files', '--others', '--exclude-standard', '-z') ?? '';
  return [...new Set(`${differing}${untracked}`.split('\0').filter((path) => path !== ''))].sort();
}

function findBase(root: string): string {
  const base = BASES.find((ref) => git(root, 'rev-parse', '--verify', '--quiet', ref));
  if (!base) throw new Error(`This repository has none of ${BASES.join(', ')}. Name the version to compare with.`);
  return base;
}

/** Undefined where git refuses. */
function git(root: string, ...args: string[]): string | undefined {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout : undefined;
}
