import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** Checks out another version into a folder that does not exist yet; `close` makes git forget it. */
export function openVersion(root: string, ref: string, folder: string): { commit: string; close(): void } {
  const commit = git(root, 'rev-parse', '--verify', '--end-of-options', `${ref}^{commit}`).trim();
  git(root, 'worktree', 'add', '--detach', '--quiet', folder, commit);
  const close = () => void git(root, 'worktree', 'remove', '--force', folder);
  try {
    bringModules(root, folder);
  } catch (error) {
    close();
    throw error;
  }
  return { commit, close };
}

/** The same lock file means the same packages; otherwise they are installed, which takes a while. */
function bringModules(root: string, folder: string): void {
  const lockOf = (of: string) => readFileSync(join(of, 'package-lock.json'), 'utf8');
  if (lockOf(root) === lockOf(folder)) linkModules(join(root, 'node_modules'), join(folder, 'node_modules'));
  else {
    console.error('The lock files differ: npm ci in the other version.');
    run(folder, 'npm', 'ci', '--no-audit', '--no-fund');
  }
}

/** Entry by entry: a package of this repository is a link, which must lead to the other version's own. */
function linkModules(from: string, to: string): void {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory() && entry.name.startsWith('@')) linkModules(source, target);
    else symlinkSync(entry.isSymbolicLink() ? readlinkSync(source) : source, target);
  }
}

const git = (folder: string, ...args: string[]): string => run(folder, 'git', ...args);

function run(folder: string, program: string, ...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${(stderr || stdout).trim()}`);
  return stdout;
}
