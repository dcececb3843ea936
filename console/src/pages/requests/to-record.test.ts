import { expect, it } from 'vitest';
import { toRecord } from './to-record.ts';

const kept = {
  trace_id: 't',
  span_id: 's',
  request_model: 'small',
  system_instructions: '',
  input_messages: '',
  output_messages: '',
};
const said = (role: string, ...parts: object[]) => ({ role, parts });
const text = (content: string) => ({ type: 'text', content });

it('a request whose messages were kept becomes a record of chat messages, the answer last', () => {
  const record = toRecord({
    ...kept,
    system_instructions: JSON.stringify([text('Be short.')]),
    input_messages: JSON.stringify([
      said('user', text('Which wind?')),
      said('assistant', { type: 'tool_call', id: 'c1', name: 'look', arguments: { at: 'sea' } }),
      said('tool', { type: 'tool_call_response', id: 'c1', response: 'north' }),
    ]),
    output_messages: JSON.stringify([said('assistant', text('Tramontane.')), said('assistant', text('Another'))]),
  });
  expect(record).toEqual({
    source: 'TELEMETRY_SPAN',
    properties: { trace_id: 't', span_id: 's', model: 'small' },
    payload: {
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'Which wind?' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":"sea"}' } }],
        },
        { role: 'tool', content: 'north', tool_call_id: 'c1' },
        { role: 'assistant', content: 'Tramontane.' },
      ],
    },
  });
});

it('a request without its messages, or without the first of them, becomes none', () => {
  expect(toRecord(kept)).toBeUndefined();
  const cut = [said('system', { type: 'omitted' }), said('user', text('And then?'))];
  expect(toRecord({ ...kept, input_messages: JSON.stringify(cut) })).toBeUndefined();
});
