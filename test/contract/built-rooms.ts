// The rooms whose promises must be proven by tests. A new room is added here; the coverage test then lists every
// promise of it that no test cites.
export const builtRooms = [
  'http',
  'tenants',
  'models',
  'chat',
  'embeddings',
  'prompts',
  'skills',
  'guardrails',
  'classifiers',
  'agents',
  'conversations',
  'files',
  'libraries',
  'mcp',
  'admin',
  'speech',
  'ocr',
  'transcription',
  'workflows',
] as const;
