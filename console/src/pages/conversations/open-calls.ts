import type { Item } from './timeline-items.ts';

type Call = Extract<Item, { kind: 'call' }>;

/** The reply to a pending call: an approval decision or a function result. */
export type Reply = { kind: 'allow' } | { kind: 'deny' } | { kind: 'result'; text: string };
export type Replies = Readonly<Record<string, Reply>>;

export function openCalls(items: readonly Item[]): Call[] {
  return items.filter(
    (item): item is Call => item.kind === 'call' && (item.state === 'to-confirm' || item.state === 'to-answer'),
  );
}

/** The request that resolves all pending calls, once each has a reply: the model continues only when none is open. */
export function answerAll(calls: readonly Call[], replies: Replies): object | undefined {
  const tool_confirmations: object[] = [];
  const inputs: object[] = [];
  for (const { callId } of calls) {
    const reply = replies[callId];
    if (!reply) return undefined;
    if (reply.kind === 'result') inputs.push({ type: 'function.result', tool_call_id: callId, result: reply.text });
    else tool_confirmations.push({ tool_call_id: callId, confirmation: reply.kind });
  }
  return {
    ...(inputs.length > 0 ? { inputs } : {}),
    ...(tool_confirmations.length > 0 ? { tool_confirmations } : {}),
  };
}
