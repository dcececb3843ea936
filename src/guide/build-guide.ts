import { fork, type StdioOptions } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { glob, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { GuidePaths } from './guide-paths.ts';

/** Everything that a page is made of. */
const SOURCES = [
  '*.md',
  '{docs,examples,deploy,packages}/**/*.md',
  'docs/pictures/*',
  'guide/**/*.{ts,js,css}',
  'console/src/styles/tokens.css',
  'openapi/openapi.json',
];
const OUTPUT_CHARACTERS_MAX = 4000;
const BUILD_TIMEOUT_MS = 120_000;

/** The folder of the guide: that of the package, or one of this checkout's present sources, built if there is none. */
export async function provideGuide(paths: GuidePaths, signal: AbortSignal): Promise<string | undefined> {
  if (!existsSync(join(paths.root, 'guide/build.ts')))
    return existsSync(join(paths.shipped, 'files.json')) ? paths.shipped : undefined;
  const target = join(paths.own, await hashSources(paths.root));
  if (!existsSync(join(target, 'files.json'))) await build(paths, target, signal);
  return target;
}

/** Aside, then renamed: a reader sees all of it or nothing. Guides of earlier sources are removed. */
async function build({ root, own }: GuidePaths, target: string, signal: AbortSignal): Promise<void> {
  await mkdir(own, { recursive: true });
  const older = await readdir(own);
  const staging = await mkdtemp(join(own, '.new-'));
  try {
    await runChild(join(root, 'guide/build.ts'), join(staging, 'guide'), signal);
    await rename(join(staging, 'guide'), target);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  for (const name of older) await rm(join(own, name), { recursive: true, force: true });
}

/** In a process of its own: rendering takes seconds, and needs packages that only a checkout has. */
function runChild(script: string, target: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe', 'ipc'];
    const env = { NODE_ENV: 'production' };
    const bounded = AbortSignal.any([signal, AbortSignal.timeout(BUILD_TIMEOUT_MS)]);
    const child = fork(script, [target, '--served'], { signal: bounded, stdio, execArgv: [], env });
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_CHARACTERS_MAX);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(output.trim() || `code ${code}`))));
  });
}

/** By content: a checkout resets the times of files. */
async function hashSources(root: string): Promise<string> {
  const files: string[] = [];
  const exclude = (entry: { name: string }) => entry.name === 'node_modules';
  for await (const entry of glob(SOURCES, { cwd: root, withFileTypes: true, exclude }))
    if (entry.isFile()) files.push(join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of files.sort()) hash.update(`${relative(root, file)}\0`).update(await readFile(file));
  return hash.digest('hex').slice(0, 16);
}
