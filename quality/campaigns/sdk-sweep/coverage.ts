import { readFileSync } from 'node:fs';
import { documentedRoutes } from '../../../src/app.ts';
import type { Sweep } from './call-typescript.ts';
import type { OperationFields } from './fields.ts';
import { ALWAYS_REFUSED, withoutNames } from './operations.ts';
import type { SdkFunction, Surface } from './surface.ts';
import { refusedValues, unservedFields } from './unserved-fields.ts';
import { unservedOperations } from './unserved-operations.ts';

export const PAGE = new URL('../../../docs/sdk-coverage.md', import.meta.url);

const REFUSED = 409;
const TWIN = '_async';

const served = new Set(documentedRoutes().map(({ method, path }) => withoutNames(`${method} ${path}`)));

function isServed({ operations }: SdkFunction): boolean {
  return operations.length > 0 && operations.every((operation) => served.has(withoutNames(operation)));
}

export type Judgement = { functions: number; served: number; parsed: number; failing: string[]; uncalled: string[] };

/** What the calls of a sweep prove about the functions of an SDK. */
export function judge({ functions }: Surface, { log, broken, absent }: Sweep): Judgement {
  const ours = functions.filter((one) => isServed(one) && !absent.includes(one.name));
  const failing = ours.flatMap(({ name, operations }) => {
    const { parsed, refused, failed } = log[name] ?? { parsed: 1, refused: [], failed: [] };
    if (failed.length > 0) return [`${name}: ${failed[0]}`];
    const mayRefuse = operations.every((operation) => ALWAYS_REFUSED.has(withoutNames(operation)));
    const isRight = mayRefuse ? refused.every((status) => status === REFUSED) && parsed === 0 : parsed > 0;
    return isRight ? [] : [`${name}: ${parsed} answers, refused with ${refused.join(', ')}`];
  });
  const uncalled = ours.filter(({ name }) => !log[name]).map(({ name }) => name);
  return {
    functions: functions.length,
    served: ours.length,
    parsed: ours.length - failing.length - uncalled.length,
    failing: [...failing, ...broken],
    uncalled,
  };
}

/** The page: one row for each operation of both SDKs. */
export function renderCoverage(typescript: Surface, python: Surface, compared: readonly OperationFields[]): string {
  const fields = new Map(compared.map((row) => [withoutNames(row.operation), row]));
  const rows = new Map<string, { operation: string; typescript: string[]; python: string[] }>();
  for (const { language, functions } of [typescript, python]) {
    for (const { name, operations } of functions.filter((one) => !isTwin(one, functions))) {
      for (const operation of operations.length === 0 ? ['–'] : operations) {
        const key = withoutNames(operation);
        const row = rows.get(key) ?? { operation, typescript: [], python: [] };
        row[language === 'Python' ? 'python' : 'typescript'].push(`\`${name}\``);
        rows.set(key, row);
      }
    }
  }
  const ordered = [...rows.values()].sort((a, b) => pathOf(a.operation).localeCompare(pathOf(b.operation), 'en'));
  const [intro] = readFileSync(PAGE, 'utf8').split(/^\| Operation/m);
  const lines = ordered.map(
    (row) =>
      `| \`${row.operation}\` | ${row.typescript.join(' ') || '–'} | ${row.python.join(' ') || '–'} | ${stateOf(row)} | ${fieldsOf(fields.get(withoutNames(row.operation)))} |`,
  );
  const counts = [typescript, python].map(
    ({ language, version, functions }) =>
      `| ${language} ${version} | ${functions.length} | ${functions.filter(isServed).length} |`,
  );
  return [
    intro?.replace(/^\| (TypeScript|Python) \d.*\n/gm, '').replace(/(\|---\|---\|---\|\n)/, `$1${counts.join('\n')}\n`),
    '| Operation | TypeScript | Python | Served | Fields |\n|---|---|---|---|---|\n',
    `${lines.join('\n')}\n`,
    '\n## Operations that are not served\n\n| Operation | Why |\n|---|---|\n',
    ...unservedOperations.map(({ operation, reason }) => `| \`${operation}\` | ${reason} |\n`),
    '\n## Fields that are not served\n\n| Operation | Field | Why |\n|---|---|---|\n',
    ...[...unservedFields, ...refusedValues].map(
      ({ operation, field, reason }) => `| \`${operation}\` | \`${field}\` | ${reason} |\n`,
    ),
  ].join('');
}

function isTwin({ name }: SdkFunction, functions: SdkFunction[]): boolean {
  return name.endsWith(TWIN) && functions.some((other) => other.name === name.slice(0, -TWIN.length));
}

function pathOf(operation: string): string {
  const [method = '', path = ''] = operation.split(' ');
  return `${path} ${method}`;
}

/** How many of the fields that the SDKs type we take and send. */
function fieldsOf(row: OperationFields | undefined): string {
  if (!row || row.fields.size === 0) return '–';
  const { fields, missing } = row;
  return missing.size === 0 ? `all ${fields.size}` : `${fields.size - missing.size} of ${fields.size}`;
}

/** The operations of these SDKs that no route serves. */
export function listUnserved(...surfaces: Surface[]): string[] {
  const operations = surfaces.flatMap(({ functions }) => functions.flatMap((one) => one.operations));
  return [...new Set(operations.filter((operation) => !served.has(withoutNames(operation))))];
}

function stateOf({ operation }: { operation: string }): string {
  if (operation === '–') return '–';
  if (ALWAYS_REFUSED.has(withoutNames(operation))) return `always ${REFUSED}`;
  return served.has(withoutNames(operation)) ? 'yes' : 'no';
}
