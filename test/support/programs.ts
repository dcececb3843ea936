import { execFileSync } from 'node:child_process';
import { join, relative, resolve } from 'node:path';
import { PACKAGE_FOLDER, SCRIPTS, SCRIPTS_FOLDER } from '../../quality/build/scripts-for-tests.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const BUILD = join(ROOT, 'quality/build/build-for-tests.ts');

/** Outside tests and campaigns, and where TRAMONTANE_TEST_SOURCES=1 asks for it, programs run from their sources. */
export function runsSources(): boolean {
  const { VITEST, TRAMONTANE_TEST_SOURCES: asked } = process.env;
  return asked === '1' || (VITEST === undefined && asked !== '0');
}

/** The launcher of the program: of the built package, which starts in half the time and is what users install. */
export function launcherFile(): string {
  return join(runsSources() ? ROOT : builtPackage(), 'bin/tramontane.js');
}

/** What runs a script of a test or a campaign: its bundle where it has one, or else the script itself. */
export function scriptFile(source: string, isBuilt = !runsSources()): string {
  const path = relative(ROOT, source);
  if (!isBuilt || !SCRIPTS.includes(path)) return source;
  return join(build(), SCRIPTS_FOLDER, path.replace(/\.ts$/, '.js'));
}

/** The folder of the built package, without its guide. */
export function builtPackage(): string {
  return join(build(), PACKAGE_FOLDER);
}

let built: string | undefined;

/** The first test of a run that needs it builds it. */
function build(): string {
  built ??= execFileSync(process.execPath, [BUILD], { encoding: 'utf8' });
  return built;
}
