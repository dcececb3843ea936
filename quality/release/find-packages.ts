import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

export type Manifest = {
  name: string;
  version: string;
  license?: string | { type: string };
  licenses?: { type: string }[];
  author?: string | { name?: string };
  repository?: string | { url?: string };
  workspaces?: string[];
  os?: string[];
  cpu?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
};

/** `dir` is relative to the root; `needs` are the directories of other packages. */
export type Package = { dir: string; manifest: Manifest; needs: string[] };

export function readManifest(dir: string): Manifest {
  return JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8')) as Manifest;
}

/** The package, with what `tramontane worker` needs on Temporal: optional for others, but an archive cannot fetch it later. */
function readProgram(root: string): Manifest {
  const manifest = readManifest(root);
  const workflows = join(root, 'dist/workflows');
  const { peerDependencies } = existsSync(workflows) ? readManifest(workflows) : {};
  return { ...manifest, dependencies: { ...manifest.dependencies, ...peerDependencies } };
}

/** The packages that the program in `root`, or another one with this manifest, can reach, as Node would find them. */
export function findPackages(root: string, program = readProgram(root)): Package[] {
  const found = new Map<string, Package>();
  const visit = (dir: string): void => {
    if (found.has(dir)) return;
    const manifest = dir === '' ? program : readManifest(join(root, dir));
    const entry: Package = { dir, manifest, needs: [] };
    found.set(dir, entry);
    for (const name of namesOf(manifest)) {
      const at = resolvePackage(root, dir, name);
      if (at === undefined) continue;
      entry.needs.push(at);
      visit(at);
    }
    entry.needs.sort();
  };
  visit('');
  found.delete('');
  return [...found.values()].sort((left, right) => (left.dir < right.dir ? -1 : 1));
}

function namesOf({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} }: Manifest) {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => !peerDependenciesMeta[name]?.optional);
  return new Set([...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]);
}

function resolvePackage(root: string, from: string, name: string): string | undefined {
  for (let dir = from; ; dir = dirname(dir) === '.' ? '' : dirname(dir)) {
    const at = dir === '' ? `node_modules/${name}` : `${dir}/node_modules/${name}`;
    if (existsSync(join(root, at, 'package.json'))) return at;
    if (dir === '') return undefined;
  }
}

/** Removes what npm installed for others: development, workspaces, optional peers. */
export function removeUnreachable(root: string): Package[] {
  const packages = findPackages(root);
  const kept = new Set(packages.map(({ dir }) => dir));
  const sweep = (modules: string): void => {
    if (!existsSync(join(root, modules))) return;
    for (const name of readdirSync(join(root, modules))) {
      const dir = `${modules}/${name}`;
      if (name.startsWith('.')) rmSync(join(root, dir), { recursive: true });
      else if (name.startsWith('@')) sweep(dir);
      else if (!kept.has(dir)) rmSync(join(root, dir), { recursive: true });
      else sweep(`${dir}/node_modules`);
    }
    if (readdirSync(join(root, modules)).length === 0) rmSync(join(root, modules), { recursive: true });
  };
  sweep('node_modules');
  return packages;
}
