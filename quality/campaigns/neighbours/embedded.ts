import { setTimeout as delay } from 'node:timers/promises';
import { type AttackOrder, type AttackReport, repeat, sendAll } from './send.ts';

/** The name of the embedded model in the campaign's configuration. */
export const EMBEDDED = 'embedded';
const CHATS_MS = { quick: 1000, full: 6000 };
const LEFT_AFTER_MS = 1500;

const chat = (content: string, more: object = {}) => ({
  path: '/v1/chat/completions',
  body: { model: EMBEDDED, max_tokens: 16, messages: [{ role: 'user', content }], ...more },
});

/** Control of the attack below: as many chats at a time, of the kind that every tenant sends. */
export async function chatWithEmbedded(order: AttackOrder): Promise<AttackReport> {
  const until = performance.now() + (order.isQuick ? CHATS_MS.quick : CHATS_MS.full);
  const reports: AttackReport[] = [];
  while (performance.now() < until) reports.push(await sendAll(order, repeat([chat('Say hello.')], 8)));
  return {
    sent: reports.reduce((sum, { sent }) => sum + sent, 0),
    accepted: [],
    failures: reports.flatMap(({ failures }) => failures),
  };
}

/** Grammars that are hard to follow and prompts that are long to read, half of them abandoned. */
export async function occupyEmbedded(order: AttackOrder): Promise<AttackReport> {
  const patterns = ['(a?){40}'.repeat(6), '((a|b)*c){20}', '[a-z]{1,200}', '(x+x+)+y'];
  const schemas = patterns.map((pattern) => ({
    type: 'object',
    properties: { a: { type: 'string', pattern } },
    required: ['a'],
  }));
  const formats = schemas.map((schema) =>
    chat('Answer.', {
      max_tokens: 64,
      response_format: { type: 'json_schema', json_schema: { name: 's', schema, strict: true } },
    }),
  );
  const long = chat('word '.repeat(1200), { max_tokens: 64 });
  const requests = [...formats, long, chat('Tell a long story.', { max_tokens: 256, n: 4 })];
  const abandoned = abandon(order, requests);
  const report = await sendAll(order, order.isQuick ? requests.slice(0, 2) : requests);
  await abandoned;
  return report;
}

async function abandon({ url, key, isQuick }: AttackOrder, requests: { path: string; body: object }[]): Promise<void> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const leaving = new AbortController();
  const open = (isQuick ? requests.slice(0, 2) : repeat(requests, 2)).map(({ path, body }) =>
    fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body), signal: leaving.signal }).catch(
      () => undefined,
    ),
  );
  await delay(LEFT_AFTER_MS);
  leaving.abort();
  await Promise.all(open);
}
