import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Sweep } from './call-typescript.ts';
import type { SweepPlatform } from './platform.ts';
import type { Surface } from './surface.ts';

const CALLS = fileURLToPath(new URL('./python/calls.py', import.meta.url));

/** Runs the Python twin of the chapters in one process, which also lists the functions: sync only, or async too. */
export async function callPython(
  python: string,
  platform: SweepPlatform,
  { awaited }: { awaited: boolean },
): Promise<Sweep & { surface: Surface }> {
  const { url, key, document, mcpServer } = platform;
  const tuned = [await platform.registerTuned()];
  if (awaited) tuned.push(await platform.registerTuned());
  const { stdout } = await promisify(execFile)(python, ['-B', CALLS, url, key, document, mcpServer, ...tuned], {
    maxBuffer: 2 ** 26,
  });
  const { log, broken, absent, ...surface } = JSON.parse(stdout) as Sweep & Omit<Surface, 'language'>;
  return { log, broken, absent, surface: { language: 'Python', ...surface } };
}
