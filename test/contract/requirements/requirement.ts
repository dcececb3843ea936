export const rooms = [
  'prompts',
  'skills',
  'speech',
  'models',
  'conversations',
  'agents',
  'chat',
  'embeddings',
  'guardrails',
  'classifiers',
  'workflows',
  'admin',
  'mcp',
  'tenants',
  'http',
  'files',
  'libraries',
  'ocr',
  'transcription',
] as const;

export interface Requirement {
  id: string;
  room: string;
  /** Where the promise is written: a heading of the specification and its row, or "decisions: <heading>". */
  place: string;
  promise: string;
}

/** Writes a room's promises as place → id → promise, so that each place is named once. */
export function requirementsOf(
  room: (typeof rooms)[number],
  promisesByPlace: Record<string, Record<string, string>>,
): Requirement[] {
  return Object.entries(promisesByPlace).flatMap(([place, promises]) =>
    Object.entries(promises).map(([id, promise]) => ({ id, room, place, promise })),
  );
}
