import { documentedRoutes, openApiOf } from '../../../src/app.ts';
import { judgeRefusal } from './judge-answer.ts';
import { jsonOperations, type Operation } from './operations.ts';
import { type Schema, sampleOf, schemaReader } from './sample-schema.ts';
import { leastCpuMs, note, send, type Trials } from './trial.ts';

const FIELDS_IN_QUICK = 6;
const ANSWERS = [400, 403, 404, 409, 412, 413, 422, 503];
const RECEIVING_MS_PER_MB = 6;

/** Values that are within the limits of a document but overload a careless check of one field. */
const HOSTILE: Record<string, [string, () => unknown][]> = {
  array: [
    ['200,000 zeros', () => Array(200_000).fill(0)],
    ['30,000 empty objects', () => Array(30_000).fill({})],
    ['60,000 short texts', () => Array(60_000).fill('ab')],
    ['200,000 nulls', () => Array(200_000).fill(null)],
  ],
  object: [['19,000 keys', () => Object.fromEntries(Array.from({ length: 19_000 }, (_, i) => [`k${i}`, 'v']))]],
  string: [
    ['100,000 letters', () => 'a'.repeat(100_000)],
    ['100,000 spaces', () => `${' '.repeat(100_000)}!`],
    ['50,000 surrogates and NULs', () => '\ud800\u0000'.repeat(25_000)],
    ['100,000 dots and dashes', () => '.-'.repeat(50_000)],
    ['33,000 accents on one letter', () => `a${'\u0301'.repeat(33_000)}`],
  ],
};

/** Every field of every body, with a list, an object or a text far larger than intended. */
export async function tryFields(trials: Trials, quick: boolean, progress: (text: string) => void): Promise<void> {
  const document = openApiOf(documentedRoutes()) as { paths: Record<string, Record<string, { requestBody?: Body }>> };
  const resolve = schemaReader(document);
  for (const operation of jsonOperations()) {
    const body = bodyOf(document.paths, operation);
    if (!body) continue;
    const sample = sampleOf(body, resolve);
    const fields = fieldsOf(body, resolve);
    progress(`limits: ${fields.length} fields of ${operation.name}`);
    for (const { name, kind } of quick
      ? fields.slice(0, operation.path.startsWith('/v1/chat') ? FIELDS_IN_QUICK : 0)
      : fields)
      for (const [what, make] of HOSTILE[kind] ?? [])
        await tryField(trials, operation, `${name} of ${what}`, { ...sample, [name]: make() });
  }
}

async function tryField(trials: Trials, operation: Operation, what: string, body: unknown): Promise<void> {
  const bytes = Buffer.from(JSON.stringify(body));
  const costMs = (bytes.length / 1e6) * RECEIVING_MS_PER_MB + parsingMs(bytes);
  const [answered, ms] = await leastCpuMs(trials.served, trials.cpuMsMax + costMs, () =>
    send(trials.served, operation, bytes),
  );
  // Accepted input is legitimate work: storing a large object takes its time.
  const isAccepted = answered.status >= 200 && answered.status < 300;
  const fault = isAccepted ? undefined : judgeRefusal(answered, ANSWERS);
  note(trials, `${operation.name}, ${what}`, fault, isAccepted ? 0 : ms - costMs);
}

function parsingMs(bytes: Buffer): number {
  const text = bytes.toString();
  const before = process.threadCpuUsage();
  JSON.parse(text);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

type Body = { content: Record<string, { schema: Schema }> };

function bodyOf(
  paths: Record<string, Record<string, { requestBody?: Body }>>,
  { route }: Operation,
): Schema | undefined {
  const path = route.path.replace(/:(\w+)/g, '{$1}');
  return paths[path]?.[route.method.toLowerCase()]?.requestBody?.content['application/json']?.schema;
}

/** The fields of a body with the types that they accept, also within unions. */
function fieldsOf(body: Schema, resolve: (schema: Schema) => Schema): { name: string; kind: string }[] {
  const { properties = {} } = resolve(body);
  return Object.entries(properties).flatMap(([name, schema]) =>
    [...kindsOf(schema, resolve)].filter((kind) => kind in HOSTILE).map((kind) => ({ name, kind })),
  );
}

function kindsOf(schema: Schema, resolve: (schema: Schema) => Schema): Set<string> {
  const known = resolve(schema);
  const branches = known.anyOf ?? known.oneOf;
  if (branches) return new Set(branches.flatMap((branch) => [...kindsOf(branch, resolve)]));
  return new Set([known.type].flat().filter((type) => type !== undefined));
}
