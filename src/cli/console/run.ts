import { buildConsole } from '../../operator/build-console.ts';
import type { Context } from '../shell/command.ts';
import { readConfig } from '../shell/read-config.ts';
import { describeBuild } from './show-build.ts';

export async function buildTheConsole(context: Context): Promise<undefined> {
  const { output } = context;
  const startedAt = performance.now();
  const dir = await buildConsole(readConfig(context), {
    signal: new AbortController().signal,
    onProgress: (progress) => output.progress(`building the console: ${describeBuild(progress)}`),
  });
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  output.result({ dir, seconds }, `Built the console in ${seconds} s: ${dir}`);
}
