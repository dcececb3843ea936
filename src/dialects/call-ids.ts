import { createHash } from 'node:crypto';

const OWN = /^[a-zA-Z0-9]{9}$/;
const PREFIXED = /^(?:call_|toolu_)([a-zA-Z0-9]{9})$/;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/**
 * The id of a tool call as models here know it: nine letters or digits. One that we sent with a prefix loses it; any other
 * is hashed, so that a call and its result keep matching, and the same history gives the same prompt.
 */
export function toCallId(id: string): string {
  if (OWN.test(id)) return id;
  const own = PREFIXED.exec(id)?.[1];
  if (own !== undefined) return own;
  const digest = createHash('sha256').update(id).digest();
  let short = '';
  for (let at = 0; at < 9; at++) short += LETTERS[(digest[at] as number) % LETTERS.length];
  return short;
}
