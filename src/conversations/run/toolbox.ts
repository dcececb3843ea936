import type { Scope } from '../../kit/http/index.ts';
import type { OutputContentChunk } from '../schema/entries.ts';
import type { Speaker } from '../schema/run.ts';

/** `signal` ends the tool when the run ends. */
export type ToolUse = { callId: string; arguments: Record<string, unknown>; caller: Scope; signal: AbortSignal };

/** `text` is for the model, `info` for the entry, `chunks` for the next message. */
export type ToolResult = { text: string; info: Record<string, unknown>; chunks: OutputContentChunk[] };

/** A function that the model may call and the server runs. */
export type ServerTool = {
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  /** The client must allow each call. */
  needsConfirmation: boolean;
  /** It is of this connector. */
  connector?: string;
  /** Throws an ApiError whose message the model and the client may read. */
  run(use: ToolUse): Promise<ToolResult>;
};

/** A connector that cannot be used now. The run continues, and an entry under this name says why. */
export type Trouble = { name: string; message: string };

export type Toolbox = {
  tools: ServerTool[];
  troubles: Trouble[];
  /** For the model, in addition to the speaker's own instructions. */
  instructions: string[];
  /** The skills that may be loaded, for the response header: `name@3=sha256:…`. */
  skills: string[];
  close(): Promise<void>;
};

/** Opens the tools and skills of a speaker, or refuses. Tools of type function are the client's own. */
export type OpenTools = (speaker: Pick<Speaker, 'tools' | 'skills'>, caller: Scope) => Promise<Toolbox>;
