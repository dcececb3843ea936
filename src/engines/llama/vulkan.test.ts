import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { isFull } from '../../../test/support/rounds.ts';
import { createLog } from '../../kit/base/log.ts';
import { installGpu } from '../gpu/index.ts';
import { vulkanDriver } from '../gpu/vulkan-for-tests.ts';
import { ask, never } from './ask-for-tests.ts';
import { createLlamaEngine, findDevice } from './index.ts';
import { chatWeights } from './weights-for-tests.ts';

const gpuDir = join(tmpdir(), 'tramontane-test-gpu');
const log = createLog('silent');
// With this llama.cpp uses a driver that emulates a GPU as well.
const environment = { GGML_VK_VISIBLE_DEVICES: '0', ...process.env };

async function isReady(): Promise<boolean> {
  // Compiling its shaders takes an emulated GPU a minute.
  if (!vulkanDriver || !chatWeights || !isFull) return false;
  try {
    await installGpu({ gpuDir, kind: 'vulkan', environment, cwd: tmpdir(), signal: AbortSignal.timeout(300_000) });
    const found = await findDevice({ gpuDir, environment, log });
    return 'kind' in found && found.kind === 'vulkan';
  } catch (error) {
    process.stderr.write(`Tests with a Vulkan driver are skipped: ${String(error)}\n`);
    return false;
  }
}

const engine = createLlamaEngine({
  name: 'small',
  file: chatWeights ?? '',
  log,
  contextTokens: 512,
  sequences: 1,
  gpu: 'auto',
  gpuDir,
  environment,
});
afterAll(() => engine.close());

describe.skipIf(!(await isReady()))(
  'a Vulkan driver, real weights and the installed engine',
  { timeout: 300_000 },
  () => {
    test('the model runs on the device, which it names with its memory and its layers', async () => {
      const { choices } = await engine.complete(ask('Say hello.', { maxTokens: 8, temperature: 0 }), never);
      expect(choices[0]?.text).toMatch(/\w/);
      const device = engine.device?.();
      expect(device).toMatchObject({ kind: 'vulkan', note: null });
      expect(device?.names.length).toBeGreaterThan(0);
      expect(device?.memoryBytes).toBeGreaterThan(0);
      expect(device?.gpuLayers).toBeGreaterThan(0);
      expect(device?.gpuLayers).toBeLessThanOrEqual(device?.layers ?? 0);
    });
  },
);
