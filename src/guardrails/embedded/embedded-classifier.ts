import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Tenant } from '../../kit/fair-queue/index.ts';
import type { Engine, Judgement, Moderation, Tally } from '../../models/index.ts';
import { categories } from '../categories.ts';
import { hasPersonalData } from './find-personal-data.ts';
import { fitPrototypes, type Scorer } from './fit-prototypes.ts';
import { readSentences } from './read-sentences.ts';
import { RecentScores } from './recent-scores.ts';
import { splitPieces } from './split-pieces.ts';

export const EMBEDDED_THRESHOLD = 0.5;
/** Longer input is scored by groups of sentences only, so that a request takes seconds and not minutes. */
const SENTENCES_CHARACTERS_MAX = 20_000;
/** Takes a few milliseconds; then the event loop serves other requests. */
const PIECES_PER_TURN = 16;

type Embed = NonNullable<Engine['embed']>;
type Classify = (texts: string[], signal: AbortSignal, tally?: Tally, tenant?: Tenant) => Promise<Moderation>;
type Scored = { scores: number[]; tokens: number };

/**
 * Classifies texts by their similarity to labelled sentences, and by patterns for personal data. The sentences are
 * embedded with the first text; if that fails, the next text tries again.
 */
export function createEmbeddedClassifier(embed: Embed): Classify {
  const recent = new RecentScores<Scored>();
  let fitting: Promise<Scorer> | undefined;

  function fitted(): Promise<Scorer> {
    fitting ??= createScorer(embed).catch((error: unknown) => {
      fitting = undefined;
      throw error;
    });
    return fitting;
  }

  async function score(
    texts: string[],
    withSentences: boolean,
    signal: AbortSignal,
    tenant: Tenant | undefined,
  ): Promise<Map<string, Scored>> {
    const owners = texts.flatMap((text) => splitPieces(text, withSentences).map((piece) => ({ text, piece })));
    const scorer = await fitted();
    const { vectors, promptTokens } = await embed(
      owners.map(({ piece }) => piece),
      signal,
      undefined,
      undefined,
      tenant,
    );
    // The engine counts all pieces together; each text gets its share by length, and the shares add up to the count.
    const characters = texts.reduce((sum, text) => sum + text.length, 0) || 1;
    const counted = (upTo: number) => Math.round((promptTokens * upTo) / characters);
    const scored = new Map<string, Scored>();
    let seen = 0;
    for (const text of texts) {
      scored.set(text, { scores: [], tokens: counted(seen + text.length) - counted(seen) });
      seen += text.length;
    }
    for (const [index, { text }] of owners.entries()) {
      const vector = vectors[index];
      const sum = scored.get(text);
      if (!vector || !sum) throw new Error('The embedding model gave another number of vectors than of texts.');
      sum.scores = scorer(vector).map((value, category) => Math.max(value, sum.scores[category] ?? 0));
      if (index % PIECES_PER_TURN === 0) await nextTurn();
    }
    return scored;
  }

  async function classify(texts: string[], signal: AbortSignal, tenant: Tenant | undefined): Promise<Moderation> {
    const withSentences = texts.reduce((sum, { length }) => sum + length, 0) <= SENTENCES_CHARACTERS_MAX;
    const found = new Map<string, Scored>();
    const unknown = new Set<string>();
    for (const text of texts) {
      const known = recent.get(text, withSentences);
      if (known) found.set(text, known);
      else unknown.add(text);
    }
    if (unknown.size > 0) {
      for (const [text, scored] of await score([...unknown], withSentences, signal, tenant)) {
        recent.set(text, withSentences, scored);
        found.set(text, scored);
      }
    }
    const all = texts.map((text): [string, Scored] => [text, found.get(text) ?? { scores: [], tokens: 0 }]);
    return {
      judgements: all.map(([text, { scores }]) => toJudgement(text, scores)),
      promptTokens: all.reduce((sum, [, { tokens }]) => sum + tokens, 0),
    };
  }

  return async (texts, signal, tally, tenant) => {
    try {
      const moderation = await classify(texts, signal, tenant);
      // A text costs the same whether or not it was scored a moment ago, perhaps for another tenant.
      tally?.add({ promptTokens: moderation.promptTokens, completionTokens: 0 });
      return moderation;
    } catch (error) {
      const characters = texts.reduce((sum, { length }) => sum + length, 0);
      if (signal.aborted) tally?.add({ promptTokens: Math.ceil(characters / 4), completionTokens: 0 });
      throw error;
    }
  };
}

async function createScorer(embed: Embed): Promise<Scorer> {
  const sentences = await readSentences('prototypes');
  // Shared by all waiting requests, so the abort of one must not end it.
  const { vectors } = await embed(
    sentences.map(({ text }) => text),
    new AbortController().signal,
  );
  const members = categories.map((category) => sentences.map((sentence) => sentence.categories.includes(category)));
  return fitPrototypes({ vectors, members });
}

function toJudgement(text: string, scored: number[]): Judgement {
  const judgement: Judgement = { scores: {}, flags: {} };
  for (const [index, category] of categories.entries()) {
    const isCertain = category === 'pii' && hasPersonalData(text);
    const score = isCertain ? 1 : round(scored[index] ?? 0);
    judgement.scores[category] = score;
    judgement.flags[category] = score > EMBEDDED_THRESHOLD;
  }
  return judgement;
}

/** Always below 1, which is for matches of a pattern only. */
function round(score: number): number {
  return Math.min(0.9999, Math.round(score * 10_000) / 10_000);
}
