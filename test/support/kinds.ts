import { matchesGlob } from 'node:path';

type Kind = {
  name: string;
  /** A test is of the first kind that has its file or a word of its title; without either all others are. */
  files?: readonly string[];
  titles?: RegExp;
};

/** What a test spends its time on, the dearest first: a browser test that starts a program is a browser test. */
export const KINDS: readonly Kind[] = [
  { name: 'campaigns', files: ['quality/campaigns/parts.test.ts', 'test/crash/**', 'test/cluster/campaign.test.ts'] },
  { name: 'browser', files: ['console/test/**'], titles: /\bin a browser\b/ },
  {
    name: 'real weights',
    files: [
      'src/engines/{embed,llama,speech,transcribe}/**',
      'src/{embeddings,guardrails/embedded,transcription}/**',
      'src/speech/espeak.test.ts',
      'test/embedded/**',
    ],
    titles: /\b(real weights|real vocabulary|default weights|for real)\b/,
  },
  {
    name: 'Temporal',
    files: ['src/workflows/{engines/temporal,python-worker}/**', 'src/workflows/temporal-*.test.ts'],
    titles: /\bTemporal\b|\btemporal engine\b/,
  },
  { name: 'counts', files: ['test/counts/**'] },
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
  },
  { name: 'PostgreSQL', titles: /\bPostgreSQL\b/ },
  { name: 'in-process' },
];

/** The name of the kind of a test; without a title that of what its file does beside its tests. */
export function kindOf(file: string, title = ''): string {
  const kind = KINDS.find(
    ({ files, titles }) =>
      files?.some((pattern) => matchesGlob(file, pattern)) || titles?.test(title) || !(files || titles),
  );
  return kind?.name ?? '';
}
