import { createAuditService } from '../audit/index.ts';
import { createEmbeddingService } from '../embeddings/index.ts';
import type { Engine } from '../engines/index.ts';
import { createLog } from '../kit/base/log.ts';
import type { Database } from '../kit/db/index.ts';
import { createPageTokens, type Scope } from '../kit/http/index.ts';
import type { Call, UsageRecord } from '../metering/index.ts';
import type { Model } from '../models/index.ts';
import { createRetrievalService, type NewChunk, type RetrievalPorts } from './index.ts';

/** Words of one meaning share a direction, whatever their language; every other word has one of its own. */
const MEANINGS = [
  ['car', 'automobile', 'auto', 'voiture', 'vehicle'],
  ['doctor', 'physician', 'arzt', 'médecin'],
  ['rain', 'regen', 'pluie', 'drizzle'],
];

export const DIMENSIONS = 128;

export function embedForTests(text: string, dimensions = DIMENSIONS): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of text.toLowerCase().match(/\p{L}+/gu) ?? []) {
    const meaning = MEANINGS.findIndex((words) => words.includes(word));
    let seed = meaning >= 0 ? meaning + 1 : [...word].reduce((sum, c) => (sum * 31 + (c.codePointAt(0) ?? 0)) >>> 0, 7);
    for (let i = 0; i < dimensions; i++) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      vector[i] = (vector[i] as number) + (seed / 2 ** 31 - 1);
    }
  }
  return vector;
}

export type TestModel = { id: string; dimensions?: number; fails?: () => boolean | Error };

/** A retrieval service with models that need no weights. */
export function retrievalForTests(
  database: Database,
  {
    models: specs = [{ id: 'tiny-embed' }],
    ...options
  }: { models?: TestModel[] } & Partial<Omit<RetrievalPorts, 'models'>> = {},
) {
  const texts: string[] = [];
  const usage: UsageRecord[] = [];
  const models = specs.map((spec) => modelForTests(spec, texts));
  const modelPort: RetrievalPorts['models'] = {
    find: (id) => models.find((model) => model.id === id),
    served: () => models,
  };
  const now = () => Date.UTC(2026, 8, 1, 12);
  const meter = { reserve: () => ({ settle: (record: UsageRecord) => void usage.push(record) }) };
  const service = createRetrievalService({
    database,
    audit: createAuditService({ database, now }),
    models: modelPort,
    embeddings: createEmbeddingService({ models: modelPort, meter, now }),
    meter,
    authority: { scopeOf: () => callerForTests('w1').scope },
    now,
    tokens: createPageTokens('secret'),
    log: createLog('silent'),
    ...options,
  });
  return { service, texts, usage };
}

export function callerForTests(workspaceId: string): Call {
  const scope = { organization_id: 'o1', workspace_id: workspaceId, user_id: 'u1', key_id: 'k1' } as Scope;
  return { scope, requestId: 'r1', signal: new AbortController().signal, setHeader: () => undefined };
}

export function chunkForTests(position: number, text: string, more: Partial<NewChunk> = {}): NewChunk {
  return { position, text, kind: 'text', headings: [], page: null, boxes: [], parent: null, ...more };
}

function modelForTests({ id, dimensions, fails }: TestModel, texts: string[]): Model {
  const engine: Partial<Engine> = {
    async embed(inputs) {
      const failure = fails?.();
      if (failure) throw failure === true ? new Error('the engine is gone') : failure;
      texts.push(...inputs);
      return { vectors: inputs.map((text) => embedForTests(text, dimensions)), promptTokens: inputs.length };
    },
    state: () => ({ kind: 'ready' }),
  };
  return {
    id,
    aliases: [],
    name: null,
    description: null,
    max_context_length: 512,
    capabilities: { completion_chat: false } as Model['capabilities'],
    deprecation: null,
    replacement: null,
    temperature: null,
    engine: engine as Engine,
  };
}
