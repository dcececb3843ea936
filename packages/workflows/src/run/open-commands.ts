import type { Json } from '../protocol.ts';

/** A command whose outcome the code waits for. */
export type OpenCommand = {
  kind: 'step' | 'local' | 'timer' | 'child' | 'signal';
  name: string;
  /** For a child: whether its start is the outcome, or its end. */
  until?: 'started' | 'ended';
  settle(outcome: Outcome): void;
};

export type Outcome = { value: Json | undefined } | { error: Error };
