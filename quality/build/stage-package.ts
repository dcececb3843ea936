import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type BuildOptions, buildPackage } from './build-package.ts';
import { ALWAYS_PACKED, ROOT } from './layout.ts';

type Manifest = { files: string[]; dependencies: object; optionalDependencies: object };

/** Builds the package in a folder of its own, so that the checkout's `dist` stays as it is. Returns what is packed. */
export async function stagePackage(dir: string, options?: BuildOptions): Promise<string> {
  const stage = join(dir, 'stage');
  mkdirSync(stage, { recursive: true });
  for (const file of [...readManifest().files, ...ALWAYS_PACKED].filter((name) => name !== 'dist'))
    cpSync(join(ROOT, file), join(stage, file), { recursive: true });
  await buildPackage(join(stage, 'dist'), options);
  return stage;
}

export async function packInto(dir: string): Promise<string> {
  return pack(await stagePackage(dir), dir);
}

/** `npm pack` of a folder that is built. Returns the tarball. */
export function pack(folder: string, target: string): string {
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', target];
  return join(target, execFileSync('npm', args, { cwd: folder, encoding: 'utf8' }).trim());
}

/**
 * What `npm install <tarball>` makes of an empty folder, in a second: the tarball unpacked (or what is staged for it,
 * copied), and links to the packages of the checkout instead of a download. Returns the launcher.
 */
export function installFromCheckout(given: string, project: string, { optional = true } = {}): string {
  const installed = join(project, 'node_modules/tramontane');
  mkdirSync(installed, { recursive: true });
  if (given.endsWith('.tgz')) execFileSync('tar', ['-xzf', given, '-C', installed, '--strip-components=1']);
  else cpSync(given, installed, { recursive: true });
  const { dependencies, optionalDependencies } = readManifest();
  for (const name of Object.keys({ ...dependencies, ...(optional ? optionalDependencies : {}) })) {
    const source = join(ROOT, 'node_modules', name);
    if (!existsSync(source)) continue;
    const link = join(project, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(source, link);
  }
  return join(installed, 'bin/tramontane.js');
}

function readManifest(): Manifest {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;
}
