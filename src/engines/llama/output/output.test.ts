import { expect, test } from 'vitest';
import { createStopHolder } from './hold-stops.ts';
import { parseToolCalls } from './parse-tool-calls.ts';
import { type AnswerOptions, createAnswerReader, type Piece } from './read-answer.ts';
import { createTokenReader } from './read-tokens.ts';
import { createThinkingSplitter } from './split-thinking.ts';

const NAMES = ['weather', 'search'];

test('a stop string is found across pieces, and what only began like one is shown', () => {
  const holder = createStopHolder(['END', '\n\n']);
  expect(holder.push('one E')).toStrictEqual({ text: 'one ', stopped: false });
  expect(holder.push('N')).toStrictEqual({ text: '', stopped: false });
  expect(holder.push('Tity\n')).toStrictEqual({ text: 'ENTity', stopped: false });
  expect(holder.push('\nrest')).toStrictEqual({ text: '', stopped: true });
});

test('the earliest of several stop strings ends the text', () => {
  expect(createStopHolder(['cd', 'b']).push('abcd')).toStrictEqual({ text: 'a', stopped: true });
});

test('what a stop string held back comes out at the end', () => {
  const holder = createStopHolder(['STOP']);
  expect(holder.push('a ST')).toStrictEqual({ text: 'a ', stopped: false });
  expect(holder.flush()).toBe('ST');
});

test('characters that are spread over tokens are shown whole', () => {
  const bytes: Record<number, number[]> = { 1: [0xf0, 0x9f], 2: [0x98], 3: [0x80], 4: [0x61] };
  const reader = createTokenReader((tokens) => Buffer.from(tokens.flatMap((token) => bytes[token] ?? [])).toString());
  expect([4, 1, 2, 3, 4].map((token) => reader.push(token))).toStrictEqual(['a', '', '', '😀', 'a']);
  reader.push(1);
  expect(reader.flush()).toBe('');
});

test('thoughts are told from the answer, however the text is cut', () => {
  const text = '<think>\nlet me see <b> </thin> so\n</think>\n\nThe answer </think> is 4.';
  for (const size of [1, 2, 5, 100]) {
    const splitter = createThinkingSplitter(false);
    const total = { thinking: '', answer: '' };
    for (let at = 0; at < text.length; at += size) {
      const parts = splitter.push(text.slice(at, at + size));
      total.thinking += parts.thinking;
      total.answer += parts.answer;
    }
    const rest = splitter.flush();
    expect(total.thinking + rest.thinking).toBe('let me see <b> </thin> so\n');
    expect(total.answer + rest.answer).toBe('The answer </think> is 4.');
  }
});

test('a template that opens the thought makes the beginning a thought', () => {
  const splitter = createThinkingSplitter(true);
  expect(splitter.push('hm</think>yes')).toStrictEqual({ thinking: 'hm', answer: 'yes' });
});

test.each([
  ['tags', '<tool_call>\n{"name": "weather", "arguments": {"city": "Paris"}}\n</tool_call>'],
  ['bare JSON', '{"name": "weather", "arguments": {"city": "Paris"}}'],
  ['a fenced block', '```json\n{"name": "weather", "arguments": {"city": "Paris"}}\n```'],
  ['a list after the marker of Mistral', '[TOOL_CALLS] [{"name": "weather", "arguments": {"city": "Paris"}}]'],
  ['parameters', '<|python_tag|>{"name": "weather", "parameters": {"city": "Paris"}}'],
  ['arguments as text', '{"name": "weather", "arguments": "{\\"city\\": \\"Paris\\"}"}'],
  ['a function object', '{"type": "function", "function": {"name": "weather", "arguments": {"city": "Paris"}}}'],
])('a call is read from %s', (_, text) => {
  expect(parseToolCalls(text, NAMES)).toStrictEqual([{ name: 'weather', arguments: '{"city":"Paris"}' }]);
});

test('two calls in a row are two calls', () => {
  const text = '<tool_call>{"name":"weather","arguments":{}}</tool_call>\n<tool_call>{"name":"search"}</tool_call>';
  expect(parseToolCalls(text, NAMES)?.map(({ name }) => name)).toStrictEqual(['weather', 'search']);
});

test.each([
  '{"name": "unknown", "arguments": {}}',
  '{"city": "Paris"}',
  '{"name": "weather", "arguments": {"city": "Par',
  'I would call {"name": "weather", "arguments": {}}',
  '{"name": "weather", "arguments": [1]}',
  '',
])('%j is no call', (text) => {
  expect(parseToolCalls(text, NAMES)).toBeUndefined();
});

function read(options: Partial<AnswerOptions>, text: string, cut?: 'length') {
  const reader = createAnswerReader({
    mode: 'either',
    toolNames: NAMES,
    parallel: true,
    stop: [],
    startsThinking: false,
    createCallId: () => 'abcdefghi',
    ...options,
  });
  const pieces: Piece[] = [];
  for (const character of text) {
    const { pieces: some, stopped } = reader.push(character);
    pieces.push(...some);
    if (stopped) return { text: join(pieces), calls: [], finish: 'stop' };
  }
  const { pieces: rest, finish } = reader.end(cut);
  const all = [...pieces, ...rest];
  return { text: join(all), calls: all.flatMap((piece) => (piece.kind === 'tool_call' ? [piece.call] : [])), finish };
}

function join(pieces: Piece[]): string {
  return pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('');
}

const CALL = '<tool_call>\n{"name": "search", "arguments": {"q": "END"}}\n</tool_call>';

test('text before a call is text, and a stop string inside the call does not break it', () => {
  const { text, calls, finish } = read({ stop: ['END'] }, `Let me <b>look</b>. ${CALL}`);
  expect(text).toBe('Let me <b>look</b>. ');
  expect(calls).toStrictEqual([{ id: 'abcdefghi', name: 'search', arguments: '{"q":"END"}' }]);
  expect(finish).toBe('tool_calls');
});

test('a call that was cut is neither a call nor text', () => {
  for (const mode of ['either', 'calls'] as const) {
    expect(read({ mode }, CALL.slice(0, -20), 'length')).toStrictEqual({ text: '', calls: [], finish: 'length' });
  }
});

test('JSON that is no call stays text', () => {
  const json = '{"name": "Ada", "born": 1815}';
  expect(read({}, json)).toStrictEqual({ text: json, calls: [], finish: 'stop' });
  expect(read({ mode: 'text' }, CALL).text).toBe(CALL);
});

test('only the first call is kept where parallel calls are not wanted', () => {
  expect(read({ parallel: false }, `${CALL}\n${CALL}`).calls).toHaveLength(1);
});
