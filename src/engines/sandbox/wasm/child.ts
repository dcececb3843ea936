import { loadInterpreter } from './interpreter.ts';
import type { ChildSettings, FromChild, ToChild } from './protocol.ts';

// The process that runs programs: whatever one of them does to its time and memory, the API's own process goes on. It
// holds no secrets and no open files, and Node's permission model keeps it from the disk should a program ever get out.

const SPENT_BYTES = 64 * 1024 * 1024;

const settings = JSON.parse(process.argv[2] ?? '{}') as ChildSettings;

// Without the parent nobody reads the results. Its end is told by the channel, however it ended.
process.on('disconnect', () => process.exit(0));
// A Ctrl-C reaches the whole group; the parent decides when runs are ended.
process.on('SIGINT', () => undefined);

const interpreter = await loadInterpreter(settings.files, settings.limits);

process.on('message', async (request: ToChild) => {
  const { result, memoryBytes } = await interpreter.run(request);
  say({ kind: 'result', result, isSpent: memoryBytes > SPENT_BYTES });
});
say({ kind: 'ready' });

function say(message: FromChild): void {
  process.send?.(message);
}
