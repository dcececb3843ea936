import { DEFAULT_EMBEDDINGS_ID, MULTILINGUAL_EMBEDDINGS_ID } from '../../../src/engines/weights/catalogue.ts';
import { BASELINE, GAIN_MIN, TOLERANCE } from '../../retrieval/baseline.ts';
import { makeSet, type Question } from '../../retrieval/make-set.ts';
import { ask, type Measured, MODES, type Mode, measure, type Outcome } from '../../retrieval/measure.ts';
import { openSearch, type Reranker } from '../../retrieval/open-search.ts';
import { readSet, type SetChunk } from '../../retrieval/read-set.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { inTemporaryDir } from '../children.ts';

/** The address of a server with `/rerank`, up to its version, and its model. */
const { TRAMONTANE_BENCH_RERANKER: RERANKER_URL, TRAMONTANE_BENCH_RERANKER_MODEL: RERANKER_MODEL = 'reranker' } =
  process.env;
const QUICK_STEP = 6;
const METRICS = ['recall', 'mrr', 'cited'] as const;
/** In points: one question of 192. */
const CITED_LOST_MAX = 0.7;
const NAMES = { recall: 'recall@5', mrr: 'MRR', cited: 'answer in citation' };

type Outcomes = Record<Mode, Outcome[]> & { reranked?: Outcome[] };

/** Every try would read the same. */
let reading: Promise<SetChunk[]> | undefined;

export const retrieval: Benchmark = {
  name: 'retrieval',
  summary: 'questions with known answers over documents of six languages and twelve formats, by text, vectors and both',
  run: ({ quick, progress }) =>
    inTemporaryDir(async (directory) => {
      const { documents, questions } = makeSet();
      const asked = questions.filter((_, i) => !quick || i % QUICK_STEP === 0);
      reading ??= readSet(documents, progress);
      const chunks = await reading;
      const run = (model: string) => {
        progress(`retrieval: ${asked.length} questions with ${model}`);
        return searchAll(chunks, asked, model, directory);
      };
      const multilingual = await run(MULTILINGUAL_EMBEDDINGS_ID);
      return [
        ...figuresOf(multilingual, await run(DEFAULT_EMBEDDINGS_ID), quick),
        ...(multilingual.reranked ? rerankedFigures(multilingual.hybrid, multilingual.reranked) : []),
      ];
    }),
};

async function searchAll(
  chunks: SetChunk[],
  questions: Question[],
  model: string,
  directory: string,
): Promise<Outcomes> {
  const reranker: Reranker | undefined =
    RERANKER_URL && model === MULTILINGUAL_EMBEDDINGS_ID ? { url: RERANKER_URL, model: RERANKER_MODEL } : undefined;
  const { search, close } = await openSearch(chunks, model, directory, reranker);
  try {
    const outcomes = {} as Outcomes;
    for (const mode of MODES) outcomes[mode] = await ask(questions, search, mode);
    if (reranker) outcomes.reranked = await ask(questions, search, 'hybrid', true);
    return outcomes;
  } finally {
    await close();
  }
}

function figuresOf(multilingual: Outcomes, english: Outcomes, quick: boolean): Figure[] {
  const [text, vector, hybrid] = MODES.map((mode) => measure(multilingual[mode])) as [Measured, Measured, Measured];
  const figures: Figure[] = METRICS.map((metric) => ({
    name: `${NAMES[metric]}, hybrid`,
    value: percent(hybrid[metric]),
    unit: '%',
    // Some questions of a quick round are not the same measure.
    ...(!quick && { target: { at: '≥' as const, value: percent(BASELINE[metric] - TOLERANCE) } }),
    note: `text ${percent(text[metric])} %, vectors ${percent(vector[metric])} %`,
    ...(metric === 'recall' && { rows: rowsOf(multilingual) }),
  }));
  const gains = METRICS.map((metric) => hybrid[metric] - Math.max(text[metric], vector[metric]));
  figures.push({
    name: 'hybrid over the better one alone, least of the three',
    value: percent(Math.min(...gains)),
    unit: 'points',
    target: { at: '≥', value: percent(GAIN_MIN) },
    note: METRICS.map((metric, i) => `${NAMES[metric]} ${percent(gains[i] ?? 0)}`).join(', '),
  });
  const crossed = (outcomes: Outcomes, mode: Mode) =>
    measure(outcomes[mode].filter(({ isCrossLingual }) => isCrossLingual));
  for (const metric of METRICS) {
    const value = (outcomes: Outcomes, mode: Mode) => percent(crossed(outcomes, mode)[metric]);
    figures.push({
      name: `${NAMES[metric]} of questions in another language, hybrid`,
      value: value(multilingual, 'hybrid'),
      unit: '%',
      // Of an answer in its citation a question may be lost to a better order.
      ...(!quick && {
        target: { at: '≥' as const, value: value(multilingual, 'vector') - (metric === 'cited' ? CITED_LOST_MAX : 0) },
      }),
      note: `text ${value(multilingual, 'text')} %, vectors ${value(multilingual, 'vector')} %; hybrid with the English model ${value(english, 'hybrid')} %`,
    });
  }
  return figures;
}

/** Without a target: the model is not ours. */
function rerankedFigures(hybrid: Outcome[], reranked: Outcome[]): Figure[] {
  return METRICS.map((metric) => ({
    name: `${NAMES[metric]}, hybrid and reranked by ${RERANKER_MODEL}`,
    value: percent(measure(reranked)[metric]),
    unit: '%',
    note: `${percent(measure(hybrid)[metric])} % without`,
  }));
}

/** For each question where the search put the right document, by mode. */
function rowsOf(outcomes: Outcomes): Record<string, string | number>[] {
  return outcomes.hybrid.map(({ text, language, documentId, answer }, i) => ({
    question: text,
    language,
    document: documentId,
    answer,
    ...Object.fromEntries(MODES.map((mode) => [mode, outcomes[mode][i]?.rank ?? 0])),
  }));
}

const percent = (share: number) => Math.round(share * 1000) / 10;
