import type { SandboxLimits, SandboxRequest, SandboxResult } from '../sandbox.ts';
import type { PythonFiles } from './find-python.ts';

/** What the engine and a child say to each other. A child has one run at a time, so no message needs a number. */
export type ChildSettings = { files: PythonFiles; limits: SandboxLimits };

export type ToChild = SandboxRequest;

export type FromChild =
  | { kind: 'ready' }
  /** `isSpent`: its memory grew, so it ends itself and gives the memory back. */
  | { kind: 'result'; result: SandboxResult; isSpent: boolean };
