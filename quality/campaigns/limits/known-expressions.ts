/**
 * Expressions that never see a long text: their input is cut to this many characters first. They are tried with texts
 * of that length instead of 100,000.
 */
export const CUT_BEFORE: { file: string; characters: number; why: string }[] = [
  { file: 'src/engines/speech/text/clean-text.ts', characters: 1000, why: 'a piece of speech has 280 characters' },
  { file: 'src/engines/speech/kokoro/pronounce.ts', characters: 1000, why: 'a piece of speech has 280 characters' },
  { file: 'src/engines/speech/text/abbreviations.ts', characters: 400, why: 'a word, or what follows in a piece' },
  { file: 'src/engines/llama/output/read-tokens.ts', characters: 1000, why: 'the text of six tokens' },
  { file: 'src/engines/ocr/layout/find-margins.ts', characters: 200, why: 'a line of at most 40 characters' },
  { file: 'src/kit/http/json-body.ts', characters: 200, why: 'a message of V8, cut to 200 characters' },
  { file: 'src/kit/jmespath/tokens.ts', characters: 4096, why: 'a longer expression is refused before' },
];

/** Where expressions are built at run time, and why that is safe. One that is not listed here is a fault. */
export const BUILT: Record<string, string> = {
  'src/engines/ocr/layout/find-margins.ts': 'over a line of at most 200 characters',
  'src/engines/embed/tokenizer.ts': 'an alternation of the tokens of a model, escaped',
  'src/engines/llama/prompt/shield-control-text.ts': 'an alternation of the control words of a model, escaped',
  'src/engines/speech/text/split-scripts.ts': 'classes of letters, over a piece of 280 characters',
  'src/engines/speech/text/split-sentences.ts': 'over a window of 328 characters',
  'src/config/schema.ts': 'of the operator; only built, to see whether it is one',
  'src/traces/content/redactor.ts': 'of the operator; run in a context with a time limit',
  'src/kit/capture/parse-pattern.ts': 'a class of a pattern of a client, over one character',
  'src/kit/json-schema/pattern/parse-pattern.ts': 'of a schema of a client; only built, to see whether it is one',
  'src/kit/json-schema/pattern/properties.ts': 'a property of one character',
  'src/kit/json-schema/pattern/timed-pattern.ts': 'of a schema of a client; run in a context with a time limit',
  'src/retrieval/text/split-words.ts': 'a class of letters, once',
  'src/skills/intake/find-hidden-unicode.ts': 'an alternation of single characters',
  'src/skills/intake/find-network-to-shell.ts': 'tried by its own test with hostile lines',
  'src/skills/intake/pipelines.ts': 'over the first 400 characters of a command',
};
