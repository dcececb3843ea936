import { hexId } from '../../kit/base/ids.ts';
import type { Scope } from '../../kit/http/index.ts';
import type { EntryOf } from '../schema/entries.ts';
import type { Noted } from '../schema/memo.ts';
import type { RunTask } from '../schema/run.ts';
import { handoffName, requestOf } from './ask-model.ts';
import { countTurn } from './count-usage.ts';
import { note } from './execute.ts';
import { HANDOFFS_MAX, TURNS_MAX } from './limits.ts';
import { authorOf, keep, keepWithEnd, placeOf, type Running, stamp } from './running.ts';
import { type Spoken, speak } from './speak.ts';

/** One answer of the model: its message and the calls that are the client's become entries, the others become pending. */
export async function say(run: Running): Promise<void> {
  const { progress, journal } = run;
  const turn = run.turn ?? (await run.ports.chat.openTurn(callOf(run.task, run.signal), nextRequest(run)));
  run.turn = undefined;
  run.servedBy = turn.model.id;
  const id = hexId('msg_');
  const createdAt = stamp(run);
  const author = authorOf(run);
  // Shown before the words and kept with them: a turn that fails leaves nothing behind.
  const entries: Noted[] = run.toolbox.troubles.splice(0).map((trouble) => note(run, trouble));
  const spoken = await speak(turn, {
    chunks: run.chunks,
    emit: (content, content_index) =>
      journal.emit({
        type: 'message.output.delta',
        ...placeOf(run, id),
        content_index,
        ...author,
        role: 'assistant',
        content,
      }),
  }).catch((error: unknown) => {
    progress.outputs -= entries.length;
    throw error;
  });
  progress.turns++;
  countTurn(progress.usage, spoken.usage);
  if (spoken.content !== null) {
    const entry: EntryOf<'message.output'> = {
      object: 'entry',
      type: 'message.output',
      created_at: createdAt,
      completed_at: stamp(run),
      ...author,
      id,
      role: 'assistant',
      content: spoken.content,
    };
    entries.push({ entry, memo: { turn: progress.turns } });
    run.chunks = [];
    progress.outputs++;
  }
  for (const call of spoken.calls) {
    const tool = run.toolbox.tools.find(({ name }) => name === call.name);
    const isHandoff = run.speaker.handoffs.some((agent) => handoffName(agent) === call.name);
    if (isHandoff) progress.pending.push({ ...call, entryId: hexId('handoff_'), started: false });
    else if (tool && !tool.needsConfirmation)
      progress.pending.push({ ...call, entryId: hexId('tool_exec_'), started: false });
    else entries.push(askClient(run, call, tool !== undefined));
  }
  // Without calls to run, this was the last step.
  if (progress.pending.length > 0) await keep(run, entries);
  else keepWithEnd(run, entries);
}

export function nextRequest(run: Pick<Running, 'speaker' | 'toolbox' | 'history' | 'task' | 'progress'>) {
  const { turns, handoffs } = run.progress;
  return requestOf({
    ...run,
    isFirst: turns === 0,
    isLast: turns + 1 >= TURNS_MAX,
    mayHandOver: handoffs < HANDOFFS_MAX,
  });
}

/** A function of the client's own, or a tool of the server's that the client must allow first. */
function askClient(run: Running, call: Spoken['calls'][number], needsConfirmation: boolean): Noted {
  const id = hexId('fc_');
  const { name, id: tool_call_id, arguments: given } = call;
  const author = authorOf(run);
  const confirmation_status = needsConfirmation ? ('pending' as const) : null;
  run.journal.emit({
    type: 'function.call.delta',
    ...placeOf(run, id),
    ...author,
    name,
    tool_call_id,
    arguments: given,
    confirmation_status,
  });
  run.progress.outputs++;
  const entry: EntryOf<'function.call'> = {
    object: 'entry',
    type: 'function.call',
    created_at: stamp(run),
    completed_at: null,
    ...author,
    id,
    tool_call_id,
    name,
    arguments: given,
    confirmation_status,
  };
  return { entry, memo: { turn: run.progress.turns } };
}

export function callOf({ caller, requestId }: RunTask, signal: AbortSignal) {
  const scope: Scope = { ...caller, permissions: new Set(caller.permissions) };
  return { scope, requestId, signal, setHeader: () => undefined };
}
