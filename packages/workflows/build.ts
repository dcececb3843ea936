import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * Builds the published folder: JavaScript with declarations, because Node does not strip types under node_modules. In
 * the checkout the package runs from source. Usage: `node build.ts [folder]`, then `npm publish dist`.
 */
const here = import.meta.dirname;
const root = resolve(here, '../..');
const target = resolve(process.argv[2] ?? join(here, 'dist'));

rmSync(target, { recursive: true, force: true });
execFileSync(process.execPath, [
  join(root, 'node_modules/typescript/bin/tsc'),
  ...['-p', join(here, 'tsconfig.build.json'), '--outDir', target],
]);

type Manifest = { exports: Record<string, string>; [key: string]: unknown };
const {
  exports,
  scripts: _scripts,
  ...manifest
} = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8')) as Manifest;
const built = (source: string, ending: string) => source.replace('./src/', './').replace(/\.ts$/, ending);
const entries = Object.entries(exports).map(([name, source]) => [
  name,
  { types: built(source, '.d.ts'), default: built(source, '.js') },
]);
const published = { ...manifest, exports: Object.fromEntries(entries) };
writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
cpSync(join(here, 'README.md'), join(target, 'README.md'));
cpSync(join(here, 'example'), join(target, 'example'), { recursive: true });
cpSync(join(root, 'LICENSE'), join(target, 'LICENSE'));
