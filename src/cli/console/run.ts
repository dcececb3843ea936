import { buildConsole } from '../../operator/build-console.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { readConfig } from '../shell/read-config.ts';
import { describeBuild } from './show-build.ts';

export async function buildTheConsole(context: Context): Promise<ExitCode> {
  const { output } = context;
  const stopping = new AbortController();
  const startedAt = performance.now();
  const dir = await buildConsole(readConfig(context), {
    signal: stopping.signal,
    onNews: (news) => output.progress(`building the console: ${describeBuild(news)}`),
  });
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  output.result({ dir, seconds }, `The console is built, in ${seconds} s: ${dir}`);
  return 0;
}
