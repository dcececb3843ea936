import type { ChatRequest, EngineDevice, FimRequest } from '../engine.ts';

/** Sequences are copied through `scratchDirectory`, which the child creates and both sides delete. */
export type LlamaSettings = {
  file: string;
  adapter?: string;
  contextTokens?: number;
  sequences: number;
  scratchDirectory: string;
  /** For comparisons: one token in each step, chosen from the whole vocabulary. */
  isPlain?: boolean;
  flashAttention?: false;
  keepsWeights?: true;
} & RuntimeSettings;

export type GpuName = Exclude<EngineDevice['kind'], 'cpu'>;

export const GPU_TITLES = { cuda: 'CUDA', vulkan: 'Vulkan', metal: 'Metal' } as const satisfies Record<GpuName, string>;

/** `gpuDir` is where the operator's GPU packages are; without it only those beside node-llama-cpp are found. */
export type RuntimeSettings = {
  gpu: 'auto' | false;
  /** GPUs that failed before in this process of the server. */
  left: GpuName[];
  gpuDir?: string;
  threads: number;
  /** How long a GPU may take to open, and for each step of its trial. */
  trialMs?: number;
};

/** Tries the device with a model of its own, to say what a model would compute with. */
export type ProbeSettings = RuntimeSettings & { isProbe: true; scratchDirectory: string };

/** What is told while it loads: which GPU it uses from now on, and that it tries it. */
export type LoadingFacts = { device: GpuName; isTried?: true };

export type LlamaRequest = { type: 'chat'; request: ChatRequest } | { type: 'fim'; request: FimRequest };

export type ModelFacts = {
  contextTokens: number;
  trainedContextTokens: number;
  canFillIn: boolean;
  device: EngineDevice;
};

/** What the runtime computes with. */
export type FoundDevice = Pick<EngineDevice, 'kind' | 'names' | 'memoryBytes' | 'freeBytes'>;
