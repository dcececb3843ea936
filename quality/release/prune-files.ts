import { readdirSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Package } from './find-packages.ts';
import { type Machine, readMachine } from './read-machine.ts';
import { walkFiles } from './walk-files.ts';

/** What no running program reads: declarations, maps of others, sources of what is compiled already. */
const NEEDLESS: RegExp[] = [
  /\.(d\.[cm]?ts|map|tsbuildinfo|flow|markdown)$/,
  /(^|\/)(CHANGELOG|HISTORY|CHANGES|README|CONTRIBUTING|SECURITY)(\.\w+)?\.md$/i,
  /^node_modules\/node-linux-(x64|arm64)\/(include|share)\//,
  /^node_modules\/better-sqlite3\/(deps|src|binding\.gyp)/,
  /^node_modules\/node-llama-cpp\/llama\/(gitRelease\.bundle|addon|cmake|patches|toolchains)/,
  /^node_modules\/rxjs\/src\//,
  // The code interpreter runs Python only.
  /^node_modules\/@runno\/sandbox\/dist\/langs\/(?!python)/,
];
const LICENCE = /(^|\/)(licen[cs]e|copying|notice|copyright|third[-_]?party)[^/]*$/i;

/** Removes needless files and binaries of other platforms. Returns how many bytes of foreign binaries there were left. */
export function pruneFiles(root: string, packages: Package[], machine: Machine): Package[] {
  const foreign = new Set<string>();
  const native = new Set<string>();
  for (const { path, kind } of [...walkFiles(root)]) {
    if (kind !== 'file') continue;
    const built = readMachine(join(root, path));
    if (built !== undefined) (built === machine ? native : foreign).add(path);
    const isNeedless =
      path.startsWith('node_modules/') && !LICENCE.test(path) && NEEDLESS.some((one) => one.test(path));
    if (isNeedless || (built !== undefined && built !== machine)) rmSync(join(root, path));
  }
  // A package for another platform that lies here because its own platform can cross-compile to this one.
  const left = packages.filter(({ dir, manifest }) => {
    const isIn = (path: string) => path.startsWith(`${dir}/`);
    const isForOthers =
      (manifest.os ?? manifest.cpu) !== undefined && [...foreign].some(isIn) && ![...native].some(isIn);
    if (isForOthers) rmSync(join(root, dir), { recursive: true });
    return !isForOthers;
  });
  removeEmpty(root);
  return left;
}

/** The binaries below a directory that do not run on the machine. */
export function findForeign(root: string, machine: Machine): string[] {
  return [...walkFiles(root)]
    .filter(({ kind }) => kind === 'file')
    .map(({ path }) => path)
    .filter((path) => (readMachine(join(root, path)) ?? machine) !== machine);
}

function removeEmpty(dir: string): void {
  for (const entry of readdirSync(dir, { withFileTypes: true }))
    if (entry.isDirectory()) removeEmpty(join(dir, entry.name));
  if (readdirSync(dir).length === 0) rmdirSync(dir);
}
