import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import type { SourceKind } from './progress.ts';

/** What is known about the bytes that are already there. */
type Mark = {
  /** Exactly where they came from; bytes of another address or version must not be continued. */
  origin: string;
  /** The server's name for this version of the file, if it gave one. */
  etag?: string;
  /** Of a file in several packages: how many are in, and how long the file is up to there. */
  parts?: number;
  bytes?: number;
};

export type Partial = {
  readonly path: string;
  /** How many bytes are there to continue from; 0 is a fresh start. */
  bytes(): Promise<number>;
  mark(): Mark;
  save(mark: Omit<Mark, 'origin'>): Promise<void>;
  /** Cuts the file to the marked length (or the given one), so that half a part is never continued. */
  cut(bytes: number): Promise<void>;
};

/** The half of a file that one source has given so far. It outlives the process, and a try of the other sources. */
export async function openPartial(target: string, kind: SourceKind, origin: string): Promise<Partial> {
  const path = partialPath(target, kind);
  const markPath = `${path}.json`;
  let mark: Mark = { origin };
  const found = await readMark(markPath);
  if (found?.origin === origin) mark = found;
  else await removePartial(target, kind);
  return {
    path,
    bytes: () => sizeOf(path),
    mark: () => mark,
    async save(next) {
      mark = { origin, ...next };
      await writeFile(markPath, JSON.stringify(mark));
    },
    async cut(bytes) {
      if ((await sizeOf(path)) > bytes) await truncate(path, bytes);
    },
  };
}

export function partialPath(target: string, kind: SourceKind): string {
  return `${target}.${kind}.partial`;
}

export async function removePartial(target: string, kind: SourceKind): Promise<void> {
  const path = partialPath(target, kind);
  await rm(path, { force: true });
  await rm(`${path}.json`, { force: true });
  await rm(workDir(target, kind), { recursive: true, force: true });
}

/** Where a package client works for this file. */
export function workDir(target: string, kind: SourceKind): string {
  return `${target}.${kind}.work`;
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

async function readMark(path: string): Promise<Mark | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Mark;
  } catch {
    // No mark, or one that a crash cut short: then nothing can be continued.
    return undefined;
  }
}
