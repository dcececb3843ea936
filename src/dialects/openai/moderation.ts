import type { ModerationResponse } from '../../guardrails/index.ts';

/** Categories of this API by ours. The others of ours are shown under their own names. */
const NAMES: Record<string, string> = {
  sexual: 'sexual',
  hate_and_discrimination: 'hate',
  violence_and_threats: 'violence',
  dangerous: 'illicit',
  criminal: 'illicit',
  dangerous_and_criminal_content: 'illicit',
  selfharm: 'self-harm',
};

/** Every category that clients of this API read. */
const ALL = [
  ...['harassment', 'harassment/threatening', 'hate', 'hate/threatening', 'illicit', 'illicit/violent', 'self-harm'],
  ...['self-harm/instructions', 'self-harm/intent', 'sexual', 'sexual/minors', 'violence', 'violence/graphic'],
];

export function renderModeration({ id, model, results }: ModerationResponse) {
  return { id: `modr-${id}`, model, results: results.map(renderResult) };
}

function renderResult({ categories: flags = {}, category_scores: scores = {} }: ModerationResponse['results'][number]) {
  const categories: Record<string, boolean> = Object.fromEntries(ALL.map((name) => [name, false]));
  const category_scores: Record<string, number> = Object.fromEntries(ALL.map((name) => [name, 0]));
  for (const [ours, score] of Object.entries(scores)) {
    const name = NAMES[ours] ?? ours;
    categories[name] = (categories[name] ?? false) || (flags[ours] ?? false);
    category_scores[name] = Math.max(category_scores[name] ?? 0, score);
  }
  return {
    flagged: Object.values(categories).some(Boolean),
    categories,
    category_scores,
    category_applied_input_types: Object.fromEntries(Object.keys(categories).map((name) => [name, ['text']])),
  };
}
