import type { OutputContentChunk } from '../schema/entries.ts';
import type { Caller, Speaker } from '../schema/run.ts';

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

/** Something that was asked for and is not to be had now. The run goes on, and an entry under this name says why. */
export type Trouble = { name: string; message: string };

export type Toolbox = {
  tools: ServerTool[];
  troubles: Trouble[];
  /** What the model is told beside its own instructions. */
  instructions: string[];
  /** The skills that may be loaded, for the answer's header: `name@3=sha256:…`. */
  skills: string[];
  close(): Promise<void>;
};

/** Makes the tools and skills that a speaker has usable, or refuses with a sentence. Functions are the client's own. */
export type OpenTools = (speaker: Pick<Speaker, 'tools' | 'skills'>, caller: Caller) => Promise<Toolbox>;
