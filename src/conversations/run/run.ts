import type { ChatService, Turn } from '../../chat/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { RecordSpan } from '../../metering/index.ts';
import type { Authority } from '../../tenants/index.ts';
import type { OutputContentChunk, StoredEntry } from '../schema/entries.ts';
import type { OutputEvent } from '../schema/responses.ts';
import type { Outcome, Progress, RunTask, Speaker } from '../schema/run.ts';
import type { OpenTools, Toolbox } from './toolbox.ts';

export type RunPorts = {
  chat: Pick<ChatService, 'openTurn'>;
  openTools: OpenTools;
  authority: Pick<Authority, 'scopeOf' | 'follow'>;
  now: Clock;
  recordSpan?: RecordSpan | undefined;
  /** The agent that a handoff goes to. */
  loadAgent(caller: Scope, agentId: string): Promise<Speaker>;
  /** Throws when the agent was deleted, or the caller may not use it any more. */
  requireAgent(caller: Scope, agent: NonNullable<Speaker['agent']>): Promise<unknown>;
};

/** A run in this process. Each step commits what it changed before the next one begins. */
export type Run = {
  ports: RunPorts;
  task: RunTask;
  journal: Journal;
  signal: AbortSignal;
  /** All entries so far, the client's new inputs included. */
  history: StoredEntry[];
  progress: Progress;
  speaker: Speaker;
  toolbox: Toolbox;
  /** The model that served the newest turn, and its agent. */
  author: { model: string; agent_id: string | null };
  /** Files and sources of tools for the next message. */
  chunks: OutputContentChunk[];
  /** The first turn, if it was admitted before anything was stored. */
  turn: Turn | undefined;
};

/** Where a run writes its entries and events. */
export type Journal = {
  /** Shows an event of the current output soon, and at the latest with the next commit. */
  emit(event: NewOutputEvent): void;
  /** Appends entries. Throws RunGone when the conversation was deleted or another process has the run. */
  commit(entries: StoredEntry[]): Promise<void>;
  /** Appends the run's last entries, which are committed together with its end. */
  hold(entries: StoredEntry[]): void;
  /** `at` is when the conversation changed last. */
  end(outcome: Outcome, at: string): Promise<void>;
};

/** The journal adds the time and the number of the output. */
export type NewOutputEvent = WithoutPosition<OutputEvent>;
type WithoutPosition<Event> = Event extends unknown ? Omit<Event, 'created_at' | 'output_index'> : never;
