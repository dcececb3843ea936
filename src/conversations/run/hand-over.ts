import { isoMicros } from '../../kit/base/clock.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { EntryOf } from '../schema/entries.ts';
import type { PendingCall } from '../schema/run.ts';
import { refuseCall } from './execute-tool.ts';
import { findHandoff, HANDOFFS_MAX } from './open-turn.ts';
import { recordHandoff } from './record-spans.ts';
import type { Run } from './run.ts';

/** Makes another agent the speaker. False when the client executes handoffs itself. */
export async function handOver(run: Run, call: PendingCall, caller: Scope): Promise<boolean> {
  const { progress, journal, task, ports } = run;
  const next = findHandoff(run.speaker, call.name);
  const previous = run.speaker.agent;
  if (!next || !previous || progress.handoffs >= HANDOFFS_MAX) {
    await refuseCall(run, call, `This run has handed over ${HANDOFFS_MAX} times, which is the limit. Answer yourself.`);
    return true;
  }
  const id = call.entryId;
  const from = { previous_agent_id: previous.id, previous_agent_name: previous.name };
  const to = { next_agent_id: next.id, next_agent_name: next.name };
  journal.emit({ type: 'agent.handoff.started', id, ...from });
  journal.emit({ type: 'agent.handoff.done', id, ...to });
  // The other calls of the turn were meant for the previous agent.
  progress.pending = [];
  progress.outputs++;
  progress.handoffs++;
  progress.agentId = next.id;
  const entry: EntryOf<'agent.handoff'> = {
    object: 'entry',
    type: 'agent.handoff',
    created_at: isoMicros(ports.now),
    completed_at: isoMicros(ports.now),
    id,
    ...from,
    ...to,
  };
  const result = `The conversation was handed over to ${next.name}.`;
  await journal.commit([{ entry, memo: { turn: progress.turns, call: { id: call.id, name: call.name, result } } }]);
  recordHandoff(run, next.name);
  if (task.handoffExecution === 'client') return false;
  await run.toolbox.close();
  run.speaker = await ports.loadAgent(caller, next.id);
  run.toolbox = await ports.openTools(run.speaker, caller);
  return true;
}
