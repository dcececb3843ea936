import { buildConsole } from '../../operator/build-console.ts';
import type { Context } from '../shell/command.ts';
import { readConfig } from '../shell/read-config.ts';
import { describeBuild } from './show-build.ts';

export async function buildTheConsole(context: Context): Promise<undefined> {
  const { output } = context;
  const startedAt = performance.now();
  const { dir, wasThere } = await buildConsole(readConfig(context), {
    signal: new AbortController().signal,
    onProgress: (progress) => output.progress(`building the console: ${describeBuild(progress)}`),
  });
  const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
  const text = wasThere
    ? `The package has the console built already: ${dir}`
    : `Built the console in ${seconds} s: ${dir}`;
  output.result({ dir, seconds }, text);
}
