import { tmpdir } from 'node:os';
import { buildApp, findBuilt } from '../../../src/console/build/build-app.ts';
import { appPlaces } from '../../../src/console/build/places.ts';
import { chromiumPath } from './chromium.ts';

/** The built app, once for each state of its sources; the servers of the tests find it where this puts it. */
export async function buildConsole(): Promise<string> {
  const places = appPlaces(tmpdir());
  const signal = new AbortController().signal;
  return (await findBuilt(places)) ?? (await buildApp(places, { signal, onNews: () => undefined }));
}

/** Before the first test file, so that no two of them build at once. */
export default async function setup(): Promise<void> {
  if (chromiumPath) await buildConsole();
}
