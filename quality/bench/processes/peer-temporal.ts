import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { answer } from './answer.ts';
import { loadPeer } from './peer-load.ts';

// Temporal's own worker or client against its development server; each is a process.
const TASK_QUEUE = 'bench';
let client: Client | undefined;

answer({
  work: async ({ address }: { address: string }) => {
    Runtime.install({ logger: { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} } });
    const worker = await Worker.create({
      connection: await NativeConnection.connect({ address }),
      taskQueue: TASK_QUEUE,
      workflowsPath: fileURLToPath(new URL('./peer-workflows.ts', import.meta.url)),
      activities: { add: async ({ a, b }: { a: number; b: number }) => a + b },
    });
    void worker.run();
  },
  load: async ({ address, ...load }: { address: string; count: number; concurrency: number }) => {
    client ??= new Client({ connection: await Connection.connect({ address }) });
    const { workflow } = client;
    return loadPeer(load, () =>
      workflow.execute('peerSteps', { taskQueue: TASK_QUEUE, workflowId: randomUUID(), args: [] }),
    );
  },
});
