// The rooms whose promises must be proven by tests. Whoever builds a room adds it here, and from then on
// the coverage test names every promise of it that no test cites.
export const builtRooms = [
  'http',
  'tenants',
  'models',
  'chat',
  'embeddings',
  'prompts',
  'skills',
  'guardrails',
  'agents',
  'conversations',
  'files',
  'mcp',
  'admin',
  'speech',
  'ocr',
  'workflows',
] as const;
