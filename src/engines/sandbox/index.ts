export { createBubblewrapSandbox } from './bubblewrap/engine.ts';
export { type Program, type ProgramOptions, startProgram } from './bubblewrap/program.ts';
export type { Sandbox, SandboxFile, SandboxLimits, SandboxRequest, SandboxResult } from './sandbox.ts';
export { createWasmSandbox } from './wasm/engine.ts';
