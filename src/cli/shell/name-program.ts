import { isBuilt, packageFile } from '../../kit/base/locations.ts';

const IN_PROJECT = /[/\\]node_modules[/\\]/;
const GLOBAL = /[/\\](lib|npm)[/\\]node_modules[/\\]/;

/** Messages say `npx tramontane`, which is right in a checkout and in a project. Elsewhere the program is on the path. */
export function nameProgram(text: string, dir = packageFile('package.json'), isInstalled = isBuilt): string {
  const isOnPath = isInstalled && (!IN_PROJECT.test(dir) || GLOBAL.test(dir));
  return isOnPath ? text.replaceAll('npx tramontane', 'tramontane') : text;
}
