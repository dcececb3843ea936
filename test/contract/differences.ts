import type { KnownDifference } from './reconcile-differences.ts';

/**
 * Every place where our interface and its published twin part on purpose, with the reason. An `at` that ends
 * in `*` stands for all places that begin so. A line whose difference is gone must go too.
 */
const chatSoFar = 'Only plain text completions are served so far; the rest is refused, never ignored.';
const modelsSoFar =
  'The catalog holds configured base models only, without filters; fine-tuned models come with their room.';

export const differences: KnownDifference[] = [
  { at: 'POST /v1/chat/completions*', kind: 'missing-property', reason: chatSoFar },
  { at: 'POST /v1/chat/completions*', kind: 'required', reason: chatSoFar },
  { at: 'POST /v1/chat/completions*', kind: 'default', reason: chatSoFar },
  { at: 'POST /v1/chat/completions*', kind: 'missing-alternative', reason: chatSoFar },
  { at: 'POST /v1/chat/completions*', kind: 'nullable', reason: chatSoFar },
  { at: 'POST /v1/chat/completions*', kind: 'closed-here', reason: chatSoFar },
  { at: 'POST /v1/chat/completions*', kind: 'content-type', reason: chatSoFar },
  { at: 'ModelList.data[](FTModelCard)', kind: 'missing-alternative', reason: modelsSoFar },
  { at: 'GET /v1/models/{model_id} 200(FTModelCard)', kind: 'missing-alternative', reason: modelsSoFar },
  { at: 'GET /v1/models query.provider', kind: 'missing-parameter', reason: modelsSoFar },
  { at: 'GET /v1/models query.model', kind: 'missing-parameter', reason: modelsSoFar },
];
