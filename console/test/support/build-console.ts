import { tmpdir } from 'node:os';
import { appPaths } from '../../../src/console/app/build/app-paths.ts';
import { buildApp, findBuilt } from '../../../src/console/app/build/build-app.ts';
import { chromiumPath } from './chromium.ts';

/** Builds the app once per state of its sources, where the test servers look for it. */
export async function buildConsole(): Promise<string> {
  const paths = appPaths(tmpdir());
  const signal = new AbortController().signal;
  return (await findBuilt(paths)) ?? (await buildApp(paths, { signal, onProgress: () => undefined }));
}

/** Runs before the first test file, so that no two build at once. */
export default async function setup(): Promise<void> {
  if (chromiumPath) await buildConsole();
}
