import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { schemathesis } from '../../../test/support/schemathesis.ts';
import type { Benchmark, Figure } from '../../bench/benchmark.ts';
import { inTemporaryDir, withChildren } from '../../bench/children.ts';
import { type Report, runSchemathesis } from '../fuzz/run-schemathesis.ts';
import { withServer } from '../fuzz/start.ts';
import { tryWrongKeys } from '../fuzz/try-wrong-keys.ts';
import { repeats } from '../support/share.ts';

const SEED = 14;
const EXAMPLES = repeats(300);
const PHASES = 'examples,coverage,fuzzing,stateful';
const FIRST_HALF = '^/(v1/(observability|workflows|admin)|v2/workflows)';
const QUICK_OPERATIONS = ['users_api_get_identity', 'prompts_get', 'users_api_admin_roles_get_roles'];

/** The figure for each check of schemathesis. Everything else is counted in one figure of its own. */
const KINDS: [name: string, types: string[]][] = [
  ['five-hundreds', ['ServerError', 'ContentTypeServerError']],
  [
    'answers outside the schema',
    [
      'UndefinedStatusCode',
      'UndefinedContentType',
      'MissingContentType',
      'MalformedMediaType',
      'MissingHeaders',
      'JsonSchemaError',
      'MalformedJson',
      'ContentDeserializationError',
      'DiscriminatorMismatch',
    ],
  ],
  ['bad data that was accepted', ['AcceptedNegativeData', 'MissingHeaderNotRejected']],
  ['operations that ignore their key', ['IgnoredAuth']],
];

export const fuzz: Benchmark = {
  name: 'fuzz',
  summary: 'schemathesis over the document of a running server: every operation, all phases, two keys',
  isPossible: () => schemathesis !== undefined,
  run: ({ quick, progress }) =>
    inTemporaryDir((directory) =>
      withChildren(directory, (start) =>
        withServer(directory, start, async (server) => {
          if (!schemathesis)
            throw new Error('schemathesis is not here: pip install schemathesis, or set TRAMONTANE_TEST_SCHEMATHESIS');
          progress('fuzz: wrong keys');
          const { asked, letIn } = await tryWrongKeys(server);
          const report = await runSchemathesis({
            program: schemathesis,
            server,
            directory,
            parts: (quick ? quickly() : thoroughly()).map((args) => ['--seed', String(SEED), ...args]),
            onRequests: (count) => progress(`fuzz: ${count} requests`),
          });
          if (report.complaints) process.stderr.write(`\n${report.complaints}`);
          const wrong = zero(
            'wrong keys that were let in',
            letIn.length,
            `${asked} asked; ${letIn.join(', ') || 'none'}`,
          );
          const alive = zero('keys that no longer open at the end', (await closedKeys(server)).length);
          return [...figuresOf(report, quick), wrong, alive, loggedErrors(directory)];
        }),
      ),
    ),
};

/** Two halves: what one operation answers is tried on others of the same half. */
function thoroughly(): string[][] {
  const halves = ['--include-path-regex', '--exclude-path-regex'];
  return halves.map((half) => ['--phases', PHASES, '--max-examples', String(EXAMPLES), half, FIRST_HALF]);
}

function quickly(): string[][] {
  const chosen = QUICK_OPERATIONS.flatMap((id) => ['--include-operation-id', id]);
  return [['--phases', 'coverage,fuzzing', '--max-examples', '3', ...chosen]];
}

function figuresOf({ operations, test_cases, failures, errors, complete }: Report, quick: boolean): Figure[] {
  const known = KINDS.flatMap(([, types]) => types);
  const kinds = [
    ...KINDS,
    ['other complaints', failures.map(({ type }) => type).filter((it) => !known.includes(it))],
  ] as const;
  const expected = quick ? QUICK_OPERATIONS.length : operations.total;
  return [
    { name: 'operations', value: operations.tested, unit: '', target: { at: '≥', value: expected } },
    { name: 'test cases', value: test_cases.generated, unit: '' },
    ...kinds.map(([name, types]) => {
      const found = failures.filter(({ type }) => types.includes(type));
      const where = found.map(({ title, operations: at }) => `${title}: ${at.join(', ')}`);
      return zero(
        name,
        found.reduce((sum, { count }) => sum + count, 0),
        where.join('; '),
      );
    }),
    zero(
      'errors of the tool, such as no answer in time',
      errors.length + (complete ? 0 : 1),
      JSON.stringify(errors).slice(0, 500),
    ),
  ];
}

/** A key that was revoked during the run would turn everything after it into a meaningless 401. */
async function closedKeys({ url, standardKey, adminKey }: { url: string; standardKey: string; adminKey: string }) {
  const doors: [string, string][] = [
    ['/v1/users/me', standardKey],
    ['/v1/admin/roles', adminKey],
  ];
  const statuses = await Promise.all(
    doors.map(
      async ([path, key]) => (await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } })).ok,
    ),
  );
  return statuses.filter((isOpen) => !isOpen);
}

/** A stream that breaks off has already responded with 200: only the log shows the failure. */
function loggedErrors(directory: string): Figure {
  const lines = readFileSync(join(directory, '0.log'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{"level":50'));
  return zero('errors in the log of the server', lines.length, lines.slice(0, 3).join('; '));
}

function zero(name: string, value: number, note = ''): Figure {
  return { name, value, unit: '', target: { at: '≤', value: 0 }, ...(note ? { note } : {}) };
}
