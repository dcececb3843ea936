import { parentPort, workerData } from 'node:worker_threads';
import { BadPack, type PackFiles, type PackOrder, readPack } from './read-pack.ts';

export type PackReport = PackFiles | { problem: string };

async function answer(): Promise<PackReport> {
  try {
    return await readPack(workerData as PackOrder);
  } catch (error) {
    if (error instanceof BadPack) return { problem: error.message };
    throw error;
  }
}

parentPort?.postMessage(await answer());
