import { createRequire } from 'node:module';
import { join } from 'node:path';
import { answer } from './answer.ts';
import { loadPeer } from './peer-load.ts';

// DBOS is a library: program, worker and client are one process, which writes to PostgreSQL itself.
type Dbos = {
  setConfig(config: object): void;
  launch(): Promise<void>;
  registerWorkflow(run: () => Promise<number>, config: { name: string }): () => Promise<number>;
  runStep(step: () => Promise<number>, config: { name: string }): Promise<number>;
};

let execute: (() => Promise<number>) | undefined;

answer({
  start: async ({ folder, url }: { folder: string; url: string }) => {
    const { DBOS } = createRequire(join(folder, 'package.json'))('@dbos-inc/dbos-sdk') as { DBOS: Dbos };
    DBOS.setConfig({ name: 'bench', systemDatabaseUrl: url, runAdminServer: false, logLevel: 'error' });
    const add = (a: number, b: number) => DBOS.runStep(async () => a + b, { name: 'add' });
    execute = DBOS.registerWorkflow(async () => add(await add(await add(1, 2), 3), 4), { name: 'three-steps' });
    await DBOS.launch();
  },
  load: (load: { count: number; concurrency: number }) => loadPeer(load, async () => execute?.()),
});
