import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Whether this is the built program of a package, whose files are in `dist`; a checkout runs `src`. */
export const isBuilt = !import.meta.url.endsWith('.ts');

/** The folder of package.json: the checkout, or where the package was installed. */
const packageDir = findPackage(import.meta.dirname);
/** Whether `npm install -g` put it here: on Unix below `lib`, on Windows in a folder of npm's. */
export const isGlobal = isBuilt && /[/\\](lib|npm)[/\\]node_modules[/\\][^/\\]+$/.test(packageDir);
const codeDir = join(packageDir, isBuilt ? 'dist' : 'src');

/** A file of the whole package, such as `bin/tramontane.js`. */
export function packageFile(path: string): string {
  return join(packageDir, path);
}

/** A file that the build writes for the package; a checkout has it, or its source, elsewhere. */
export function builtFile(path: string): string {
  return join(packageDir, 'dist', path);
}

/** A file beside the code, by its path in `src`: what a thread or child process runs, or what it reads. */
export function codeFile(path: string): URL {
  return pathToFileURL(join(codeDir, isBuilt ? path.replace(/\.ts$/, '.js') : path));
}

function findPackage(dir: string): string {
  return existsSync(join(dir, 'package.json')) ? dir : findPackage(dirname(dir));
}
