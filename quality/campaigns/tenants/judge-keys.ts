import { ask } from '../serve/ask.ts';
import type { Operation, Schema } from './operations.ts';
import { questionOf } from './question.ts';
import type { Worlds } from './worlds.ts';

const AT_ONCE = 16;

/** Keys without access: every operation refuses them with the same response, whatever object is named. */
export async function judgeKeys(
  { server, owner, revoked, expired }: Worlds,
  operations: readonly Operation[],
  resolve: (schema: Schema) => Schema,
): Promise<{ asked: number; wrong: string[] }> {
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
  const keys: [name: string, headers: Record<string, string>, surfaces: string[]][] = [
    ['no key', {}, ['standard', 'admin', 'console']],
    ['a revoked key', bearer(revoked), ['standard', 'admin', 'console']],
    ['an expired key', bearer(expired), ['standard', 'admin', 'console']],
    ['an admin key', bearer(owner.adminKey ?? ''), ['standard', 'console']],
    ['an admin key in x-api-key', { 'x-api-key': owner.adminKey ?? '' }, ['standard', 'console']],
    ['a standard key', bearer(owner.key), ['admin', 'console']],
    ['a standard key in x-api-key', { 'x-api-key': owner.key }, ['admin', 'console']],
  ];
  const wrong: string[] = [];
  let asked = 0;
  const bodies = new Map<string, Set<string>>();
  for (const [name, headers, surfaces] of keys) {
    const here = operations.filter(
      ({ route }) => route.permission !== 'public' && surfaces.includes(route.surface ?? 'standard'),
    );
    for (let at = 0; at < here.length; at += AT_ONCE)
      await Promise.all(
        here.slice(at, at + AT_ONCE).map(async (operation) => {
          const { status, text } = await ask(server.url, questionOf(operation, resolve, owner, headers));
          asked++;
          if (status !== 401) wrong.push(`${name}: ${operation.id} → ${status} ${text.slice(0, 200)}`);
          bodies.set(operation.id, (bodies.get(operation.id) ?? new Set()).add(text));
        }),
      );
  }
  for (const [id, texts] of bodies) if (texts.size > 1) wrong.push(`${id} tells keys apart: ${[...texts].join(' / ')}`);
  return { asked, wrong };
}
