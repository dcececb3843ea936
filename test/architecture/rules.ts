/** The rooms that every other room may build on. */
const base = ['kit', 'audit', 'tenants', 'metering'];

/** Folders of the composition root: with the files directly in src they are `app`, which knows all rooms. */
export const rootFolders: readonly string[] = ['config', 'doctor', 'backup'];

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
  { what: 'process.env', pattern: /\bprocess\.env\b/, allowed: /^src\/(config(\.ts|\/)|cli\/start-card\.ts$)/ },
  { what: 'Date.now()', pattern: /\bDate\.now\(/, allowed: /^src\/(config(\.ts|\/)|kit\/base\/)/ },
  { what: 'randomUUID()', pattern: /\brandomUUID\b/, allowed: /^src\/kit\/base\// },
  { what: 'console', pattern: /\bconsole\.\w+\(/, allowed: /^src\/(kit\/base\/|cli\/start-card\.ts$)/ },
];
