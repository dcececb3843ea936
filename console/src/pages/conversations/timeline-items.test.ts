import { describe, expect, it } from 'vitest';
import type { Entry, StreamEvent } from './entries.ts';
import { followRun } from './follow-run.ts';
import { itemsOf } from './timeline-items.ts';

const at = { object: 'entry', created_at: '2026-01-31T12:00:00Z' } as const;
const call = (id: string, confirmation_status: 'pending' | 'allowed' | 'denied' | null): Entry => ({
  ...at,
  type: 'function.call',
  id,
  tool_call_id: `call_${id}`,
  name: 'book',
  arguments: '{"seat":1}',
  confirmation_status,
});
const result = (id: string, text: string): Entry => ({
  ...at,
  type: 'function.result',
  id: `r${id}`,
  tool_call_id: `call_${id}`,
  result: text,
});

describe('items of a conversation', () => {
  it('show messages with reasoning, files and sources separated', () => {
    const [asked, answered] = itemsOf([
      { ...at, type: 'message.input', id: 'm1', role: 'user', content: 'Hello', prefix: false },
      {
        ...at,
        type: 'message.output',
        id: 'm2',
        role: 'assistant',
        model: 'small',
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }], closed: true },
          { type: 'text', text: 'Good ' },
          { type: 'text', text: 'day' },
          { type: 'tool_file', tool: 'code_interpreter', file_id: 'f1', file_name: 'plot.png' },
          { type: 'tool_reference', tool: 'web_search', title: 'Tides', url: 'https://example.org' },
        ],
      },
    ]);
    expect(asked).toMatchObject({ kind: 'message', role: 'user', parts: { text: 'Hello' } });
    expect(answered).toMatchObject({
      role: 'assistant',
      by: 'small',
      parts: {
        thoughts: 'Hm.',
        text: 'Good day',
        files: [{ id: 'f1', name: 'plot.png' }],
        sources: [{ title: 'Tides', url: 'https://example.org' }],
      },
    });
  });

  it('show code and output of a tool, and why a tool failed', () => {
    const tool = { ...at, type: 'tool.execution', completed_at: at.created_at } as const;
    const [ran, failed, running] = itemsOf([
      {
        ...tool,
        id: 't1',
        name: 'code_interpreter',
        arguments: '{"code":"print(1)"}',
        info: { code: 'print(1)', code_output: '1' },
      },
      { ...tool, id: 't2', name: 'web_search', arguments: '{"query":"tides"}', info: { error: 'not set up' } },
      { ...at, type: 'tool.execution', id: 't3', name: 'code_interpreter', arguments: '{"code":"print(2)"}' },
    ]);
    expect(ran).toMatchObject({
      input: { text: 'print(1)', language: 'python' },
      output: { text: '1', language: 'text' },
      error: undefined,
    });
    expect(failed).toMatchObject({ input: { language: 'json' }, output: undefined, error: 'not set up' });
    expect(running).toMatchObject({ input: { text: 'print(2)' }, output: undefined });
  });

  it('show a call with its state: to confirm, allowed, denied, to answer, answered', () => {
    const items = itemsOf([
      call('a', 'pending'),
      call('b', 'allowed'),
      call('c', 'denied'),
      result('c', 'The user did not allow this call.'),
      call('d', null),
      call('e', null),
      result('e', 'booked'),
      result('x', 'of a call that is not here'),
    ]);
    expect(
      items.map((item) => [item.kind, item.kind === 'call' ? item.state : '', 'result' in item ? item.result : '']),
    ).toEqual([
      ['call', 'to-confirm', undefined],
      ['call', 'allowed', undefined],
      ['call', 'denied', 'The user did not allow this call.'],
      ['call', 'to-answer', undefined],
      ['call', 'answered', 'booked'],
      ['result', '', 'of a call that is not here'],
    ]);
  });
});

describe('a followed run', () => {
  const place = { output_index: 0, created_at: at.created_at };
  const author = { model: 'small', agent_id: null };

  it('grows into the entries that it stores', () => {
    const events: StreamEvent[] = [
      { type: 'conversation.response.started', conversation_id: 'c' },
      {
        type: 'message.output.delta',
        id: 'm',
        ...place,
        ...author,
        role: 'assistant',
        content_index: 0,
        content: { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }], closed: true },
      },
      {
        type: 'message.output.delta',
        id: 'm',
        ...place,
        ...author,
        role: 'assistant',
        content_index: 1,
        content: 'Let me ',
      },
      {
        type: 'message.output.delta',
        id: 'm',
        ...place,
        ...author,
        role: 'assistant',
        content_index: 1,
        content: 'see',
      },
      { type: 'tool.execution.started', id: 't', ...place, ...author, name: 'code_interpreter', arguments: '{"code":' },
      { type: 'tool.execution.delta', id: 't', ...place, name: 'code_interpreter', arguments: '"1+1"}' },
      {
        type: 'tool.execution.done',
        id: 't',
        ...place,
        name: 'code_interpreter',
        info: { code: '1+1', code_output: '2' },
      },
      { type: 'agent.handoff.started', id: 'h', ...place, previous_agent_id: 'a1', previous_agent_name: 'Clerk' },
      { type: 'agent.handoff.done', id: 'h', ...place, next_agent_id: 'a2', next_agent_name: 'Boss' },
      {
        type: 'function.call.delta',
        id: 'f',
        ...place,
        ...author,
        name: 'book',
        tool_call_id: 'call_f',
        arguments: '{}',
        confirmation_status: 'pending',
      },
      { type: 'tool.execution.done', id: 'unheard of', ...place, name: 'x', info: {} },
    ];
    const items = itemsOf(events.reduce<readonly Entry[]>(followRun, []));
    expect(items).toMatchObject([
      { kind: 'message', by: 'small', parts: { thoughts: 'Hm', text: 'Let me see' } },
      { kind: 'tool', input: { text: '1+1' }, output: { text: '2' } },
      { kind: 'handoff', from: 'Clerk', to: 'Boss' },
      { kind: 'call', state: 'to-confirm' },
    ]);
  });
});
