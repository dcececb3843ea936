import { fileURLToPath } from 'node:url';
import { startWorker } from '../../../packages/workflows/src/worker/index.ts';
import { answer } from './answer.ts';
import { add, threeSteps } from './three-steps.ts';

// A worker in a process of its own, for a server that runs workflows on Temporal.
answer({
  start: async ({ port, key }: { port: number; key: string }) => {
    await startWorker({
      url: `http://127.0.0.1:${port}`,
      apiKey: key,
      workflows: [threeSteps],
      steps: [add],
      files: [fileURLToPath(new URL('./three-steps.ts', import.meta.url))],
    });
  },
});
