import type { Turn } from '../../chat/index.ts';
import { isoMicros } from '../../kit/base/clock.ts';
import { hexId } from '../../kit/base/ids.ts';
import type { Scope } from '../../kit/http/index.ts';
import { conversationErrors } from '../errors.ts';
import type { EntryOf, OutputContentChunk, StoredEntry } from '../schema/entries.ts';
import type { OutputEvent } from '../schema/responses.ts';
import { executeTool, leaveOut, reportTrouble } from './execute-tool.ts';
import { handOver } from './hand-over.ts';
import { findHandoff, openTurn } from './open-turn.ts';
import type { Run } from './run.ts';

type Delta = Extract<OutputEvent, { type: 'message.output.delta' }>;
type Call = { id: string; name: string; arguments: string };
type Reply = {
  /** Null when the model only called tools; the chunks then wait for its next message. */
  content: EntryOf<'message.output'>['content'] | null;
  calls: Call[];
  usage: { promptTokens: number; completionTokens: number };
};

/** Calls of one reply that the server runs; the model gets a reason for the others. */
const CALLS_PER_TURN_MAX = 32;
const TOO_MANY_CALLS = `It was not run: the server runs at most ${CALLS_PER_TURN_MAX} calls of one reply. Call it again if it is still needed.`;

/** Runs tool calls and generates replies, one after the other, until the model is done or the client must act. */
export async function runTurns(run: Run): Promise<void> {
  try {
    for (;;) {
      for (const call of [...run.progress.pending]) {
        run.signal.throwIfAborted();
        const caller = await callerOf(run);
        // A handoff drops the other calls of its turn.
        if (!run.progress.pending.includes(call)) continue;
        if (!findHandoff(run.speaker, call.name)) await executeTool(run, call, caller);
        else if (!(await handOver(run, call, caller))) return;
      }
      if (listOpenCalls(run.history).length > 0) return;
      if (!(await generateReply(run))) return;
    }
  } finally {
    run.turn?.abandon();
    await run.toolbox.close();
  }
}

/** Who the run works for, as they are now. Throws when they may not run it any more. */
function callerOf({ ports, task }: Run): Scope | Promise<Scope> {
  return ports.authority.scopeOf(task.caller, 'conversations:write');
}

/** Calls that wait for the client: for a result, or for a confirmation. */
export function listOpenCalls(history: readonly StoredEntry[]): EntryOf<'function.call'>[] {
  const open = new Map<string, EntryOf<'function.call'>>();
  for (const { entry, memo } of history) {
    if (entry.type === 'function.call') open.set(entry.tool_call_id, entry);
    else if (entry.type === 'function.result') open.delete(entry.tool_call_id);
    else if (memo?.call) open.delete(memo.call.id);
  }
  return [...open.values()];
}

/** One model turn: its message and the client's calls become entries, the others pending. False after the last turn. */
async function generateReply(run: Run): Promise<boolean> {
  const { progress, journal, ports } = run;
  const turn = run.turn ?? (await openNextTurn(run));
  run.turn = undefined;
  run.author = { model: turn.model.id, agent_id: run.speaker.agent?.id ?? null };
  const message = { id: hexId('msg_'), role: 'assistant' as const, ...run.author };
  const created_at = isoMicros(ports.now);
  // Shown before the reply and stored with it: a turn that fails leaves no entries.
  const entries = run.toolbox.troubles.splice(0).map((trouble) => reportTrouble(run, trouble));
  const reply = await readReply(turn, run.chunks, (content, content_index) =>
    journal.emit({ type: 'message.output.delta', content_index, ...message, content }),
  ).catch((error: unknown) => {
    progress.outputs -= entries.length;
    throw error;
  });
  const { promptTokens, completionTokens } = reply.usage;
  progress.turns++;
  progress.usage.prompt_tokens += promptTokens;
  progress.usage.completion_tokens += completionTokens;
  progress.usage.total_tokens += promptTokens + completionTokens;
  if (reply.content !== null) {
    const entry: EntryOf<'message.output'> = {
      object: 'entry',
      type: 'message.output',
      created_at,
      completed_at: isoMicros(ports.now),
      ...message,
      content: reply.content,
    };
    entries.push({ entry, memo: { turn: progress.turns } });
    run.chunks = [];
    progress.outputs++;
  }
  let left = 0;
  for (const call of reply.calls) {
    const tool = run.toolbox.tools.find(({ name }) => name === call.name);
    if (findHandoff(run.speaker, call.name))
      progress.pending.push({ ...call, entryId: hexId('handoff_'), started: false });
    else if (tool && !tool.needsConfirmation && progress.pending.length >= CALLS_PER_TURN_MAX) {
      entries.push(leaveOut(run, call, TOO_MANY_CALLS));
      left++;
    } else if (tool && !tool.needsConfirmation)
      progress.pending.push({ ...call, entryId: hexId('tool_exec_'), started: false });
    else entries.push(askClient(run, call, tool !== undefined));
  }
  // Without calls to run, this was the last step.
  const goesOn = progress.pending.length + left > 0;
  if (goesOn) await journal.commit(entries);
  else journal.hold(entries);
  return goesOn;
}

async function openNextTurn(run: Run): Promise<Turn> {
  const { ports, speaker, signal } = run;
  const caller = await callerOf(run);
  if (speaker.agent) await ports.requireAgent(caller, speaker.agent);
  return openTurn(ports.chat, caller, run, signal);
}

/** Emits the model's reply as it comes, then the chunks of earlier tools, and returns it whole. */
async function readReply(
  turn: Turn,
  chunks: OutputContentChunk[],
  emit: (content: Delta['content'], contentIndex: number) => void,
): Promise<Reply> {
  let thinking = '';
  let text = '';
  let usage = { promptTokens: 0, completionTokens: 0 };
  let hasFailed = false;
  const calls: Call[] = [];
  for await (const batch of turn.deltas()) {
    let words = '';
    for (const delta of batch) {
      if (delta.kind === 'text') words += delta.text;
      else if (delta.kind === 'thinking' && turn.showsThinking) {
        thinking += delta.text;
        emit(toThinkChunk(delta.text), 0);
      } else if (delta.kind === 'tool_call') calls.push(delta.call);
      else if (delta.kind === 'usage') usage = delta.usage;
      else if (delta.kind === 'finish') hasFailed ||= delta.reason === 'error';
    }
    if (words === '') continue;
    text += words;
    emit(words, thinking === '' ? 0 : 1);
  }
  // After the usage, which comes last.
  if (hasFailed) throw conversationErrors.model_reply_failed();
  if (text === '' && thinking === '' && calls.length > 0) return { content: null, calls, usage };
  const content: OutputContentChunk[] = thinking === '' ? [] : [toThinkChunk(thinking)];
  if (text !== '') content.push({ type: 'text', text });
  for (const [index, chunk] of chunks.entries()) emit(chunk, content.length + index);
  const isPlain = thinking === '' && chunks.length === 0;
  return { content: isPlain ? text : [...content, ...chunks], calls, usage };
}

function toThinkChunk(text: string) {
  return { type: 'thinking' as const, thinking: [{ type: 'text' as const, text }], closed: true };
}

/** The entry of a call to one of the client's functions, or to a server tool that the client must allow. */
function askClient(run: Run, call: Call, needsConfirmation: boolean): StoredEntry {
  const shown = {
    id: hexId('fc_'),
    tool_call_id: call.id,
    name: call.name,
    arguments: call.arguments,
    confirmation_status: needsConfirmation ? ('pending' as const) : null,
    ...run.author,
  };
  run.journal.emit({ type: 'function.call.delta', ...shown });
  run.progress.outputs++;
  const created_at = isoMicros(run.ports.now);
  const entry: EntryOf<'function.call'> = {
    object: 'entry',
    type: 'function.call',
    created_at,
    completed_at: null,
    ...shown,
  };
  return { entry, memo: { turn: run.progress.turns } };
}
