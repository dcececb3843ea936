import { fork } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { atEnd } from '../support/cleanup.ts';
import { type TestDatabase, temporaryDir } from '../support/databases.ts';
import type { Counted, Question } from './serve-counted.ts';

/**
 * Code that is not optimized allocates what is written in it from its first call on, whatever the machine: an optimizer
 * decides by the clock what it compiles, and leaves out allocations where it can. And a young generation that is large enough
 * for a whole series, so that nothing is collected in it.
 */
const FLAGS = ['--no-opt', '--no-maglev', '--no-lazy-feedback-allocation', '--expose-gc'];
const YOUNG = ['--min-semi-space-size=128', '--max-semi-space-size=128'];

export type CountedServer = {
  url: string;
  key: string;
  /** Bytes of the heap that are in use, after a collection. */
  held(): Promise<number>;
  begin(): Promise<void>;
  /** Where something is metered, once that is written. */
  end(isMetered: boolean): Promise<Counted>;
};

export async function startCountedServer(database: TestDatabase, config: string): Promise<CountedServer> {
  await (await database.open()).close();
  const { options } = database;
  const place =
    options.kind === 'postgres'
      ? { TRAMONTANE_DATABASE_URL: options.url, TRAMONTANE_DATA_DIR: temporaryDir() }
      : { TRAMONTANE_DATA_DIR: dirname(options.file) };
  const child = fork(new URL('./serve-counted.ts', import.meta.url), {
    execArgv: [...FLAGS, ...YOUNG],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      TRAMONTANE_PORT: '0',
      ...place,
      TRAMONTANE_CONFIG: config,
      TRAMONTANE_AUTO_PULL: 'off',
      TRAMONTANE_CONSOLE: 'off',
    },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  atEnd(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const gone = once(child, 'exit').then(([code]) => Promise.reject(new Error(`The counted server ended: ${code}`)));
  gone.catch(() => undefined);
  const ask = async (question: Question) => {
    const answer = once(child, 'message');
    child.send(question);
    return (await Promise.race([answer, gone]))[0];
  };
  return {
    ...((await ask({ ask: 'address' })) as { url: string; key: string }),
    held: async () => (await ask({ ask: 'held' })) as number,
    begin: async () => void (await ask({ ask: 'begin' })),
    end: async (isMetered) => (await ask({ ask: 'end', isMetered })) as Counted,
  };
}
