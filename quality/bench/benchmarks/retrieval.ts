import { DEFAULT_EMBEDDINGS_ID, MULTILINGUAL_EMBEDDINGS_ID } from '../../../src/engines/weights/catalogue.ts';
import { BASELINE, GAIN_MIN, TOLERANCE } from '../../retrieval/baseline.ts';
import { makeSet, type Question } from '../../retrieval/make-set.ts';
import { ask, type Measured, MODES, type Mode, measure, type Outcome } from '../../retrieval/measure.ts';
import { openSearch } from '../../retrieval/open-search.ts';
import { readSet, type SetChunk } from '../../retrieval/read-set.ts';
import type { Benchmark, Figure } from '../benchmark.ts';
import { inTemporaryDir } from '../children.ts';

const QUICK_STEP = 6;
const METRICS = ['recall', 'mrr', 'cited'] as const;
const NAMES = { recall: 'recall@5', mrr: 'MRR', cited: 'answer in citation' };

type Outcomes = Record<Mode, Outcome[]>;

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
      return figuresOf(await run(MULTILINGUAL_EMBEDDINGS_ID), await run(DEFAULT_EMBEDDINGS_ID), quick);
    }),
};

async function searchAll(
  chunks: SetChunk[],
  questions: Question[],
  model: string,
  directory: string,
): Promise<Outcomes> {
  const { search, close } = await openSearch(chunks, model, directory);
  try {
    const outcomes = {} as Outcomes;
    for (const mode of MODES) outcomes[mode] = await ask(questions, search, mode);
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
    percent(measure(outcomes[mode].filter(({ isCrossLingual }) => isCrossLingual)).recall);
  for (const mode of ['vector', 'hybrid'] as const)
    figures.push({
      name: `recall@5 of questions in another language, ${mode}`,
      value: crossed(multilingual, mode),
      unit: '%',
      note: `with the English model ${crossed(english, mode)} %, by text ${crossed(multilingual, 'text')} %`,
    });
  return figures;
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
