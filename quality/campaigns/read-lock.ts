import { readFileSync } from 'node:fs';

type Entry = { version?: string; license?: string; integrity?: string; link?: boolean; dev?: boolean };
export type LockedPackage = Entry & { name: string; isOurs: boolean };

/** Every package of the lockfile, by name, including those for other systems. */
export function readLock(): LockedPackage[] {
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
    packages: Record<string, Entry>;
  };
  return Object.entries(lock.packages)
    .filter(([path, { link }]) => path !== '' && link !== true)
    .map(([path, entry]) => ({ ...entry, name: path.split('node_modules/').at(-1) ?? path, isOurs: isOurs(path) }))
    .sort((a, b) => a.name.localeCompare(b.name) || (a.version ?? '').localeCompare(b.version ?? ''));
}

function isOurs(path: string): boolean {
  return !path.includes('node_modules/');
}
