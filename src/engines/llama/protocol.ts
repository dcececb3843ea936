import type { ChatRequest, FimRequest } from '../engine.ts';

/** Sequences are copied through `scratchDirectory`, which the child creates and both sides delete. */
export type LlamaSettings = {
  file: string;
  adapter?: string;
  contextTokens?: number;
  sequences: number;
  threads: number;
  gpu: 'auto' | false;
  scratchDirectory: string;
};

export type LlamaRequest = { type: 'chat'; request: ChatRequest } | { type: 'fim'; request: FimRequest };

export type ModelFacts = { contextTokens: number; trainedContextTokens: number; canFillIn: boolean };
