import { fork, type StdioOptions } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { codeFile, isBuilt } from '../../../kit/base/locations.ts';
import { type AppPaths, chooseTarget, hasSources } from './app-paths.ts';
import type { BuildProgress } from './build-child.ts';

export type { BuildProgress } from './build-child.ts';

const SOURCES = [
  'src/**/*',
  'public/**/*',
  'index.html',
  'package.json',
  'vite.config.ts',
  'tsconfig.json',
  '../package-lock.json',
];
const CHILD = codeFile('console/app/build/build-child.ts');
/** File in the build that holds the hash of its sources. */
const STAMP = '.sources';
const OUTPUT_CHARACTERS_MAX = 4000;

export class BuildFailed extends Error {}

type BuildOptions = { signal: AbortSignal; onProgress: (progress: BuildProgress) => void };

/** The build of exactly these sources; where there are no sources, any build. */
export async function findBuilt(paths: AppPaths): Promise<string | undefined> {
  const wanted = hasSources(paths) ? await hashSources(paths.sources) : undefined;
  for (const dir of [paths.shared, paths.own]) {
    if (!existsSync(join(dir, 'index.html'))) continue;
    if (wanted === undefined || (await readStamp(dir)) === wanted) return dir;
  }
  return undefined;
}

/** Builds in a child process and a temporary directory, then renames: readers see the old or the new build. */
export async function buildApp(paths: AppPaths, options: BuildOptions): Promise<string> {
  if (!hasSources(paths))
    throw new BuildFailed(
      isBuilt
        ? 'This installation has its console built already; only a checkout has the sources to build it again.'
        : `The console's sources are missing in ${paths.sources}.`,
    );
  const target = await chooseTarget(paths);
  const hash = await hashSources(paths.sources);
  const staging = await mkdtemp(join(dirname(target), `.${basename(target)}-`));
  try {
    const built = join(staging, 'new');
    await runChild(paths.sources, built, options);
    await writeFile(join(built, STAMP), hash);
    if (existsSync(target)) await rename(target, join(staging, 'old'));
    await rename(built, target);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  return target;
}

async function readStamp(dir: string): Promise<string | undefined> {
  try {
    return await readFile(join(dir, STAMP), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function runChild(sources: string, target: string, { signal, onProgress }: BuildOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    // An empty environment: the build needs none of the server's variables, which hold secrets.
    const options = { signal, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] as StdioOptions, execArgv: [], env: {} };
    const child = fork(CHILD, [sources, target], options);
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS_MAX);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.on('message', (progress) => onProgress(progress as BuildProgress));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new BuildFailed(output.trim() || `The build exited with code ${code}.`)),
    );
  });
}

/** Identifies sources and packages by content: a checkout resets the times of files. */
async function hashSources(sources: string): Promise<string> {
  const files: string[] = [];
  for await (const entry of glob(SOURCES, { cwd: sources, withFileTypes: true })) {
    if (entry.isFile() && !entry.name.includes('.test.')) files.push(join(entry.parentPath, entry.name));
  }
  const hash = createHash('sha256');
  for (const file of files.sort()) {
    hash.update(`${relative(sources, file)}\0`).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 32);
}
