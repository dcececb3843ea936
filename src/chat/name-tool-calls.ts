import { randomBytes } from 'node:crypto';
import type { EngineToolCall } from '../models/index.ts';

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const ID = /^[a-zA-Z0-9]{9}$/;
const ID_LENGTH = 9;

/** Engines name their calls as they like; ours have nine letters or digits, each its own. */
export function nameToolCalls(calls: EngineToolCall[]): void {
  const seen = new Set<string>();
  for (const call of calls) {
    if (!ID.test(call.id) || seen.has(call.id)) call.id = newId();
    seen.add(call.id);
  }
}

function newId(): string {
  let id = '';
  for (const byte of randomBytes(ID_LENGTH)) id += LETTERS[byte % LETTERS.length];
  return id;
}
