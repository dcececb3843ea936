import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Delta } from '../engine.ts';
import { endStream, reduceChunk, startStream, usageOf } from './reduce-chunks.ts';
import { SseParser } from './sse-parser.ts';

function run(lines: string[], options?: Parameters<typeof startStream>[0]) {
  const state = startStream(options);
  const deltas: Delta[] = [];
  for (const line of lines) reduceChunk(state, line, deltas);
  endStream(state);
  return { deltas, usage: usageOf(state, 40), isDone: state.isDone };
}

function replay(name: string) {
  const lines: string[] = [];
  const bytes = readFileSync(new URL(`../../../test/fixtures/streams/${name}.sse`, import.meta.url));
  new SseParser().push(bytes, (data) => lines.push(data));
  return run(lines);
}

const call = (id: string, city: string, spaced = false): Delta => ({
  kind: 'tool_call',
  choice: 0,
  call: { id, name: 'get_weather', arguments: spaced ? `{"city": "${city}"}` : `{"city":"${city}"}` },
});

describe('streams in the forms that servers send', () => {
  it('vLLM: thoughts apart, fragments of two calls put together at the end', () => {
    expect(replay('vllm')).toEqual({
      isDone: true,
      deltas: [
        { kind: 'thinking', choice: 0, text: 'Paris, ' },
        { kind: 'thinking', choice: 0, text: 'then Rome.' },
        call('chatcmpl-tool-1', 'Paris', true),
        call('chatcmpl-tool-2', 'Rome', true),
        { kind: 'finish', choice: 0, reason: 'tool_calls' },
      ],
      usage: { promptTokens: 20, completionTokens: 32, cachedTokens: 16, reasoningTokens: 6 },
    });
  });

  it('Ollama: whole calls of one number stay apart, and usage is estimated where there is none', () => {
    expect(replay('ollama')).toEqual({
      isDone: true,
      deltas: [
        { kind: 'thinking', choice: 0, text: 'Two.' },
        call('call_aa', 'Paris'),
        call('call_bb', 'Rome'),
        { kind: 'finish', choice: 0, reason: 'tool_calls' },
      ],
      usage: { promptTokens: 10, completionTokens: Math.ceil((4 + 11 + 16 + 11 + 15) / 4) },
    });
  });

  it('llama.cpp: tags of thought, cut anywhere, count at the beginning only', () => {
    const { deltas, usage } = replay('llama-cpp');
    const join = (kind: string) =>
      deltas.map((delta) => (delta.kind === kind && 'text' in delta ? delta.text : '')).join('');
    expect(join('thinking')).toBe('\nHm <b ');
    expect(join('text')).toBe('Hello <think>');
    expect(deltas.at(-1)).toEqual({ kind: 'finish', choice: 0, reason: 'length' });
    expect(usage).toEqual({ promptTokens: 4, completionTokens: 9 });
  });

  it('Mistral: lists of chunks, usage together with the finish', () => {
    expect(replay('mistral')).toEqual({
      isDone: true,
      deltas: [
        { kind: 'thinking', choice: 0, text: 'Easy.' },
        { kind: 'text', choice: 0, text: 'Four' },
        { kind: 'text', choice: 0, text: '.' },
        { kind: 'finish', choice: 0, reason: 'stop' },
      ],
      usage: { promptTokens: 10, completionTokens: 4, cachedTokens: 0 },
    });
  });

  it('plain completions', () => {
    expect(replay('completions').deltas).toEqual([
      { kind: 'text', choice: 0, text: 'return ' },
      { kind: 'text', choice: 0, text: 'a + b' },
      { kind: 'finish', choice: 0, reason: 'stop' },
    ]);
  });
});

const say = (content: string, finish_reason: string | null = null, index = 0) =>
  JSON.stringify({ choices: [{ index, delta: { content }, finish_reason }] });

describe('a prefix that the server repeats', () => {
  const textOf = (lines: string[]) =>
    run(lines, { prefix: 'Once upon' })
      .deltas.map((delta) => (delta.kind === 'text' ? delta.text : ''))
      .join('');

  it.each([
    ['is taken away, cut anywhere', [say('On'), say('ce up'), say('on a time'), say('', 'stop')], ' a time'],
    ['is not missed', [say(' a'), say(' time', 'stop')], ' a time'],
    ['is not mistaken', [say('On'), say('ly then'), say('', 'stop')], 'Only then'],
    ['comes out when the answer ends within it', [say('Once', 'stop')], 'Once'],
  ])('%s', (_name, lines, text) => expect(textOf(lines)).toBe(text));
});

describe('a stream has failed', () => {
  it.each([
    ['when it ends before its finish', [say('half')]],
    ['when one of its choices has no finish', [say('a', 'stop', 0), say('b', null, 1)]],
    ['when it has nothing', ['[DONE]']],
    ['when it holds an error', ['{"error":{"message":"CUDA out of memory at 10.0.0.7"}}']],
    ['when it is not JSON', ['{"choices":']],
    ['when a number of a choice is absurd', [say('a', 'stop', 1e9)]],
  ])('%s', (_name, lines) => {
    expect(() => run(lines)).toThrow('The model server broke off its answer. Send the request again.');
  });
});

describe('what is held back costs no more the longer it gets', () => {
  it('white space at the beginning, in which a tag may yet begin', () => {
    const lines = [...Array.from({ length: 20_000 }, () => say('\n'.repeat(100))), say('a', 'stop')];
    const startedAt = process.cpuUsage();
    const { deltas } = run(lines);
    expect(deltas.reduce((sum, delta) => sum + (delta.kind === 'text' ? delta.text.length : 0), 0)).toBe(2_000_001);
    expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(5000);
  });

  it('a long prefix that is repeated in small pieces', () => {
    const prefix = 'abcd'.repeat(100_000);
    const lines = [...Array.from({ length: 100_000 }, () => say('abcd')), say('!', 'stop')];
    const startedAt = process.cpuUsage();
    expect(run(lines, { prefix }).deltas).toMatchObject([{ text: '!' }, { kind: 'finish' }]);
    expect(process.cpuUsage(startedAt).user / 1000).toBeLessThan(5000);
  });
});

describe('chunks that differ in nothing but their content', () => {
  const chunk = (delta: object, more: object = {}, rest: object = {}) =>
    JSON.stringify({ id: '1', choices: [{ index: 0, delta, finish_reason: null, ...more }], ...rest });
  const end = chunk({}, { finish_reason: 'stop' });
  const texts = (deltas: Delta[]) =>
    deltas.flatMap((delta) => ('text' in delta ? [`${delta.kind} ${delta.text}`] : []));

  it('add their texts, with what else each of them says', () => {
    const words = ['One', ' two', ' "three"\n', '', ' four'];
    const plain = run([...words.map((content) => chunk({ content })), end]);
    expect(texts(plain.deltas)).toEqual(['text One', 'text  two', 'text  "three"\n', 'text  four']);
    const usage = { prompt_tokens: 5, completion_tokens: 4 };
    expect(run([...words.map((content) => chunk({ content }, {}, { usage })), end]).usage).toMatchObject({
      promptTokens: 5,
      completionTokens: 4,
    });
    const thinking = run([...words.map((content) => chunk({ content, reasoning_content: 'Hm.' })), end]);
    expect(texts(thinking.deltas).filter((text) => text === 'thinking Hm.')).toHaveLength(words.length);
    const finished = run(words.map((content) => chunk({ content }, { finish_reason: 'stop' })));
    expect(texts(finished.deltas)).toEqual(['text One']);
  });

  it('lose a repeated prefix, and count from the first choice that was asked for', () => {
    const { deltas } = run(['One', ' two', ' three', ' four'].map((content) => chunk({ content })).concat(end), {
      prefix: 'One two',
      offset: 2,
    });
    expect(deltas.slice(0, 2)).toEqual([
      { kind: 'text', choice: 2, text: ' three' },
      { kind: 'text', choice: 2, text: ' four' },
    ]);
  });

  it('are of several choices', () => {
    const of = (index: number, content: string) => chunk({ content }, { index });
    const lines = [of(0, 'a'), of(0, 'b'), of(1, 'c'), of(1, 'd'), of(0, 'e'), of(2, 'f'), of(2, 'g')];
    const { deltas } = run([...lines, end, chunk({}, { index: 1, finish_reason: 'stop' })], { choices: 2 });
    const seen = deltas.flatMap((delta) => (delta.kind === 'text' ? [`${delta.choice}${delta.text}`] : []));
    expect(seen).toEqual(['0a', '0b', '1c', '1d', '0e']);
  });
});
