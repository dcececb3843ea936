/** Fields that an SDK types and we refuse in a request, or never send in a response. `*` stands for any text. */
type UnservedField = { operation: string; field: string; reason: string };

const cloning = 'There is one kind of cloned voice.';
const agents = 'An agent belongs to its workspace; who made it is in the audit log.';
const cards = 'Prices are by the name of the model that served, and a card has one list of capabilities.';
const wrapped = 'One argument of the SDK holds the path and the form; each is sent and served where it belongs.';
const builds = 'This server builds no deployments and looks into none: the operator runs the workers.';

const shown = 'A connector here has one language, and its list of tools is asked for with its own operation.';
const passed = 'Results and tools are passed on within our limits: text, pictures, sound, links and bytes.';
const keys = 'Clients prove themselves with a secret.';
const names = 'Tools are chosen by their names.';

const summed = 'Statistics are those of the run, by evaluator; an evaluator has none of its own.';

/** A line that no field matches any more must be removed. */
export const unservedFields: UnservedField[] = [
  { operation: '* /v1/observability/*', field: 'response.*evaluators[].statistics[]', reason: summed },
  { operation: '* /v1/connectors*', field: 'response.*locale', reason: shown },
  { operation: '* /v1/connectors*', field: 'response.*server_card', reason: shown },
  { operation: '* /v1/connectors*', field: 'response.*_confirmation{}', reason: names },
  { operation: '* /v1/connectors*', field: 'response.*.icons', reason: passed },
  { operation: '* /v1/connectors*', field: 'response.*.annotations.lastModified', reason: passed },
  { operation: '* /v1/connectors*', field: 'response.[].outputSchema', reason: passed },
  { operation: '* /v1/connectors*', field: 'response.[].execution', reason: passed },
  { operation: '* /v1/connectors*', field: 'response.[]._meta', reason: passed },
  { operation: '* /v1/connectors*', field: 'body.*=private_key_jwt', reason: keys },
  { operation: '* /v1/connectors*', field: 'body.credentials.oauth.client_certificate', reason: keys },
  { operation: '* /v1/connectors*', field: 'body.credentials.oauth.client_private_key', reason: keys },
  { operation: '* /v1/agents*', field: 'response.*owner_id', reason: agents },
  { operation: '* /v*/audio/voices*', field: 'response.*kind', reason: cloning },
  {
    operation: 'POST /v1/audio/speech',
    field: 'response.*.usage.service_tier',
    reason: 'There is one tier of service, and no response names it.',
  },
  {
    operation: '* /v1/files',
    field: '*.purpose=agentic_safety',
    reason: 'Nothing here reads such a file.',
  },
  { operation: 'POST /v1/libraries/{library_id}/documents', field: 'body.library_id', reason: wrapped },
  { operation: 'POST /v1/libraries/{library_id}/documents', field: 'body.RequestBody', reason: wrapped },
  { operation: 'GET /v1/models*', field: 'response.*billing_model_name', reason: cards },
  { operation: 'GET /v1/models*', field: 'response.*audio_*_capabilities', reason: cards },
  { operation: 'GET /v1/workflows/deployments*', field: 'response.*owner', reason: builds },
  { operation: 'GET /v1/workflows/deployments*', field: 'response.*managed{}', reason: builds },
  { operation: 'GET /v1/workflows/deployments*', field: 'query.*', reason: builds },
  {
    operation: 'GET /v1/workflows/registrations',
    field: 'query.workflow_name',
    reason: 'Registrations are filtered by the id of their workflow.',
  },
];

/** Fields that a schema takes and a rule refuses, with an error that says what to do. Tests of their rooms hold them. */
export const refusedValues: UnservedField[] = [
  {
    operation: 'POST /v1/chat/completions',
    field: 'body.tools[] of other types than function',
    reason: 'The server runs tools in conversations, not in a chat.',
  },
];

type Row = { operation: string; missing: ReadonlySet<string> };

/** What the list does not explain, and lines of the list that explain nothing. */
export function reconcileFields(rows: readonly Row[], listed: readonly UnservedField[]): string[] {
  const used = new Set<UnservedField>();
  const unexplained = rows.flatMap(({ operation, missing }) =>
    [...missing].flatMap((field) => {
      const line = listed.find((one) => matches(one.operation, operation) && matches(one.field, field));
      if (line) used.add(line);
      return line ? [] : [`${operation} ${field}`];
    }),
  );
  const stale = listed.filter((line) => !used.has(line));
  return [...unexplained, ...stale.map(({ operation, field }) => `remove the line ${operation} ${field}`)];
}

export function matches(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(text);
}
