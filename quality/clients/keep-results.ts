import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { environmentsDir } from './environments.ts';
import { type Client, programsDir } from './read-clients.ts';

const file = join(environmentsDir, 'works.json');

/** Which programs worked when they last ran, by their text: a changed program has not run yet. */
export function readResults(): Set<string> {
  try {
    return new Set(JSON.parse(readFileSync(file, 'utf8')) as string[]);
  } catch {
    return new Set();
  }
}

export function keepResult(client: Client, isGood: boolean): void {
  const works = readResults();
  if (isGood) works.add(keyOf(client));
  else works.delete(keyOf(client));
  mkdirSync(environmentsDir, { recursive: true });
  writeFileSync(file, JSON.stringify([...works]));
}

export function keyOf({ name, file: program }: Client): string {
  const text = readFileSync(join(programsDir, program));
  return `${name} ${createHash('sha256').update(text).digest('hex')}`;
}
