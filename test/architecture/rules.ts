/** The rooms that every other room may build on. */
const base = ['kit', 'audit', 'tenants', 'metering', 'registry'];

/** Folders of the composition root: with the files directly in src they are `app`, which knows all rooms. */
export const rootFolders: readonly string[] = ['config', 'compose', 'operator'];

/**
 * The allowed imports between rooms, through their doors; no other edge, no cycle. CLI commands import the composition
 * root and the rooms of the operator's own data (docs/decisions/0007); otherwise they use HTTP.
 */
export const doors: Record<string, readonly string[]> = {
  kit: [],
  engines: ['kit'],
  audit: ['kit'],
  tenants: ['kit', 'audit'],
  metering: ['kit', 'audit', 'tenants'],
  registry: ['kit', 'audit', 'tenants', 'metering'],
  traces: ['kit', 'audit', 'tenants', 'metering'],
  files: base,
  prompts: base,
  skills: base,
  connectors: base,
  workflows: base,
  webhooks: base,
  notifications: base,
  admin: base,
  models: [...base, 'engines'],
  'model-settings': [...base, 'models'],
  embeddings: [...base, 'models'],
  retrieval: [...base, 'models', 'embeddings'],
  guardrails: [...base, 'models'],
  speech: [...base, 'models'],
  transcription: [...base, 'models', 'guardrails', 'files'],
  chat: [...base, 'models', 'guardrails', 'prompts', 'files'],
  classifiers: [...base, 'models', 'guardrails', 'chat', 'files'],
  agents: [...base, 'chat'],
  judges: [...base, 'chat', 'classifiers'],
  evaluations: [...base, 'judges', 'datasets', 'traces', 'prompts', 'agents', 'models'],
  conversations: [...base, 'agents', 'chat', 'guardrails', 'skills', 'connectors', 'files', 'engines/sandbox'],
  ocr: [...base, 'models', 'chat', 'files'],
  libraries: [...base, 'engines/read'],
  datasets: [...base, 'files', 'conversations', 'judges', 'traces'],
  batch: [...base, 'chat', 'embeddings', 'guardrails', 'ocr', 'conversations', 'files'],
  dialects: [
    ...base,
    ...[
      'chat',
      'agents',
      'embeddings',
      'conversations',
      'speech',
      'models',
      'files',
      'batch',
      'guardrails',
      'transcription',
    ],
  ],
  mcp: [...base, 'skills', 'prompts', 'libraries', 'workflows', 'connectors'],
  console: [...base, 'models'],
  guide: ['kit'],
  cli: ['app', 'kit', 'audit', 'tenants'],
};

/** The only files directly in `src`. */
export const roomFiles: readonly string[] = ['src/main.ts', 'src/app.ts'];

/** A pattern that the code of a file must not match, unless its path is allowed. Comments do not count. */
export type SourceRule = { problem: string; pattern: RegExp; applies?: RegExp; allowed?: RegExp };

export const sourceRules: readonly SourceRule[] = [
  // Time, randomness and the outside world are reserved for a few files, so that tests control them.
  // The start card prints code for the user to paste, which mentions two of them.
  {
    problem: 'uses process.env, which is reserved for src/config',
    pattern: /\bprocess\.env\b/,
    allowed: /^src\/(config\/|cli\/([a-z-]+\/)?start-card\.ts$)/,
  },
  {
    problem: 'uses Date.now(), which is reserved for src/kit/base: take a Clock',
    pattern: /\bDate\.now\(/,
    allowed: /^src\/(config\/|kit\/base\/)/,
  },
  {
    problem: 'uses randomUUID(), which is reserved for src/kit/base/ids.ts',
    pattern: /\brandomUUID\b/,
    allowed: /^src\/kit\/base\//,
  },
  {
    problem: 'uses console, which is reserved for src/kit/base/log.ts',
    pattern: /\bconsole\.\w+\(/,
    allowed: /^src\/(kit\/base\/|cli\/([a-z-]+\/)?start-card\.ts$)/,
  },
  {
    problem: 'builds SQL outside a store',
    pattern: /\.(selectFrom|insertInto|updateTable|deleteFrom|replaceInto|mergeInto)\(|\bsql(<[^`]*>)?`/,
    allowed: /^src\/kit\/db\/|\/store\/|\/([a-z-]+-)?store\.ts$/,
  },
  {
    problem: 'creates an error that is in no catalogue: add a row to the errors.ts of the room',
    pattern: /\bnew ApiError\(|\btype: 'value_error'/,
    allowed: /^src\/kit\/http\//,
  },
  {
    problem: 'starts a process by itself: engines/process is the supervisor, and an environment must be chosen by name',
    pattern: /(?<![.\w])(fork|spawn|execFile|exec)\(/,
    allowed:
      /^src\/(engines\/(process|sandbox\/bubblewrap)\/|engines\/weights\/run-program\.ts|operator\/(backup|service)\/|cli\/(worker|say|listen|start\/processes)\/|console\/app\/build\/|guide\/build-guide\.ts)/,
  },
  {
    problem: 'exports a name with a domain word in it: kit knows none',
    pattern:
      /\bexport (?:async )?(?:function|const|type|class|interface) \w*(?:[Pp]rompt|[Ss]kill|[Aa]gent|[Cc]onversation|[Ww]orkflow|[Gg]uardrail|[Vv]oice|[Ss]haring|[Aa]lias|[Mm]odel)/,
    applies: /^src\/kit\//,
  },
  // Schemas are patched once, when they are made.
  {
    problem:
      'assigns a new function to a property: V8 makes it old, and it keeps all that it can reach (decision 0146)',
    pattern: /(?<!\b_zod)\.#?\w+ (\?\?)?= (async )?(function\b|(\((?!async\b)[^\n]*\)(: [^=\n]+)?|\w+) =>)/,
  },
  {
    problem: 'imports the embedded engine: both engines build on engines/port alone',
    pattern: /from '[./]*\/embedded\//,
    applies: /^src\/workflows\/engines\/(temporal|port)\//,
  },
  {
    problem: 'imports the Temporal engine: both engines build on engines/port alone',
    pattern: /from '[./]*\/temporal\//,
    applies: /^src\/workflows\/engines\/(embedded|port)\//,
  },
];

/** Everything that can open a connection to another machine. Types alone cannot. */
export const networkClients: readonly RegExp[] = [
  /\bimport\s+(?!type\b)[^;]*?from\s+'(undici|nodemailer|pg|ws)'|\bimport\('(undici|nodemailer|pg|ws)'\)/,
  /\bimport\s+(?!type\b)[^;]*?from\s+'node:(http|https|http2|tls|dgram|dns|dns\/promises)'/,
  /\bimport\s+(?!type\b)[^;]*?\b(connect|createConnection|Socket)\b[^;]*?from\s+'node:net'/,
  /\bimport\s+(?!type\b)[^;]*?from\s+'@(temporalio\/client|grpc\/grpc-js)'|\bimport\('@(temporalio\/client|grpc\/grpc-js)'\)/,
  /(?<![.\w])fetch\(|\bnew\s+(WebSocket|EventSource)\(/,
];

/**
 * Every file that uses one, and who chooses the address. Addresses chosen by a client go through kit/outbound only;
 * `npm run trust outbound` tests each such feature. A new line here needs a test there, or a reason why not.
 */
export const networkUsers: Record<string, string> = {
  'src/kit/http/door.ts': 'none: it only listens',
  'src/kit/blobs/s3/client.ts': 'the operator: TRAMONTANE_BLOBS and AWS_ENDPOINT_URL_S3',
  'src/cli/folder/export-libraries.ts': "the operator: signed addresses of the command line's own server",
  'src/cli/listen/live-client.ts': "the operator: the command line's own server",
  'src/cli/shell/api-client.ts': "the operator: the command line's own server",
  'src/operator/doctor/check-engines.ts':
    'the operator: the model servers of the configuration, redirects not followed',
  'src/console/sign-in/provider-client.ts':
    'the operator: the sign-in providers of the configuration, through kit/outbound',
  'src/operator/doctor/check-port.ts': 'the operator: our own address',
  'src/engines/upstream/connections.ts':
    'the operator: the model servers of the configuration, and through the guard those of the database; redirects not followed',
  'src/engines/upstream/live-socket.ts': 'the operator: the model servers of the configuration, redirects not followed',
  'src/engines/upstream/probe.ts':
    'the operator: the model servers of the configuration; a connection is opened and nothing is sent',
  'src/engines/weights/http.ts':
    'the operator: where weights and GPU packages come from; clients may only name models of the catalogue',
  'src/kit/db/postgres/driver.ts': 'the operator: the database',
  'src/kit/db/postgres/wakeups.ts': 'the operator: the database',
  'src/kit/http/accept-sockets.ts': 'nobody: it accepts WebSockets',
  'src/kit/http/trace-requests.ts': 'the operator: the collector of traces, redirects not followed',
  'src/kit/mail/mailer.ts': 'the operator: the mail server',
  'src/kit/outbound/connect-guarded.ts': 'anybody: this is the guard',
  'src/kit/outbound/outbound.ts': 'anybody: this is the guard',
  'src/workflows/gateway/create-gateway.ts': 'nobody: it listens',
  'src/workflows/gateway/forward-call.ts': 'the operator: the Temporal cluster',
  'src/workflows/gateway/upstream.ts': 'the operator: the Temporal cluster',
  'src/workflows/engines/temporal/connect.ts': 'the operator: the Temporal cluster',
  'src/workflows/engines/temporal/grpc.ts': 'the operator: the Temporal cluster',
  'src/workflows/engines/temporal/temporal-client.ts': 'the operator: the Temporal cluster',
};
