import { parentPort, workerData } from 'node:worker_threads';
import { codeOf } from '../../base/error-code.ts';

export type ReadOrder<I> = { input: I } | 'cancel';
export type ReadReport<O> = { output: O } | { failure: string; code: string };

/** The program of a reader thread: `open` gets the file, and returns what answers one read after another. */
export function serveReads<I, O>(open: (file: string) => (input: I, signal: AbortSignal) => O | Promise<O>): void {
  const read = open(workerData as string);
  let running = new AbortController();

  async function answer(input: I, signal: AbortSignal): Promise<ReadReport<O>> {
    try {
      return { output: await read(input, signal) };
    } catch (error) {
      return { failure: error instanceof Error ? error.message : String(error), code: codeOf(error) };
    }
  }

  parentPort?.on('message', async (order: ReadOrder<I>) => {
    if (order === 'cancel') return running.abort();
    running = new AbortController();
    parentPort?.postMessage(await answer(order.input, running.signal));
  });
}
