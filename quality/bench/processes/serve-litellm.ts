import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { answer } from './answer.ts';

// LiteLLM's proxy in one process, with one key and no database; it exits with this process.
const START_MS_MAX = 120_000;
const KEY = 'sk-bench';

async function serve(upstreamPort: number): Promise<{ port: number; key: string; startMs: number; pid: number }> {
  const program = process.env.TRAMONTANE_TEST_LITELLM;
  if (!program) throw new Error("TRAMONTANE_TEST_LITELLM must name LiteLLM's program (pip install 'litellm[proxy]').");
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  const dir = mkdtempSync(join(tmpdir(), 'tramontane-litellm-'));
  const config = join(dir, 'config.yaml');
  writeFileSync(
    config,
    `model_list:
  - model_name: bench
    litellm_params: { model: openai/bench, api_base: "http://127.0.0.1:${upstreamPort}/v1", api_key: none }
litellm_settings: { telemetry: false, set_verbose: false }
general_settings: { master_key: ${KEY} }
`,
  );
  const args = ['--config', config, '--host', '127.0.0.1', '--port', String(port), '--num_workers', '1'];
  const startedAt = performance.now();
  const child = spawn(program, args, { stdio: 'inherit', env: { PATH: process.env.PATH ?? '', HOME: dir } });
  for (const event of ['exit', 'disconnect'] as const)
    process.on(event, () => {
      child.kill('SIGKILL');
      rmSync(dir, { recursive: true, force: true });
    });
  process.once('SIGTERM', () => process.exit());
  for (const until = Date.now() + START_MS_MAX; Date.now() < until; await delay(100)) {
    const response = await fetch(`http://127.0.0.1:${port}/health/liveliness`).catch(() => undefined);
    if (response?.ok) return { port, key: KEY, startMs: performance.now() - startedAt, pid: child.pid ?? 0 };
  }
  throw new Error('LiteLLM did not start.');
}

let served: ReturnType<typeof serve> | undefined;
answer({ address: (upstreamPort: number) => (served ??= serve(upstreamPort)) });
