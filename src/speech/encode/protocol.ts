import type { Format } from '../schema/speech.ts';

/** What the thread is asked; only `encode` and `finish` are answered, in their order. */
export type Ask = { id: number } & (
  | { kind: 'open'; format: Format; sampleRate: number }
  | { kind: 'encode'; samples: Float32Array }
  | { kind: 'finish' }
  | { kind: 'close' }
);

export type Reply = { id: number } & ({ bytes: Uint8Array; head?: Uint8Array } | { error: string });
