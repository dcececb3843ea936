import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const BIOME = join(import.meta.dirname, '../../node_modules/@biomejs/biome/bin/biome');
/** The rules, what they leave out, and the version of Biome with the dependencies that switch on more rules. */
const CONFIGURATION = ['biome.json', '.gitignore', 'package-lock.json'];
/** Windows takes command lines of 32 KiB. */
const NAMED_FILES_MAX = 200;

/**
 * Runs Biome on the files that it has not passed before with the same content and configuration: its rules look at one
 * file at a time. Which those are is remembered in `memory`.
 */
export function lintFiles(root: string, memory: string): { isPassed: boolean; output: string; linted: string[] } {
  const hashes = hashFiles(root);
  const passed = new Set(existsSync(memory) ? readFileSync(memory, 'utf8').split('\n') : []);
  const linted = [...hashes].filter(([, hash]) => !passed.has(hash)).map(([path]) => path);
  if (hashes.size > 0 && linted.length === 0) return { isPassed: true, output: '', linted };
  const named = hashes.size > 0 && linted.length <= NAMED_FILES_MAX ? linted : ['.'];
  const options = ['--error-on-warnings', '--no-errors-on-unmatched', '--files-ignore-unknown=true'];
  const biome = spawnSync(process.execPath, [BIOME, 'check', ...options, ...named], { cwd: root, encoding: 'utf8' });
  const isPassed = biome.status === 0;
  if (isPassed) {
    mkdirSync(dirname(memory), { recursive: true });
    writeFileSync(memory, [...hashes.values()].join('\n'));
  }
  return { isPassed, output: `${biome.stdout}${biome.stderr}`, linted };
}

/** None outside of a git repository. */
function hashFiles(root: string): Map<string, string> {
  const read = (path: string) => (existsSync(join(root, path)) ? readFileSync(join(root, path)) : '');
  const configuration = CONFIGURATION.map((path) => `${read(path)}`).join('\n');
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const { stdout } = spawnSync('git', list, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 });
  const paths = (stdout ?? '').split('\0').filter((path) => path !== '' && existsSync(join(root, path)));
  const seed = createHash('sha256').update(configuration);
  return new Map(paths.map((path) => [path, seed.copy().update(`\0${path}\0`).update(read(path)).digest('base64url')]));
}

if (import.meta.main) {
  const { isPassed, output } = lintFiles('.', 'node_modules/.cache/biome/passed.txt');
  console.log(output.trimEnd());
  process.exitCode = isPassed ? 0 : 1;
}
