import { hexId } from '../../kit/base/ids.ts';
import { ApiError } from '../../kit/http/index.ts';
import type { EntryOf } from '../schema/entries.ts';
import type { Noted } from '../schema/memo.ts';
import type { PendingCall } from '../schema/run.ts';
import { countTool } from './count-usage.ts';
import { authorOf, keep, placeOf, type Running, stamp } from './running.ts';
import type { ToolResult, Trouble } from './tools.ts';

/**
 * Runs one call of the model. That it has begun is committed first: a process that takes the run over finds the call
 * begun and does not run it again, since nobody knows how far it came.
 */
export async function execute(run: Running, call: PendingCall): Promise<void> {
  const { journal, progress } = run;
  let result = failure('The server stopped while this tool ran. It was not run again.');
  if (!call.started) {
    emitStarted(run, call);
    call.started = true;
    await journal.commit({ progress });
    result = await runTool(run, call);
  }
  countTool(progress.usage, call.name, result.text);
  await finish(run, call, result);
}

/** The same for a call that is not run at all, with the reason. */
export async function refuse(run: Running, call: PendingCall, reason: string): Promise<void> {
  emitStarted(run, call);
  await finish(run, call, failure(reason));
}

/** An entry about something that no model called; whoever asks for it keeps it. */
export function note(run: Running, { name, message }: Trouble): Noted {
  const call = { id: hexId().slice(-9), name, arguments: '{}', entryId: hexId('tool_exec_'), started: false };
  emitStarted(run, call);
  return conclude(run, call, failure(message));
}

function emitStarted(run: Running, { entryId, name, arguments: given }: PendingCall): void {
  const started = { ...placeOf(run, entryId), ...authorOf(run), name, arguments: given };
  run.journal.emit({ type: 'tool.execution.started', ...started });
}

async function finish(run: Running, call: PendingCall, result: ToolResult): Promise<void> {
  run.progress.pending = run.progress.pending.filter(({ id }) => id !== call.id);
  await keep(run, [conclude(run, call, result)]);
}

function conclude(run: Running, call: PendingCall, { text, info, chunks }: ToolResult): Noted {
  const { progress } = run;
  const { id, name, entryId, arguments: given } = call;
  run.journal.emit({ type: 'tool.execution.done', ...placeOf(run, entryId), name, info });
  progress.outputs++;
  run.chunks.push(...chunks);
  const entry: EntryOf<'tool.execution'> = {
    object: 'entry',
    type: 'tool.execution',
    created_at: stamp(run),
    completed_at: stamp(run),
    ...authorOf(run),
    id: entryId,
    name,
    arguments: given,
    info,
  };
  const memo = { turn: progress.turns, call: { id, name, result: text } };
  return { entry, memo: chunks.length > 0 ? { ...memo, chunks } : memo };
}

async function runTool({ toolbox, task, signal }: Running, call: PendingCall): Promise<ToolResult> {
  const tool = toolbox.tools.find(({ name }) => name === call.name);
  try {
    if (!tool) throw new ApiError(400, `There is no tool '${call.name}' any more.`);
    const given = JSON.parse(call.arguments) as Record<string, unknown>;
    return await tool.run({ callId: call.id, arguments: given, caller: task.caller, signal });
  } catch (error) {
    // What a tool could not do is for the model to deal with; what broke is for us.
    if (signal.aborted || !(error instanceof ApiError)) throw error;
    return failure(error.message);
  }
}

function failure(message: string): ToolResult {
  return { text: `Error: ${message}`, info: { error: message }, chunks: [] };
}
