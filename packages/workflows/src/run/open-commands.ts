import type { Json } from '../protocol.ts';

/** A command with a pending outcome. */
export type OpenCommand = {
  kind: 'step' | 'local' | 'timer' | 'child' | 'signal';
  name: string;
  /** For a child: whether the outcome is its start or its end. */
  until?: 'started' | 'ended';
  settle(outcome: Outcome): void;
};

export type Outcome = { value: Json | undefined } | { error: Error };
