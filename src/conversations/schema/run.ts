import type { AgentTool, CompletionArgs } from '../../chat/index.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { ConversationUsageInfo } from './responses.ts';
import type { Guardrails } from './settings.ts';

/** Who asked, in a form that can be stored. */
export type Caller = Omit<Scope, 'permissions'> & { permissions: string[] };

/** All that a run needs to begin, or to be taken up by another process. */
export type RunTask = {
  caller: Caller;
  requestId: string;
  streams: boolean;
  handoffExecution: 'client' | 'server';
  /** Laid over what the conversation or the agent has. */
  completionArgs: CompletionArgs | null;
  /** Why the run was made; a failed start leaves nothing behind. */
  began: 'start' | 'append' | 'restart';
  /** What they found in the first question. */
  guardrails: Record<string, unknown>[] | null;
  /** The position of the first input, where a run that fails before its first output takes them back. */
  takeBackFrom: number | null;
};

/** A call that the server runs itself. `started` is committed before the tool is, so that none runs twice. */
export type PendingCall = { id: string; name: string; arguments: string; entryId: string; started: boolean };

/** Committed with every entry: where a run stands. */
export type Progress = {
  turns: number;
  outputs: number;
  usage: ConversationUsageInfo;
  pending: PendingCall[];
  /** Who speaks now, where an agent has handed over. */
  agentId: string | null;
  handoffs: number;
};

export type Outcome =
  | { error: { status: number; message: string; type: string; code: string | null } }
  | { error: null };

export type RunState = 'running' | 'done' | 'failed';

/** Who answers: a model with the conversation's settings, or an agent. */
export type Speaker = {
  agent: { id: string; name: string; version: number } | null;
  model: string;
  instructions: string | null;
  tools: AgentTool[];
  completionArgs: CompletionArgs;
  guardrails: Guardrails | null;
  /** Values for the placeholders of a prompt, where one is the model. */
  variables: unknown;
  handoffs: { id: string; name: string; description: string | null }[];
  /** An agent's skills, as `name`, `name@3` or `name@alias`. */
  skills: string[];
};
