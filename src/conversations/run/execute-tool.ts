import { isoMicros } from '../../kit/base/clock.ts';
import { hexId } from '../../kit/base/ids.ts';
import { ApiError, type Scope } from '../../kit/http/index.ts';
import { conversationErrors } from '../errors.ts';
import type { EntryOf, StoredEntry } from '../schema/entries.ts';
import type { PendingCall } from '../schema/run.ts';
import { recordTool } from './record-spans.ts';
import type { Run } from './run.ts';
import type { ToolResult, Trouble } from './toolbox.ts';

const CHARACTERS_PER_TOKEN = 4;

/**
 * Runs one call of the model. Its start is committed first: another process that continues the run finds the call
 * started and does not run it again.
 */
export async function executeTool(run: Run, call: PendingCall, caller: Scope): Promise<void> {
  let result = toFailure('The server stopped while this tool ran. It was not run again.');
  if (!call.started) {
    emitStarted(run, call);
    call.started = true;
    await run.journal.commit([]);
    result = await runTool(run, call, caller);
  }
  countTool(run, call.name, result.text);
  await finishCall(run, call, result);
}

/** Ends a call that is not run, with the reason for the model. */
export async function refuseCall(run: Run, call: PendingCall, reason: string): Promise<void> {
  emitStarted(run, call);
  await finishCall(run, call, toFailure(reason));
}

/** The entry of a connector that cannot be used. The caller appends it. */
export function reportTrouble(run: Run, { name, message }: Trouble): StoredEntry {
  return leaveOut(run, { id: hexId().slice(-9), name, arguments: '{}' }, message);
}

/** The entry of a call that is not run, with the reason for the model. The caller appends it. */
export function leaveOut(run: Run, given: Omit<PendingCall, 'entryId' | 'started'>, reason: string): StoredEntry {
  const call = { ...given, entryId: hexId('tool_exec_'), started: false };
  emitStarted(run, call);
  return toEntry(run, call, toFailure(reason));
}

function emitStarted({ journal, author }: Run, { entryId: id, name, arguments: given }: PendingCall): void {
  journal.emit({ type: 'tool.execution.started', id, ...author, name, arguments: given });
}

async function runTool(run: Run, call: PendingCall, caller: Scope): Promise<ToolResult> {
  const { toolbox, signal } = run;
  const tool = toolbox.tools.find(({ name }) => name === call.name);
  const startedAt = run.ports.now();
  try {
    if (!tool) throw conversationErrors.tool_unavailable(`There is no tool '${call.name}' any more.`);
    const given = JSON.parse(call.arguments) as Record<string, unknown>;
    const result = await tool.run({ callId: call.id, arguments: given, caller, signal });
    recordTool(run, call, { startedAt, result: result.text });
    return result;
  } catch (error) {
    recordTool(run, call, { startedAt, result: '', error });
    // An expected failure is a result for the model; anything else fails the run.
    if (signal.aborted || !(error instanceof ApiError)) throw error;
    return toFailure(error.message);
  }
}

// By length: no tokenizer of a model has seen the text yet.
function countTool({ progress: { usage } }: Run, tool: string, text: string): void {
  const tokens = Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  usage.connector_tokens = (usage.connector_tokens ?? 0) + tokens;
  usage.total_tokens += tokens;
  usage.connectors = { ...usage.connectors, [tool]: (usage.connectors?.[tool] ?? 0) + 1 };
}

async function finishCall(run: Run, call: PendingCall, result: ToolResult): Promise<void> {
  run.progress.pending = run.progress.pending.filter(({ id }) => id !== call.id);
  await run.journal.commit([toEntry(run, call, result)]);
}

function toEntry(run: Run, call: PendingCall, { text, info, chunks }: ToolResult): StoredEntry {
  const { progress, journal, author, ports } = run;
  const { id, name, entryId, arguments: given } = call;
  journal.emit({ type: 'tool.execution.done', id: entryId, name, info });
  progress.outputs++;
  run.chunks.push(...chunks);
  const entry: EntryOf<'tool.execution'> = {
    object: 'entry',
    type: 'tool.execution',
    created_at: isoMicros(ports.now),
    completed_at: isoMicros(ports.now),
    ...author,
    id: entryId,
    name,
    arguments: given,
    info,
  };
  const memo = { turn: progress.turns, call: { id, name, result: text } };
  return { entry, memo: chunks.length > 0 ? { ...memo, chunks } : memo };
}

function toFailure(message: string): ToolResult {
  return { text: `Error: ${message}`, info: { error: message }, chunks: [] };
}
