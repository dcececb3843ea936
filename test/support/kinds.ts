import { matchesGlob } from 'node:path';

type Kind = {
  name: string;
  /** A test is of the first kind that has its file or a word of its title; without either all others are. */
  files?: readonly string[];
  titles?: RegExp;
  /** What `npm test` proves, and what only `npm run test:full` does. */
  short: string;
  full: string;
};

/** What a test spends its time on, the dearest first. `npm run docs` writes the table of test/README.md from this list. */
export const KINDS: readonly Kind[] = [
  {
    name: 'campaigns',
    files: ['quality/campaigns/parts.test.ts', 'test/crash/**', 'test/cluster/campaign.test.ts'],
    short:
      'short forms of `outbound`, `secrets`, `streams` and `supply-chain`; the data of the oldest and of the newest release opens; a `kill -9` under twenty writers; losses of power',
    full: 'the short forms of all other parts, whose full forms are `npm run trust`; batches, conversations, deliveries and executions under kills; three servers under load, of which one is killed',
  },
  {
    name: 'browser',
    files: ['console/test/**'],
    titles: /\bin a browser\b/,
    short:
      'the app is built; the first page of each area opens without an error, has no fault that axe finds and fits a phone; the playground streams; a newcomer makes a key; the contrast of each pair of colours',
    full: 'every page with objects to show, with contrasts in both themes; what each page does; all tasks of a newcomer; the components; the guide',
  },
  {
    name: 'real weights',
    files: [
      'src/engines/{embed,llama,speech,transcribe}/**',
      'src/{embeddings,guardrails/embedded,transcription}/**',
      'src/speech/espeak.test.ts',
      'test/embedded/**',
    ],
    titles: /\b(real weights|real vocabulary|default weights|for real)\b/,
    short:
      'the default models behind the server: they are loaded, chat, stream, call a tool, keep a schema, tell log probabilities and embed; a sentence is spoken and one is written down',
    full: 'each engine against its bare runtime; looking ahead; kills, hangs, queues and fairness; the download of the first start; generated schemas of tools; both SDKs on the default models',
  },
  {
    name: 'Temporal',
    files: ['src/workflows/{engines/temporal,python-worker}/**', 'src/workflows/temporal-*.test.ts'],
    titles: /\bTemporal\b|\btemporal engine\b/,
    short:
      'four workflows of the conformance suite: steps, messages, a cancellation, the history; names, the gateway, what official workers say',
    full: 'the whole suite on Temporal; three servers with Temporal; a Temporal or a server that is away',
  },
  {
    name: 'counts',
    files: ['test/counts/**'],
    short: 'bytes, calls of the system and statements of requests, an idle server and lists, on SQLite',
    full: 'statements on PostgreSQL',
  },
  {
    name: 'programs',
    files: [
      'src/cli/**',
      'src/{connectors,mcp}/conformance.test.ts',
      'src/engines/{ocr,process,read,sandbox}/**',
      'src/mcp/python-client.test.ts',
      'packages/workflows/src/package.test.ts',
      'quality/**',
      'test/{cluster,deploy,dev,examples,package,sdk}/**',
      'test/docs/*-examples.test.ts',
      'test/docs/{blocks,tour}.test.ts',
      'test/launcher.test.ts',
    ],
    titles: /\bPython\b/,
    short:
      'each command; a first start, its signals, two processes on a port, a worker; the package in an empty folder; three servers on one PostgreSQL; every operation in both SDKs; two examples; one page of the recognizer',
    full: 'further starts; reloads; backups with libraries and credentials; workflows on three servers; `npm run dev`; the launcher on old versions of Node; all examples and blocks of the documentation; all revisions of MCP; releases',
  },
  {
    name: 'PostgreSQL',
    titles: /\bPostgreSQL\b/,
    short: 'stores, transactions, locks, migrations, and what several servers share',
    full: 'rules of HTTP: schemas, statuses, refusals, permissions; what takes seconds and sends no statement of its own',
  },
  {
    name: 'in-process',
    short: 'everything else, on SQLite; properties with few inputs, always the same',
    full: 'properties with many inputs, new ones each time',
  },
];

/** The name of the kind of a test; without a title that of what its file does beside its tests. */
export function kindOf(file: string, title = ''): string {
  const kind = KINDS.find(
    ({ files, titles }) =>
      files?.some((pattern) => matchesGlob(file, pattern)) || titles?.test(title) || !(files || titles),
  );
  return kind?.name ?? '';
}
