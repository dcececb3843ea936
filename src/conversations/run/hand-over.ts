import type { EntryOf } from '../schema/entries.ts';
import type { PendingCall } from '../schema/run.ts';
import { handoffName } from './ask-model.ts';
import { refuse } from './execute.ts';
import { HANDOFFS_MAX } from './limits.ts';
import { keep, placeOf, type Running, stamp } from './running.ts';

export function isHandoff({ speaker }: Running, call: PendingCall): boolean {
  return speaker.handoffs.some((agent) => handoffName(agent) === call.name);
}

/** Lets the next agent speak. False when the client wants to see to that itself. */
export async function handOver(run: Running, call: PendingCall): Promise<boolean> {
  const { progress, journal, task } = run;
  const next = run.speaker.handoffs.find((agent) => handoffName(agent) === call.name);
  const previous = run.speaker.agent;
  if (!next || !previous || progress.handoffs >= HANDOFFS_MAX) {
    await refuse(run, call, `This run has handed over ${HANDOFFS_MAX} times, which is the limit. Answer yourself.`);
    return true;
  }
  const from = { previous_agent_id: previous.id, previous_agent_name: previous.name };
  const to = { next_agent_id: next.id, next_agent_name: next.name };
  journal.emit({ type: 'agent.handoff.started', ...placeOf(run, call.entryId), ...from });
  journal.emit({ type: 'agent.handoff.done', ...placeOf(run, call.entryId), ...to });
  // Whatever else was called in the same breath was meant for an agent that no longer speaks.
  progress.pending = [];
  progress.outputs++;
  progress.handoffs++;
  progress.agentId = next.id;
  const entry: EntryOf<'agent.handoff'> = {
    object: 'entry',
    type: 'agent.handoff',
    created_at: stamp(run),
    completed_at: stamp(run),
    id: call.entryId,
    ...from,
    ...to,
  };
  const result = `The conversation was handed over to ${next.name}.`;
  await keep(run, [{ entry, memo: { turn: progress.turns, call: { id: call.id, name: call.name, result } } }]);
  if (task.handoffExecution === 'client') return false;
  await run.toolbox.close();
  run.speaker = await run.ports.findSpeaker(task, next.id);
  run.toolbox = await run.ports.openToolbox(run.speaker, task);
  return true;
}
