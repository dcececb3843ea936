import { existsSync, globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { join } from 'node:path';
import { findPackages, type Package, readManifest } from './find-packages.ts';
import { ROOT } from './options.ts';

/** The packages whose code is inside `dist`: by the source maps of the program, and by the imports of the console. */
export function findBundled(dist = join(ROOT, 'dist')): Package[] {
  const mapped = globSync('**/*.map', { cwd: dist }).flatMap((file) => {
    const { sources } = JSON.parse(readFileSync(join(dist, file), 'utf8')) as { sources: (string | null)[] };
    return sources.flatMap((source) => /(node_modules\/.*)$/.exec(source ?? '')?.[1] ?? []).map(packageDir);
  });
  const inConsole = findPackages(ROOT, { name: 'console', version: '', dependencies: consoleImports() });
  const found = new Map(inConsole.map((one) => [one.dir, one]));
  for (const dir of mapped)
    if (!found.has(dir) && existsSync(join(ROOT, dir, 'package.json')))
      found.set(dir, { dir, manifest: readManifest(join(ROOT, dir)), needs: [] });
  return [...found.values()].sort((left, right) => (left.dir < right.dir ? -1 : 1));
}

/** `node_modules/a/node_modules/@b/c/lib/x.js` is of `node_modules/a/node_modules/@b/c`. */
function packageDir(path: string): string {
  return /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path;
}

function consoleImports(): Record<string, string> {
  const files = globSync('console/src/**/*.{ts,tsx,css}', { cwd: ROOT, exclude: (path) => path.includes('.test.') });
  const names = files.flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/(?:from|import)\s*\(?'((?:@[\w.-]+\/)?[\w-][\w.-]*)/g)].map(
      ([, name = '']) => name,
    ),
  );
  // The viewer of the API reference is copied as it is.
  const all = [...new Set([...names, 'swagger-ui-dist'])].filter((name) => !builtinModules.includes(name));
  return Object.fromEntries(all.map((name) => [name, '*']));
}
