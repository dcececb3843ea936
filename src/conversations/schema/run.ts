import type { AgentTool, CompletionArgs } from '../../chat/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { SpanPlace } from '../../metering/index.ts';
import type { ConversationUsageInfo } from './responses.ts';
import type { Guardrails } from './settings.ts';

/** Who began the run. The permissions are only for the previous version, which reads them; they are not used here. */
export type Caller = Omit<Scope, 'permissions'> & { permissions: string[] };

/** What a run needs to start, or to continue in another process. */
export type RunTask = {
  caller: Caller;
  requestId: string;
  /** Runs that an older program began have none. */
  conversationId?: string;
  streams: boolean;
  handoffExecution: 'client' | 'server';
  /** Override those of the conversation or the agent. */
  completionArgs: CompletionArgs | null;
  /** A failed start or restart leaves no conversation behind. */
  began: 'start' | 'append' | 'restart';
  /** Their results for the first model request. */
  guardrails: Record<string, unknown>[] | null;
  /** Where the client's inputs begin: deleted when the run fails before its first output. Null keeps them. */
  takeBackFrom: number | null;
  /** False if the model may call one tool at a time only. */
  parallelToolCalls?: boolean;
  /** Its span. Runs that an older program began have none. */
  place?: SpanPlace;
  /** The client said `store: false`. */
  isPrivate?: boolean;
};

/** A call that the server runs. `started` is committed before the tool runs, so that no call runs twice. */
export type PendingCall = { id: string; name: string; arguments: string; entryId: string; started: boolean };

/** How far a run is; committed with every entry. */
export type Progress = {
  turns: number;
  outputs: number;
  usage: ConversationUsageInfo;
  pending: PendingCall[];
  /** The agent that a handoff made the current one. */
  agentId: string | null;
  handoffs: number;
};

/** Rows of older programs do not tell when they ended. */
export type Outcome = { error: RunError | null; endedMs?: number; isCancelled?: true };

/** What makes a run a stored response. */
export type RunResponse = {
  previous_id: string | null;
  background: boolean;
  /** What it was asked for, in the words of whoever shows it. */
  request: Record<string, unknown>;
  /** The position of the first of its inputs in the conversation. */
  input_from: number;
};

/** Rows of older programs have no `wireCode`: there it is the same as `code`. */
export type RunError = {
  status: number;
  message: string;
  type: string;
  code: string | null;
  wireCode?: string | null;
};

export type RunState = 'running' | 'done' | 'failed';

/** What generates the replies: a model with the conversation's settings, or an agent. */
export type Speaker = {
  agent: { id: string; name: string; version: number } | null;
  model: string;
  instructions: string | null;
  tools: AgentTool[];
  completionArgs: CompletionArgs;
  guardrails: Guardrails | null;
  /** Values for the placeholders, if the model is a prompt. */
  variables: unknown;
  handoffs: { id: string; name: string; description: string | null }[];
  /** As `name`, `name@3` or `name@alias`. */
  skills: string[];
};
