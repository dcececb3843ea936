/** What the engine and its child process say to each other. */
export type ToChild =
  | { kind: 'embed'; id: number; texts: string[] }
  /** Only counts tokens. */
  | { kind: 'count'; id: number; texts: string[] }
  /** Nobody waits for this one any more. */
  | { kind: 'cancel'; id: number }
  /** Asks for a sign of life. */
  | { kind: 'ping' };

export type FromChild =
  | { kind: 'ready' }
  | { kind: 'pong' }
  /** The model cannot be loaded; the process ends itself after this. */
  | { kind: 'unusable'; reason: string }
  /** All vectors in one array, in the order of the texts. */
  | { kind: 'embedded'; id: number; vectors: Float32Array; tokens: number[] }
  | { kind: 'counted'; id: number; tokens: number[] }
  | { kind: 'broken'; id: number; reason: string };

/** Arguments of the child process, as JSON in its first one. */
export type ChildSettings = { modelFile: string; tokenizerFile: string; threads: number };
