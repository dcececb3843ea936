import type { Logger } from '../../kit/base/log.ts';
import { ApiError } from '../../kit/http/index.ts';
import type { Delta } from '../engine.ts';
import { NATIVE_LIBRARIES } from '../process/environment.ts';
import { superviseChild } from '../process/supervise-child.ts';
import { GPU_VARIABLES, LLAMA_CHILD, threadsDefault } from './engine.ts';
import type { FoundDevice, LlamaRequest, ProbeSettings } from './protocol.ts';

const DIED = 'The process that opened the GPU ended unexpectedly; its driver may be at fault.';

/** Opens the runtime once in a child process, as a model would. Returns what it computes with, or why it cannot. */
export async function findDevice(options: {
  gpuDir: string;
  environment: Record<string, string | undefined>;
  log: Logger;
}): Promise<FoundDevice | { failure: string }> {
  const { gpuDir, environment, log } = options;
  const child = superviseChild<ProbeSettings, LlamaRequest, Delta>({
    name: 'probe',
    subject: 'The llama.cpp runtime',
    log,
    entry: LLAMA_CHILD,
    variables: [...NATIVE_LIBRARIES, ...GPU_VARIABLES],
    environment,
    isStderrIgnored: true,
    settings: { isProbe: true, gpu: 'auto', gpuDir, threads: threadsDefault() },
  });
  try {
    await child.warm();
    return child.facts() as FoundDevice;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'engine_stopped') return { failure: DIED };
    return { failure: error instanceof Error ? error.message : String(error) };
  } finally {
    await child.close();
  }
}
