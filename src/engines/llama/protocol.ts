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

/** `gpuDir` is where the operator's GPU packages are; without it only those beside node-llama-cpp are found. */
export type RuntimeSettings = { gpu: 'auto' | false; gpuDir?: string; threads: number };

/** Opens the runtime without a model, to say what it would compute with. */
export type ProbeSettings = RuntimeSettings & { isProbe: true };

export type LlamaRequest = { type: 'chat'; request: ChatRequest } | { type: 'fim'; request: FimRequest };

export type ModelFacts = {
  contextTokens: number;
  trainedContextTokens: number;
  canFillIn: boolean;
  device: EngineDevice;
};

/** What the runtime computes with. */
export type FoundDevice = Pick<EngineDevice, 'kind' | 'names' | 'memoryBytes' | 'freeBytes'>;
