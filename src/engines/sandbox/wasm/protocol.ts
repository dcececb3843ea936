import type { SandboxLimits, SandboxResult } from '../sandbox.ts';
import type { PythonFiles } from './find-python.ts';

export type WasmSettings = { files: PythonFiles; limits: SandboxLimits };

/** `memoryBytes`: how far the memory of this run grew. */
export type WasmResult = { result: SandboxResult; memoryBytes: number };
