import { existsSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { hexId } from '../../kit/base/ids.ts';
import { codeFile } from '../../kit/base/locations.ts';
import type { Logger } from '../../kit/base/log.ts';
import { addLogprobs } from '../add-logprobs.ts';
import type { Delta, Engine, Tally } from '../engine.ts';
import { engineErrors } from '../errors.ts';
import { NATIVE_LIBRARIES } from '../process/environment.ts';
import { superviseChild } from '../process/supervise-child.ts';
import type { Patience } from '../process/watch-child.ts';
import { tallyDeltas } from '../tally-deltas.ts';
import { collectCompletion } from './collect-completion.ts';
import { createDeviceWatch } from './leave-devices.ts';
import { GPU_TITLES, type LlamaRequest, type LlamaSettings, type ModelFacts } from './protocol.ts';
import { createRefusals } from './remember-refusals.ts';
import { requestInnocently } from './request-innocently.ts';
import { createShares } from './tenant-shares.ts';

export const LLAMA_CHILD = codeFile('engines/llama/child.ts');

/** Which GPUs are used and where their drivers are. */
export const GPU_VARIABLES = [
  'PATH',
  'CUDA_HOME',
  'CUDA_PATH',
  'CUDA_VISIBLE_DEVICES',
  'CUDA_DEVICE_ORDER',
  'CUDA_CACHE_PATH',
  'NVIDIA_VISIBLE_DEVICES',
  'HIP_VISIBLE_DEVICES',
  'ROCR_VISIBLE_DEVICES',
  'HSA_OVERRIDE_GFX_VERSION',
  'GGML_VK_VISIBLE_DEVICES',
  'GGML_METAL_DEVICES',
  'GGML_NO_BACKTRACE',
  'VK_ICD_FILENAMES',
  'VK_DRIVER_FILES',
  'VK_ADD_DRIVER_FILES',
  'VK_LOADER_DRIVERS_SELECT',
  'XDG_DATA_DIRS',
  // Where Windows keeps its drivers.
  'SYSTEMROOT',
  'WINDIR',
  'PROGRAMFILES',
  'PROGRAMW6432',
];

export type LlamaOptions = {
  /** What clients call the model; only for messages. */
  name: string;
  /** A GGUF file, and a LoRA adapter on top of it where there is one. */
  file: string;
  adapter?: string;
  log: Logger;
  /** Tokens of one conversation, prompt and completion together; memory is reserved for `sequences` times as many. */
  contextTokens?: number;
  /** Completions generated at the same time. */
  sequences?: number;
  /** Requests that may wait for a sequence before new ones are refused. */
  queueMax?: number;
  threads?: number;
  gpu?: 'auto' | false;
  /** For comparisons only: nothing is foreseen, and each token is a step of its own; the attention as it was before. */
  isPlain?: boolean;
  flashAttention?: false;
  /** For comparisons too: the weights are read in the format that their file has. */
  keepsWeights?: true;
  /** Where the operator's GPU packages are. */
  gpuDir?: string;
  /** The server's environment; the child gets only what a GPU driver needs. */
  environment?: Record<string, string | undefined>;
  patience?: Partial<Patience>;
  /** How long a GPU may take to open, and for each step of its trial. */
  trialMs?: number;
};

export type LlamaEngine = Engine & {
  /** Loads the model before the first request needs it. */
  warm(): Promise<void>;
  /** Known once the model is loaded. */
  facts(): ModelFacts | undefined;
  processId(): number | undefined;
};

const FIRST_GUESS_MS = 2000;

/** One core is left to the server. */
export function threadsDefault(): number {
  return Math.max(1, availableParallelism() - 1);
}

/** A GGUF model in a process of its own, many completions at a time. */
export function createLlamaEngine(options: LlamaOptions): LlamaEngine {
  const { name, file, adapter, log, sequences = 8, queueMax = 64 } = options;
  const scratchDirectory = join(tmpdir(), `tramontane-llama-${hexId()}`);
  const { left, kinds, watching } = createDeviceWatch({ name, log, environment: options.environment });
  const settings: LlamaSettings = {
    file,
    sequences,
    threads: options.threads ?? threadsDefault(),
    gpu: options.gpu ?? false,
    left: kinds,
    scratchDirectory,
    ...(options.trialMs === undefined ? {} : { trialMs: options.trialMs }),
    ...(options.gpuDir === undefined ? {} : { gpuDir: options.gpuDir }),
    ...(adapter === undefined ? {} : { adapter }),
    ...(options.isPlain ? { isPlain: true } : {}),
    ...(options.flashAttention === false ? { flashAttention: false } : {}),
    ...(options.keepsWeights ? { keepsWeights: true } : {}),
    ...(options.contextTokens === undefined ? {} : { contextTokens: options.contextTokens }),
  };
  const child = superviseChild<LlamaSettings, LlamaRequest, Delta>({
    name,
    subject: `The model '${name}'`,
    log,
    entry: LLAMA_CHILD,
    variables: [...NATIVE_LIBRARIES, ...GPU_VARIABLES],
    patience: options.patience,
    findObstacle() {
      if (!existsSync(file)) return `The weights of '${name}' are not on this machine. Ask the operator to pull them.`;
      if (adapter !== undefined && !existsSync(adapter))
        return `The adapter of '${name}' is not on this machine. Ask the operator to add it again.`;
      return undefined;
    },
    failed: (cause) => engineErrors.generation_failed({ cause }),
    settings,
    ...watching,
  });
  let averageMs = FIRST_GUESS_MS;
  const shares = createShares(`the model '${name}'`, sequences + queueMax);
  const refusals = createRefusals();

  const run = (asked: LlamaRequest, signal: AbortSignal, tally: Tally | undefined) =>
    tallyDeltas(generate(asked, signal), asked.request, signal, tally);

  async function* generate(request: LlamaRequest, signal: AbortSignal): AsyncGenerator<Delta[]> {
    signal.throwIfAborted();
    const waitSeconds = (averageMs * (child.pending() - sequences + 1)) / sequences / 1000;
    refusals.check(request);
    child.admit(sequences + queueMax, waitSeconds);
    const release = shares.take(request.request.tenant, request.request.choices, Math.max(1, waitSeconds));
    const startedAt = performance.now();
    try {
      yield* requestInnocently(child, request, signal, { join: joinText });
    } catch (error) {
      refusals.note(request, error);
      throw error;
    } finally {
      release();
    }
    averageMs = averageMs * 0.8 + (performance.now() - startedAt) * 0.2;
  }

  const facts = () => child.facts() as ModelFacts | undefined;

  return {
    complete: (request, signal, tally) =>
      collectCompletion(run({ type: 'chat', request }, signal, tally), request.choices),
    stream: (request, signal, tally) => run({ type: 'chat', request }, signal, tally),
    completeFim: (request, signal, tally) =>
      collectCompletion(run({ type: 'fim', request }, signal, tally), request.choices),
    streamFim: (request, signal, tally) => run({ type: 'fim', request }, signal, tally),
    async countPrompt(request, signal) {
      const asked = { ...request, maxTokens: 0, choices: 1 };
      delete asked.promptLogprobs;
      delete asked.minTokens;
      for await (const deltas of generate({ type: 'chat', request: asked }, signal))
        for (const delta of deltas) if (delta.kind === 'usage') return delta.usage.promptTokens;
      return undefined;
    },
    warm: child.warm,
    state: child.state,
    facts,
    device() {
      const device = facts()?.device;
      if (!device || left.length === 0) return device;
      const notes = left.map(
        ({ kind, reason }) => `${GPU_TITLES[kind]} failed and is left until the next start: ${reason}.`,
      );
      return { ...device, note: [...notes, device.note ?? []].flat().join(' '), left };
    },
    processId: child.pid,
    async close() {
      await child.close();
      rmSync(scratchDirectory, { recursive: true, force: true });
    },
  };
}

/** Joins neighbouring pieces of text, so that a slow reader costs no more memory than the text itself. */
function joinText(last: Delta, delta: Delta): Delta | undefined {
  if (!isText(last) || !isText(delta) || last.kind !== delta.kind || last.choice !== delta.choice) return undefined;
  const joined = { ...last, text: last.text + delta.text };
  addLogprobs(joined, delta);
  return joined;
}

function isText(delta: Delta): delta is Extract<Delta, { text: string }> {
  return delta.kind === 'text' || delta.kind === 'thinking';
}
