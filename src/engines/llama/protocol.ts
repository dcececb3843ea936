import type { ChatRequest, Delta, FimRequest } from '../engine.ts';

/** What the child needs to know to begin. */
export type ChildOptions = {
  file: string;
  adapter?: string;
  contextTokens?: number;
  sequences: number;
  threads: number;
  gpu: 'auto' | false;
};

/** `scratchDirectory` is where sequences are copied through; the parent removes it when the child is gone. */
export type StartOptions = ChildOptions & { scratchDirectory: string };

export type ChildRequest = { type: 'chat'; request: ChatRequest } | { type: 'fim'; request: FimRequest };

export type ToChild =
  | { type: 'start'; options: StartOptions }
  | (ChildRequest & { id: number })
  | { type: 'cancel'; id: number }
  /** Asks for a sign of life. */
  | { type: 'ping' };

export type ModelFacts = { contextTokens: number; trainedContextTokens: number; canFillIn: boolean };

export type ToParent =
  | { type: 'ready'; facts: ModelFacts }
  /** The child cannot serve and ends by itself. The reason is for clients, the detail for the log. */
  | { type: 'failed'; reason: string; detail: string }
  /** Everything that came into being together, so a step costs one message however many requests it served. */
  | { type: 'deltas'; items: [id: number, deltas: Delta[]][] }
  | { type: 'end'; id: number }
  | { type: 'error'; id: number; status: number; message: string }
  | { type: 'log'; message: string }
  /** The number of what native code has in hand: it moves as the work does, and is missing when there is none. */
  | { type: 'pong'; work: number | undefined };
