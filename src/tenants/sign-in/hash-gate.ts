import { tenantErrors } from '../errors.ts';

/** Half of the thread pool: commits wait for their disk sync in the same pool. */
const RUNNING_MAX = 2;
const WAITING_MAX = 64;
/** One client cannot fill the queue alone. */
const WAITING_PER_CLIENT_MAX = 8;

type Waiting = { client: string; start: () => void };

/** Bounds how many passwords are hashed at once. Throws 503 when too many wait. */
export function createHashGate() {
  const waiting: Waiting[] = [];
  let running = 0;

  function enter(client: string): Promise<void> | undefined {
    if (running < RUNNING_MAX) {
      running++;
      return undefined;
    }
    const own = waiting.filter((one) => one.client === client).length;
    if (waiting.length >= WAITING_MAX || own >= WAITING_PER_CLIENT_MAX) throw tenantErrors.sign_in_busy();
    return new Promise((start) => waiting.push({ client, start }));
  }

  /** The place goes to the next in line without becoming free in between. */
  function leave(): void {
    const next = waiting.shift();
    if (next) next.start();
    else running--;
  }

  return async function run<T>(client: string, work: () => Promise<T>): Promise<T> {
    await enter(client);
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
