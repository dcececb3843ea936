import type { Socket } from 'node:net';
import type { Config } from '../../../config/config.ts';
import { mergeMetrics, type ReadMetrics } from '../../../kit/http/index.ts';
import { type RunningServer, type StartOptions, startServer } from '../../../main.ts';
import type { FromProcess, ToProcess } from './messages.ts';

/** How long a scrape waits for the other processes. */
const GATHER_MS = 3_000;

/** Serves the connections that the first process hands over. Ends when it says so, or when it is gone. */
export async function serveShared(config: Config, options: StartOptions): Promise<void> {
  // Ctrl-C reaches the whole group; what happens then is the first process's to say.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const tell = (message: FromProcess) => void process.send?.(message);
  const gathering = new Map<number, (reports: ReadMetrics[]) => void>();
  let lastId = 0;
  const gather = () =>
    new Promise<ReadMetrics[]>((resolve) => {
      const id = ++lastId;
      const end = (reports: ReadMetrics[]) => {
        clearTimeout(timer);
        gathering.delete(id);
        resolve(reports);
      };
      const timer = setTimeout(end, GATHER_MS, []);
      gathering.set(id, end);
      tell({ kind: 'gather', id });
    });

  let server: RunningServer | undefined;
  try {
    server = await startServer(config, {
      ...options,
      isShared: true,
      mergeMetrics: async (own) => mergeMetrics([own, ...(await gather())]),
    });
  } catch (error) {
    tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) });
    process.exit(1);
  }
  const { accept, retire, readMetrics, stop, bootstrap } = server;
  const end = async () => {
    await stop();
    process.exit(0);
  };
  process.on('message', (message: ToProcess, socket?: Socket) => {
    switch (message.kind) {
      case 'connection':
        // A client that left meanwhile has no socket any more.
        return socket && accept(socket);
      case 'retire':
        return void retire().then(end);
      case 'stop':
        return void end();
      case 'report':
        return void readMetrics().then((metrics) => tell({ kind: 'reported', id: message.id, metrics }));
      case 'gathered':
        return gathering.get(message.id)?.(message.reports);
    }
  });
  process.once('disconnect', () => void end());
  tell({ kind: 'ready', bootstrap });
}
