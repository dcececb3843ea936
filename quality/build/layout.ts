import { resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** What the launcher runs; commands and rooms that not every start needs are chunks of their own. */
export const PROGRAM = 'cli/main.ts';

/** What child processes and threads run, by its path in src: one file each, with everything it needs. */
export const CHILDREN = [
  'classifiers/train/train-thread.ts',
  'engines/embed/child.ts',
  'engines/llama/child.ts',
  'engines/llama/grammar/worker.ts',
  'engines/ocr/child.ts',
  'engines/read/child.ts',
  'engines/sandbox/wasm/child.ts',
  'engines/speech/espeak/child.ts',
  'engines/speech/kokoro/child.ts',
  'engines/transcribe/child.ts',
  'engines/transcribe/decode/child.ts',
  'engines/transcribe/speakers/child.ts',
  'kit/db/sqlite/checkpoint-worker.ts',
  'kit/db/sqlite/read-apart-worker.ts',
  'libraries/sources/pack-worker.ts',
  'retrieval/search/search-worker.ts',
  'speech/encode/thread.ts',
];

/** Files beside the code that it reads while it runs, by their path in src. */
export const READ_FILES = [
  'engines/sandbox/run-code.py',
  'engines/sandbox/bubblewrap/supervise.py',
  'guardrails/embedded/prototypes.jsonl',
];

/** Of a package that also brings interpreters of six other languages. */
export const PYTHON_FILES = ['python-3.11.3.wasm', 'python-3.11.3.tar.gz'];

/** What the API reference needs of its viewer, whose package is ten times as large. */
export const VIEWER_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/** What npm packs besides `files` of package.json. */
export const ALWAYS_PACKED = ['package.json', 'README.md', 'LICENSE'];
