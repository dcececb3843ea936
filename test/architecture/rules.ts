/** The rooms that every other room may build on. */
const base = ['kit', 'audit', 'tenants', 'metering'];

/** Folders of the composition root: with the files directly in src they are `app`, which knows all rooms. */
export const rootFolders: readonly string[] = ['config', 'compose', 'operator'];

/**
 * Who may enter whose door. No other edge, no cycle. The operator's commands reach the composition root and the
 * rooms of the operator's own data (docs/decisions/0007); otherwise they speak HTTP.
 */
export const doors: Record<string, readonly string[]> = {
  kit: [],
  engines: ['kit'],
  audit: ['kit'],
  tenants: ['kit', 'audit'],
  metering: ['kit', 'audit', 'tenants'],
  files: base,
  prompts: base,
  skills: base,
  connectors: base,
  workflows: base,
  admin: base,
  models: [...base, 'engines'],
  embeddings: [...base, 'models'],
  guardrails: [...base, 'models'],
  speech: [...base, 'models'],
  chat: [...base, 'models', 'guardrails', 'prompts', 'files'],
  agents: [...base, 'chat'],
  conversations: [...base, 'agents', 'chat', 'guardrails', 'skills', 'connectors', 'files', 'engines/sandbox'],
  ocr: [...base, 'models', 'chat', 'files'],
  batch: [...base, 'chat', 'embeddings', 'guardrails', 'ocr', 'conversations', 'files'],
  mcp: [...base, 'skills', 'prompts', 'workflows'],
  console: [...base, 'models'],
  cli: ['app', 'kit', 'audit', 'tenants'],
};

/** Inside a room data walks one way: routes → service → store → schema. A file may import what stands before it. */
export const layers = ['schema', 'store', 'service', 'routes'] as const;

/**
 * What only a few files may touch, so that time, chance and the outside world stay in the hands of the tests.
 * The start card is on two of the lists because it prints a line of code for the user to paste.
 */
export const reserved: { what: string; pattern: RegExp; allowed: RegExp }[] = [
  { what: 'process.env', pattern: /\bprocess\.env\b/, allowed: /^src\/(config\/|cli\/start-card\.ts$)/ },
  { what: 'Date.now()', pattern: /\bDate\.now\(/, allowed: /^src\/(config\/|kit\/base\/)/ },
  { what: 'randomUUID()', pattern: /\brandomUUID\b/, allowed: /^src\/kit\/base\// },
  { what: 'console', pattern: /\bconsole\.\w+\(/, allowed: /^src\/(kit\/base\/|cli\/start-card\.ts$)/ },
];

/** Whatever can open a connection to another machine. Types alone cannot. */
export const networkClients: readonly RegExp[] = [
  /\bimport\s+(?!type\b)[^;]*?from\s+'(undici|nodemailer|pg|ws)'|\bimport\('(undici|nodemailer|pg|ws)'\)/,
  /\bimport\s+(?!type\b)[^;]*?from\s+'node:(http|https|http2|tls|dgram|dns|dns\/promises)'/,
  /\bimport\s+(?!type\b)[^;]*?\b(connect|createConnection|Socket)\b[^;]*?from\s+'node:net'/,
  /\bimport\s+(?!type\b)[^;]*?from\s+'@(temporalio\/client|grpc\/grpc-js)'|\bimport\('@(temporalio\/client|grpc\/grpc-js)'\)/,
  /(?<![.\w])fetch\(|\bnew\s+(WebSocket|EventSource)\(/,
];

/**
 * Every file that uses one, and who chooses the address. What a client chooses goes through kit/outbound and nothing else;
 * `npm run trust outbound` tries each such feature. A new line here needs its own try there, or a reason why not.
 */
export const networkUsers: Record<string, string> = {
  'src/cli/api-client.ts': "the operator: the command line's own server",
  'src/operator/doctor/check-engines.ts':
    'the operator: the model servers of the configuration, redirects not followed',
  'src/operator/doctor/check-port.ts': 'the operator: our own address',
  'src/engines/upstream/connections.ts': 'the operator: the model servers of the configuration, redirects not followed',
  'src/engines/weights/http.ts': 'the operator: where weights come from; clients may only name models of the catalogue',
  'src/kit/db/postgres/driver.ts': 'the operator: the database',
  'src/kit/db/postgres/wakeups.ts': 'the operator: the database',
  'src/kit/http/trace-requests.ts': 'the operator: the collector of traces, redirects not followed',
  'src/kit/mail/mailer.ts': 'the operator: the mail server',
  'src/kit/outbound/connect-guarded.ts': 'anybody: this is the guard',
  'src/kit/outbound/outbound.ts': 'anybody: this is the guard',
  'src/kit/outbound/translate-error.ts': 'nobody: it only knows the names of errors',
  'src/workflows/gateway/create-gateway.ts': 'nobody: it listens',
  'src/workflows/gateway/forward-call.ts': 'the operator: the Temporal cluster',
  'src/workflows/gateway/upstream.ts': 'the operator: the Temporal cluster',
  'src/workflows/engines/temporal/connect.ts': 'the operator: the Temporal cluster',
  'src/workflows/engines/temporal/grpc.ts': 'the operator: the Temporal cluster',
  'src/workflows/engines/temporal/temporal-client.ts': 'the operator: the Temporal cluster',
};
