import { describe, expect, it } from 'vitest';
import type { Engine } from '../engines/index.ts';
import { matchFamily } from './families.ts';
import type { Model } from './model.ts';
import { isStandIn, nameModels } from './name-models.ts';
import type { Need } from './needs.ts';
import { publishedNames } from './published-names.ts';
import { ModelCapabilities } from './schema.ts';
import { rememberNames, type SampleAliases } from './stand-ins.ts';

type Given = Partial<ModelCapabilities> & { aliases?: string[]; embeds?: boolean };

function model(id: string, { aliases = [], embeds, ...capabilities }: Given): Model {
  const engine = { completeFim: () => undefined, ...(embeds && { embed: () => undefined }) };
  return {
    id,
    aliases,
    name: null,
    description: null,
    max_context_length: 1000,
    capabilities: ModelCapabilities.parse(capabilities),
    deprecation: null,
    replacement: null,
    temperature: null,
    engine: engine as unknown as Engine,
  };
}

const chat = model('chat', { completion_chat: true, aliases: ['mistral-large-latest'] });
const seer = model('seer', { completion_chat: true, vision: true });
const coder = model('coder', { completion_chat: true, completion_fim: true });
const vectors = model('vectors', { embeds: true });
const judge = model('judge', { moderation: true });
const reader = model('reader', { ocr: true });
const voice = model('voice', { audio_speech: true });
const everything = [vectors, chat, seer, coder, judge, reader, voice];

function finder(models: Model[] = everything, aliases: SampleAliases = true) {
  const { byName, standIns } = nameModels(models, aliases);
  return (name: string, need?: Need) => (byName.get(name) ?? standIns.find(name, need))?.id;
}

describe('a public name', () => {
  const find = finder();

  it.each<[string, Need, string]>([
    ['mistral-vibe-cli-latest', 'chat', 'chat'],
    ['mistral-vibe-cli-with-tools', 'chat', 'chat'],
    ['mistral-small', 'chat', 'chat'],
    ['mistral-medium', 'chat', 'chat'],
    ['mistral-large-2512', 'chat', 'chat'],
    ['mistral-small-2506', 'chat', 'chat'],
    ['mistral-medium-3-5', 'chat', 'chat'],
    ['mistral-medium-3.1', 'chat', 'chat'],
    ['mistral-tiny-2407', 'chat', 'chat'],
    ['mistral-saba-2502', 'chat', 'chat'],
    ['mistral-nemo', 'chat', 'chat'],
    ['mistral-large-pixtral-2411', 'chat', 'chat'],
    ['devstral-latest', 'chat', 'chat'],
    ['labs-devstral-small-2512', 'chat', 'chat'],
    ['ministral-8b-2410', 'chat', 'chat'],
    ['magistral-medium-2509', 'chat', 'chat'],
    ['open-mistral-7b', 'chat', 'chat'],
    ['open-mistral-nemo-2407', 'chat', 'chat'],
    ['open-mixtral-8x7b', 'chat', 'chat'],
    ['open-mixtral-8x22b-2404', 'chat', 'chat'],
    ['voxtral-small-latest', 'chat', 'chat'],
    ['pixtral-12b', 'chat', 'seer'],
    ['pixtral-large-2411', 'vision', 'seer'],
    ['mistral-small-latest', 'vision', 'seer'],
    ['codestral-2508', 'chat', 'coder'],
    ['codestral-2508', 'fim', 'coder'],
    ['codestral-latest', 'vision', 'seer'],
    ['mistral-embed-2312', 'embeddings', 'vectors'],
    ['codestral-embed-2505', 'embeddings', 'vectors'],
    ['codestral-embed', 'embeddings', 'vectors'],
    ['mistral-moderation-2603', 'moderation', 'judge'],
    ['mistral-ocr-4-1', 'ocr', 'reader'],
    ['mistral-ocr-2505-completion', 'ocr', 'reader'],
    ['voxtral-mini-tts-2603', 'speech', 'voice'],
    // What it is not known for falls to what it is, so that the refusal names a model.
    ['mistral-ocr-latest', 'chat', 'reader'],
    ['mistral-small-latest', 'embeddings', 'chat'],
  ])('%s asked for %s stands for %s', (name, need, id) => {
    expect(find(name, need)).toBe(id);
  });

  it.each([
    'mistral-smal-latest',
    'mistral-small-latets',
    'mistral-small-',
    'mistral-small--latest',
    'mistral-small-latest-2506',
    'mistral-small-large',
    'Mistral-Small-Latest',
    ' mistral-small',
    'mistral-small-２５０６',
    'mistral-ѕmall-latest',
    'mistral-',
    'mistral',
    'mistral-latest',
    'mistral-huge-latest',
    'codestral-embedd',
    'gpt-4o',
    'voxtral-tts-transcribe',
    `mistral-small-${'2'.repeat(100)}`,
    `mistral-small${'-1'.repeat(10)}`,
    '__proto__',
    'constructor',
    '',
  ])('is not %j', (name) => {
    expect(find(name, 'chat')).toBeUndefined();
  });

  it('is nothing of any length', () => {
    for (const part of ['x', '-1', 'mistral-', '-']) expect(find(part.repeat(100_000), 'chat')).toBeUndefined();
  });

  it('of a model itself always wins, with what that model can do', () => {
    const own = model('mistral-small-latest', { embeds: true });
    expect(finder([chat, own])('mistral-small-latest', 'chat')).toBe('mistral-small-latest');
    expect(finder([seer, chat])('mistral-large-latest', 'vision')).toBe('chat');
  });

  it('stands for nothing where no model meets what it is known for', () => {
    expect(finder([chat])('mistral-embed', 'embeddings')).toBeUndefined();
    expect(finder([vectors])('codestral-latest', 'fim')).toBeUndefined();
    expect(finder([chat])('codestral-latest', 'fim')).toBe('chat');
  });

  it('is no stand-in where the model has it as id or alias', () => {
    expect(isStandIn(chat, 'chat')).toBe(false);
    expect(isStandIn(chat, 'mistral-large-latest')).toBe(false);
    expect(isStandIn(chat, 'mistral-small-latest')).toBe(true);
  });
});

describe('sample_aliases', () => {
  it('false switches every public name off', () => {
    const find = finder(everything, false);
    expect([find('mistral-small-latest', 'chat'), find('mistral-large-latest', 'chat')]).toEqual([undefined, 'chat']);
  });

  it('as a map gives single names and whole families to a model or to none, and leaves the others', () => {
    const find = finder(everything, {
      'mistral-small': 'seer',
      'mistral-small-2506': 'coder',
      'gpt-4o': 'chat',
      devstral: false,
    });
    expect(find('mistral-small-latest', 'chat')).toBe('seer');
    expect(find('mistral-small', 'fim')).toBe('seer');
    expect(find('mistral-small-2506', 'vision')).toBe('coder');
    expect(find('gpt-4o', 'chat')).toBe('chat');
    expect(find('devstral-latest', 'chat')).toBeUndefined();
    expect(find('ministral-8b-latest', 'chat')).toBe('chat');
  });
});

it('remembers a bounded number of the names that clients send, and none that means nothing', () => {
  const looked: string[] = [];
  const find = rememberNames(2, (name) => {
    looked.push(name);
    return name === 'typo' ? undefined : { name };
  });
  for (const name of ['a', 'a', 'typo', 'typo', 'b', 'b', 'a', 'c', 'a']) find(name);
  expect(looked).toEqual(['a', 'typo', 'typo', 'b', 'c', 'a']);
});

it('every listed name belongs to a family and is listed once', () => {
  expect(publishedNames.filter((name) => !matchFamily(name))).toEqual([]);
  expect(new Set(publishedNames).size).toBe(publishedNames.length);
});
