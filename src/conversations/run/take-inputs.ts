import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { hexId } from '../../kit/base/ids.ts';
import { badRequest } from '../../kit/http/index.ts';
import type { ConversationInputs, Entry, InputEntry } from '../schema/entries.ts';
import type { Noted } from '../schema/memo.ts';
import type { ToolCallConfirmation } from '../schema/requests.ts';
import type { PendingCall } from '../schema/run.ts';
import { openCalls } from './open-calls.ts';

const PREFIXES: Record<Entry['type'], string> = {
  'message.input': 'msg_',
  'message.output': 'msg_',
  'function.call': 'fc_',
  'function.result': 'fr_',
  'tool.execution': 'tool_exec_',
  'agent.handoff': 'handoff_',
};

const ID_CHARACTERS_MAX = 128;

/** What a client sent, as entries with an id and a time. A plain text is a user's message. */
export function takeInputs(inputs: ConversationInputs | undefined, history: readonly Noted[], now: Clock): Noted[] {
  const given: InputEntry[] =
    typeof inputs === 'string'
      ? [{ object: 'entry', type: 'message.input', role: 'user', content: inputs, prefix: false }]
      : (inputs ?? []);
  const known = new Set(history.map(({ entry }) => entry.id));
  return given.map((input) => {
    const id = input.id ?? hexId(PREFIXES[input.type]);
    if (id === '' || id.length > ID_CHARACTERS_MAX)
      throw badRequest(`An entry id has 1 to ${ID_CHARACTERS_MAX} characters.`);
    if (known.has(id)) throw badRequest(`The entry id '${id}' is used twice. Leave it out to get a new one.`);
    known.add(id);
    const entry: Entry = { ...input, id, created_at: input.created_at ?? isoMicros(now) };
    return { entry: { ...entry, completed_at: entry.completed_at ?? null }, memo: null };
  });
}

export type Confirmed = {
  /** Entries whose status changes. */
  changed: Entry[];
  /** Allowed calls, which the run begins with. */
  pending: PendingCall[];
  /** Denied ones are answered with a rejection, so that the model hears of it. */
  rejections: Noted[];
};

export function takeConfirmations(
  confirmations: readonly ToolCallConfirmation[],
  history: readonly Noted[],
  now: Clock,
): Confirmed {
  const waiting = new Map(
    openCalls(history)
      .filter(({ confirmation_status }) => confirmation_status === 'pending')
      .map((entry) => [entry.tool_call_id, entry]),
  );
  const confirmed: Confirmed = { changed: [], pending: [], rejections: [] };
  for (const { tool_call_id, confirmation } of confirmations) {
    const entry = waiting.get(tool_call_id);
    if (!entry) throw badRequest(`No tool call '${tool_call_id}' waits for a confirmation.`);
    waiting.delete(tool_call_id);
    const isAllowed = confirmation === 'allow';
    confirmed.changed.push({
      ...entry,
      confirmation_status: isAllowed ? 'allowed' : 'denied',
      completed_at: isoMicros(now),
    });
    if (isAllowed) {
      const given = typeof entry.arguments === 'string' ? entry.arguments : JSON.stringify(entry.arguments);
      const call = { id: tool_call_id, name: entry.name, arguments: given };
      confirmed.pending.push({ ...call, entryId: hexId('tool_exec_'), started: false });
    } else confirmed.rejections.push(...takeInputs([rejectionOf(tool_call_id)], [], now));
  }
  return confirmed;
}

function rejectionOf(tool_call_id: string): InputEntry {
  return { object: 'entry', type: 'function.result', tool_call_id, result: 'The user did not allow this call.' };
}
