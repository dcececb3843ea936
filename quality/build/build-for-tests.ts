import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ROOT } from './layout.ts';
import { PACKAGE_FOLDER, SCRIPTS, SCRIPTS_FOLDER } from './scripts-for-tests.ts';

// Prints the folder of the package that tests run their programs from, built once for each state of the sources. It is
// below node_modules, where it finds the packages that are installed beside it.
const CACHE = join(ROOT, 'node_modules/.cache/tramontane-tests');
const SOURCES = [
  '{src,migrations,packages/workflows,quality/build,quality/bench,quality/campaigns,test/crash,test/fixtures}/**/*.ts',
  'src/**/*.{py,jsonl}',
  'console/**/*.{ts,tsx,css,html,json}',
  '{bin,openapi}/*',
  'packages/workflows/example/**',
  '{package,package-lock}.json',
];
const KEPT_MS = 24 * 3600_000;
const LOCK_MS = 120_000;

const target = join(CACHE, digestSources());
const lock = `${target}.lock`;
while (!existsSync(target)) {
  if (!takeLock()) {
    await delay(100);
    continue;
  }
  try {
    await build();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}
process.stdout.write(target);

function digestSources(): string {
  const hash = createHash('sha256').update(process.version);
  const files = globSync(SOURCES, {
    cwd: ROOT,
    exclude: ['**/node_modules', '**/dist', '**/*.test.ts', 'console/test'],
  });
  for (const file of files.toSorted()) {
    const path = join(ROOT, file);
    if (statSync(path).isFile()) hash.update(`${file}\0`).update(readFileSync(path)).update('\0');
  }
  return hash.digest('hex').slice(0, 16);
}

/** Of the processes of a run one builds and the others wait. The lock of one that was killed expires. */
function takeLock(): boolean {
  mkdirSync(CACHE, { recursive: true });
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > LOCK_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

async function build(): Promise<void> {
  // Most runs find what they need, and do without the bundler.
  const { stagePackage } = await import('./stage-package.ts');
  const { bundleScripts } = await import('./bundle-code.ts');
  removeOld();
  const dir = `${target}.new`;
  rmSync(dir, { recursive: true, force: true });
  const staged = await stagePackage(dir, { hasGuide: false, consoleDir: tmpdir() });
  renameSync(staged, join(dir, PACKAGE_FOLDER));
  // The server that a script runs finds its files as in the package, and the package has no script in it.
  const scripts = join(dir, SCRIPTS_FOLDER);
  mkdirSync(scripts);
  cpSync(join(ROOT, 'package.json'), join(scripts, 'package.json'));
  for (const name of ['bin', 'dist', 'openapi'])
    symlinkSync(join('..', PACKAGE_FOLDER, name), join(scripts, name), 'junction');
  await bundleScripts(SCRIPTS, scripts);
  renameSync(dir, target);
}

/** A run of an earlier state of the sources may still use its build. */
function removeOld(): void {
  for (const name of readdirSync(CACHE)) {
    const path = join(CACHE, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
}
