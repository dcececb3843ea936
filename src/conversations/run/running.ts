import type { ChatService, Turn } from '../../chat/index.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import type { OutputContentChunk } from '../schema/entries.ts';
import type { Noted } from '../schema/memo.ts';
import type { Progress, RunTask, Speaker } from '../schema/run.ts';
import type { Journal } from './journal.ts';
import type { Toolbox } from './tools.ts';

export type RunPorts = {
  chat: Pick<ChatService, 'openTurn'>;
  now: Clock;
  /** The agent that a handoff goes to. */
  findSpeaker(task: RunTask, agentId: string): Promise<Speaker>;
  openToolbox(speaker: Speaker, task: RunTask): Promise<Toolbox>;
};

/** A run on its way. Its steps change it, and commit what they changed before the next step begins. */
export type Running = {
  ports: RunPorts;
  task: RunTask;
  journal: Journal;
  signal: AbortSignal;
  /** All that was said so far, the client's new inputs included. */
  history: Noted[];
  progress: Progress;
  speaker: Speaker;
  toolbox: Toolbox;
  /** Files and sources that tools left for the next message. */
  chunks: OutputContentChunk[];
  servedBy: string | undefined;
  /** The first turn, where it was admitted before anything was stored. */
  turn: Turn | undefined;
};

export function stamp({ ports }: Running): string {
  return isoMicros(ports.now);
}

/** Where an event belongs: the output of this number, under the id of its entry. */
export function placeOf(run: Running, id: string) {
  return { created_at: stamp(run), output_index: run.progress.outputs, id };
}

/** Who spoke: the model that really served, whatever name it was asked for by. */
export function authorOf({ speaker, servedBy }: Running) {
  return { model: servedBy ?? speaker.model, agent_id: speaker.agent?.id ?? null };
}

export async function keep(run: Running, entries: Noted[]): Promise<void> {
  run.history.push(...entries);
  await run.journal.commit({ entries, progress: run.progress });
}

export function keepWithEnd(run: Running, entries: Noted[]): void {
  run.history.push(...entries);
  run.journal.hold(entries);
}
