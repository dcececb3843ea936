import { watch } from 'node:fs';
import { dirname } from 'node:path';
import { findSources } from '../../../packages/workflows/src/worker/index.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { listenForSignals } from '../shell/listen-for-signals.ts';
import { superviseWorker } from './supervise-worker.ts';

/** Editors write a file in several steps, and often several files at once. */
const QUIET_MS = 150;
const PASSED_ON = ['deployment', 'name', 'max-steps', 'max-turns', 'drain-seconds', 'url'];

/** For development: the worker is started anew whenever a file of the project changes. */
export async function watchWorker({ args, output, environment }: Context): Promise<ExitCode> {
  const dir = args.parameter('dir');
  const [first] = findSources(dir);
  if (first === undefined) throw new CommandFailure(`There is nothing to watch in ${dir}.`);
  const stopRequested = listenForSignals(() => process.exit(1));
  const options = PASSED_ON.flatMap((name) => {
    const value = args.text(name);
    return value === undefined ? [] : [`--${name}`, value];
  });
  const worker = superviseWorker({
    words: [dir, ...options],
    environment,
    onDeath: (how, waitMs) => output.note(`the worker ended (${how}); it is started again in ${waitMs} ms`),
  });
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(dirname(first), { recursive: true }, (_event, file) => {
    if (file?.includes('node_modules')) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      output.note(`${file ?? 'a file'} changed: the worker is started anew`);
      worker.restart();
    }, QUIET_MS);
  });
  await stopRequested;
  watcher.close();
  clearTimeout(timer);
  await worker.stop();
  return 0;
}
