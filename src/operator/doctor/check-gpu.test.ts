import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { hasStandIn, installStandIn, standInNeeded } from '../../../test/gpu/stand-in-gpu.ts';
import { sqliteForTests } from '../../../test/support/databases.ts';
import { startTestServer, type TestServer } from '../../../test/support/server.ts';
import type { Config } from '../../config/config.ts';
import { writeTrialModel } from '../../engines/llama/trial-model.ts';
import { checkGpu } from './check-gpu.ts';

const FAILED = 'CUDA failed: its process ended with SIGABRT in its trial (CUDA error: the provided PTX was compiled';

describe.skipIf(!hasStandIn)(standInNeeded, { timeout: 120_000 }, () => {
  let server: TestServer;
  let config: Config;
  let standIn: ReturnType<typeof installStandIn>;

  beforeAll(async () => {
    standIn = installStandIn();
    standIn.order('abort');
    const weights = join(standIn.dataDir, 'model.gguf');
    writeFileSync(weights, writeTrialModel());
    server = await startTestServer(sqliteForTests(), {
      environment: { TRAMONTANE_DATA_DIR: standIn.dataDir },
      file: { models: [{ id: 'a', engine: 'llama', weights, sequences: 1 }] },
    });
    const { hostname: host, port } = new URL(server.url);
    config = { ...server.config, host, port: Number(port) };
  });

  const ask = (path: string) => fetch(server.url + path).then((response) => response.text());

  test('without a model that is loaded the doctor says what its own trial found', async () => {
    expect(await ask('/metrics')).not.toMatch(/^tramontane_model_device\{/m);
    expect(await checkGpu(config, standIn.environment)).toEqual([
      {
        name: 'gpu',
        status: 'warn',
        what: expect.stringMatching(/^CUDA failed: .*: a on the CPU$/),
        fix: expect.stringContaining('tramontane gpu uninstall cuda'),
      },
    ]);
  });

  test('a chat is answered though the GPU aborts, and the running server says what computes it and why', async () => {
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'a',
        max_tokens: 2,
        messages: [{ role: 'user', content: 'canary-of-the-prompt' }],
      }),
    });
    expect(response.status).toBe(200);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);

    const metrics = await ask('/metrics');
    expect(metrics).toContain('tramontane_model_device{model="a",device="cpu"} 1');
    expect(metrics).toContain(`tramontane_model_left_device{model="a",device="cuda",reason="its process ended`);
    const [, running] = await checkGpu(config, standIn.environment);
    expect(running).toEqual({
      name: 'gpu',
      status: 'warn',
      what: expect.stringContaining(`the running server computes a on the CPU: ${FAILED}`),
      fix: expect.stringContaining('restart the server'),
    });
    expect(server.logs.join('')).toContain('CUDA error: the provided PTX was compiled with an unsupported toolchain.');
    expect(server.logs.join('')).not.toContain('canary-of-the-prompt');
  });

  test('a GPU that computes again is named beside the model that left it', async () => {
    standIn.order(undefined);
    const [found, running] = await checkGpu(config, standIn.environment);
    expect(found).toEqual({ name: 'gpu', status: 'ok', what: 'Stand-in GPU by CUDA, 8.0 of 8.0 GiB free' });
    expect(running).toMatchObject({
      status: 'warn',
      what: expect.stringContaining('computes a on the CPU: CUDA failed'),
    });
  });
});
