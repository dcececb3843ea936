import type { AgentTool } from '../../chat/index.ts';
import type { OutputContentChunk } from '../schema/entries.ts';
import type { Caller } from '../schema/run.ts';

/** What a tool of the server is told. `signal` ends it when the run ends. */
export type ToolUse = { callId: string; arguments: Record<string, unknown>; caller: Caller; signal: AbortSignal };

/** `text` is for the model, `info` for the entry, `chunks` for the next message. */
export type ToolResult = { text: string; info: Record<string, unknown>; chunks: OutputContentChunk[] };

/** A function that the model may call and the server runs. */
export type ServerTool = {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  /** Asked of the client before each call. */
  needsConfirmation: boolean;
  /** Throws an ApiError whose sentence the model and the client may read. */
  run(use: ToolUse): Promise<ToolResult>;
};

export type Toolbox = { tools: ServerTool[]; close(): Promise<void> };

/** Makes the tools that a request names usable, or refuses with a sentence. Functions are the client's own. */
export type OpenTools = (tools: readonly AgentTool[], caller: Caller, signal: AbortSignal) => Promise<Toolbox>;
