import { fork } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { BuildNews } from './child.ts';
import { hashSources } from './hash-sources.ts';
import { type AppPlaces, chooseTarget, hasSources } from './places.ts';

export type { BuildNews } from './child.ts';

const CHILD = join(import.meta.dirname, 'child.ts');
/** In the folder of what was built: the hash of the sources that it was built from. */
const STAMP = '.sources';
const COMPLAINT_CHARACTERS_MAX = 4000;

export class BuildFailed extends Error {}

type BuildOptions = { signal: AbortSignal; onNews: (news: BuildNews) => void };

/** Where the app is that belongs to these sources; without sources, where one was put by whoever left them out. */
export async function findBuilt(places: AppPlaces): Promise<string | undefined> {
  const isThere = hasSources(places);
  const wanted = isThere ? await hashSources(places.sources) : undefined;
  for (const dir of [places.shared, places.own]) {
    if (!existsSync(join(dir, 'index.html'))) continue;
    if (wanted === undefined || (await readStamp(dir)) === wanted) return dir;
  }
  return undefined;
}

/**
 * Builds the app in a process of its own, aside, and puts it in place in one step: whoever looks sees the old one or the
 * new one, and a build that fails leaves the old one.
 */
export async function buildApp(places: AppPlaces, options: BuildOptions): Promise<string> {
  if (!hasSources(places)) throw new BuildFailed(`There are no sources of the console in ${places.sources}.`);
  const target = await chooseTarget(places);
  const hash = await hashSources(places.sources);
  const aside = await mkdtemp(join(dirname(target), `.${basename(target)}-`));
  try {
    const built = join(aside, 'new');
    await runChild(places.sources, built, options);
    await writeFile(join(built, STAMP), hash);
    if (existsSync(target)) await rename(target, join(aside, 'old'));
    await rename(built, target);
  } finally {
    await rm(aside, { recursive: true, force: true });
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

function runChild(sources: string, target: string, { signal, onNews }: BuildOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(CHILD, [sources, target], { signal, stdio: ['ignore', 'pipe', 'pipe', 'ipc'], execArgv: [] });
    let said = '';
    const keep = (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-COMPLAINT_CHARACTERS_MAX);
    };
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.on('message', (news) => onNews(news as BuildNews));
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new BuildFailed(said.trim() || `It ended with ${code}.`)),
    );
  });
}
