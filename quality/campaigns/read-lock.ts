import { readFileSync } from 'node:fs';

type Entry = {
  version?: string;
  license?: string;
  integrity?: string;
  link?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};
type Lock = Record<string, Entry>;
export type LockedPackage = Entry & { name: string; isOurs: boolean; isInstalled: boolean };

/** Every package of the lockfile, by name, including those for other systems. */
export function readLock(): LockedPackage[] {
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8')) as {
    packages: Lock;
  };
  const installed = findInstalled(lock.packages);
  return Object.entries(lock.packages)
    .filter(([path, { link }]) => path !== '' && link !== true)
    .map(([path, entry]) => ({
      ...entry,
      name: path.split('node_modules/').at(-1) ?? path,
      isOurs: isOurs(path),
      isInstalled: installed.has(path),
    }))
    .sort((a, b) => a.name.localeCompare(b.name) || (a.version ?? '').localeCompare(b.version ?? ''));
}

/** What `npm install tramontane` brings: npm marks what the console needs alike, whose code is inside our files. */
function findInstalled(packages: Lock): Set<string> {
  const found = new Set<string>();
  const visit = (path: string): void => {
    if (found.has(path)) return;
    found.add(path);
    const { dependencies, optionalDependencies } = packages[path] ?? {};
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const at = resolvePackage(packages, path, name);
      if (at !== undefined) visit(at);
    }
  };
  visit('');
  return found;
}

/** The nearest folder upwards that has it, as Node looks for it. */
function resolvePackage(packages: Lock, from: string, name: string): string | undefined {
  for (let dir = from; ; dir = dir.slice(0, Math.max(0, dir.lastIndexOf('/node_modules/')))) {
    const at = dir === '' ? `node_modules/${name}` : `${dir}/node_modules/${name}`;
    if (at in packages) return at;
    if (dir === '') return undefined;
  }
}

function isOurs(path: string): boolean {
  return !path.includes('node_modules/');
}
