import { watch } from 'node:fs';
import { dirname } from 'node:path';
import { findSources } from '../../../packages/workflows/src/worker/index.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { findServer } from '../shell/api-client.ts';
import type { Context } from '../shell/command.ts';
import { listenForSignals } from '../shell/listen-for-signals.ts';
import { forwardOptions } from '../shell/parse-values.ts';
import { superviseWorker } from './supervise-worker.ts';

/** Editors save a file in several steps, and often several files at once. */
const DEBOUNCE_MS = 150;
const FORWARDED = ['deployment', 'name', 'max-steps', 'max-turns', 'drain-seconds'];

/** Restarts the worker whenever a file of the project changes. */
export async function watchWorker(context: Context): Promise<undefined> {
  const { args, output, environment } = context;
  const server = findServer(context);
  const dir = args.parameter('dir');
  const [first] = findSources(dir);
  if (first === undefined) throw new CommandFailure(`There are no workflow files to watch in ${dir}.`);
  const stopRequested = listenForSignals(() => process.exit(1));
  const worker = superviseWorker({
    args: [dir, ...forwardOptions(args, FORWARDED)],
    environment,
    server,
    onExit: (reason, waitMs) => output.note(`the worker exited (${reason}); restarting in ${waitMs} ms`),
  });
  let timer: NodeJS.Timeout | undefined;
  const watcher = watch(dirname(first), { recursive: true }, (_event, file) => {
    if (file?.includes('node_modules')) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      output.note(`${file ?? 'a file'} changed: restarting the worker`);
      worker.restart();
    }, DEBOUNCE_MS);
  });
  await stopRequested;
  watcher.close();
  clearTimeout(timer);
  await worker.stop();
}
