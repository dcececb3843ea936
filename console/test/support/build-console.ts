import { tmpdir } from 'node:os';
import { appPaths } from '../../../src/console/app/build/app-paths.ts';
import { buildApp, findBuilt } from '../../../src/console/app/build/build-app.ts';
import { chromiumPath } from './chromium.ts';

/** The built app, once for each state of its sources; the servers of the tests find it where this puts it. */
export async function buildConsole(): Promise<string> {
  const paths = appPaths(tmpdir());
  const signal = new AbortController().signal;
  return (await findBuilt(paths)) ?? (await buildApp(paths, { signal, onProgress: () => undefined }));
}

/** Before the first test file, so that no two of them build at once. */
export default async function setup(): Promise<void> {
  if (chromiumPath) await buildConsole();
}
