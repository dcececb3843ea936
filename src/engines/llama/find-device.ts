import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hexId } from '../../kit/base/ids.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Delta, LeftDevice } from '../engine.ts';
import { NATIVE_LIBRARIES } from '../process/environment.ts';
import { superviseChild } from '../process/supervise-child.ts';
import { GPU_VARIABLES, LLAMA_CHILD, threadsDefault } from './engine.ts';
import { createDeviceWatch } from './leave-devices.ts';
import type { FoundDevice, LlamaRequest, ProbeSettings } from './protocol.ts';

/**
 * Opens the runtime in a child process as a model would, and lets its GPU compute. Returns what a model would run on, or why
 * there is nothing, and the GPUs that failed.
 */
export async function findDevice(options: {
  gpuDir: string;
  environment: Record<string, string | undefined>;
  log: Logger;
  trialMs?: number;
}): Promise<{ device: FoundDevice; left: LeftDevice[] } | { failure: string; left: LeftDevice[] }> {
  const { gpuDir, environment, log, trialMs } = options;
  const name = 'probe';
  const { left, kinds, watching } = createDeviceWatch({ name, log, environment });
  const scratchDirectory = join(tmpdir(), `tramontane-probe-${hexId()}`);
  const child = superviseChild<ProbeSettings, LlamaRequest, Delta>({
    name,
    subject: 'The llama.cpp runtime',
    log,
    entry: LLAMA_CHILD,
    variables: [...NATIVE_LIBRARIES, ...GPU_VARIABLES],
    settings: {
      isProbe: true,
      gpu: 'auto',
      left: kinds,
      gpuDir,
      threads: threadsDefault(),
      scratchDirectory,
      ...(trialMs === undefined ? {} : { trialMs }),
    },
    ...watching,
  });
  try {
    await child.warm();
    return { device: child.facts() as FoundDevice, left };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error), left };
  } finally {
    await child.close();
    rmSync(scratchDirectory, { recursive: true, force: true });
  }
}
