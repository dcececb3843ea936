import type { Config } from '../config/config.ts';
import { createBubblewrapSandbox, createWasmSandbox, type Sandbox } from '../engines/index.ts';
import type { Logger } from '../kit/base/log.ts';
import type { QueueMetrics } from '../kit/http/index.ts';

const KIBIBYTE = 1024;
const MEBIBYTE = 1024 * KIBIBYTE;

/** The sandbox for code of models; undefined when the operator turned it off. It starts with the first program. */
export function openSandbox(
  { file: { code_interpreter: given } }: Config,
  log: Logger,
  watch?: QueueMetrics,
): Sandbox | undefined {
  const { concurrency, per_organization: perTenantMax, bubblewrap, python, python_paths: paths } = given;
  const limits = {
    timeMs: given.timeout_seconds * 1000,
    memoryBytes: given.memory_mib * MEBIBYTE,
    outputBytes: given.output_limit_kib * KIBIBYTE,
    filesMax: given.files_max,
    fileBytes: given.file_limit_mib * MEBIBYTE,
  };
  const queue = { concurrency, perTenantMax, watch: watch?.('code_interpreter') };
  switch (given.engine) {
    case 'off':
      return undefined;
    case 'bubblewrap':
      return createBubblewrapSandbox({ ...queue, limits, bubblewrap, python, paths });
    case 'wasm':
      return createWasmSandbox({ ...queue, limits, log });
  }
}
