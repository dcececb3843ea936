import { spawn } from 'node:child_process';
import { atEnd } from '../../../test/support/cleanup.ts';
import { pythonWorker } from '../../../test/support/python-worker.ts';

/** Its last words, for the case that it dies early. */
export function startPython(script: string, environment: Record<string, string>): () => string {
  const env = {
    PATH: process.env.PATH,
    DEPLOYMENT_NAME: 'shop',
    WORKER_NAME: 'worker-1',
    OTEL_ENABLED: 'false',
    ...environment,
  };
  const child = spawn(pythonWorker ?? '', [script], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      said = `${said}${chunk}`.slice(-5000);
    });
  atEnd(() => void child.kill('SIGKILL'));
  return () => said;
}
