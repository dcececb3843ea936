import { ask } from '../serve/ask.ts';
import type { Kind } from './id-fields.ts';
import { isOnlyOwners } from './judge.ts';
import { maskAnswer } from './mask.ts';
import type { Operation, Schema } from './operations.ts';
import { credentialsFor, questionOf } from './question.ts';
import type { World, Worlds } from './worlds.ts';

type Resolve = (schema: Schema) => Schema;
const PAGE_TOKENS = ['cursor', 'next_page_token', 'page_token', 'pageToken'];
const PAGE_SIZES = ['limit', 'page_size', 'pageSize'];

/** Lists of another caller must contain nothing of the owner's. */
export async function judgeLists(worlds: Worlds, asker: World, operations: readonly Operation[], resolve: Resolve) {
  const shown: string[] = [];
  let asked = 0;
  for (const operation of operations) {
    const { method, path } = operation.route;
    const headers = credentialsFor(operation, asker);
    if (method !== 'GET' || path.includes(':') || !headers) continue;
    const { text } = await ask(worlds.server.url, questionOf(operation, resolve, asker, headers));
    asked++;
    for (const [kind, id] of Object.entries(worlds.owner.ids) as [Kind, string][])
      if (isOnlyOwners(worlds, asker, kind) && !isTold(operation, kind) && text.includes(id))
        shown.push(`${asker.name}: ${operation.id} lists the owner's ${kind}`);
  }
  return { asked, shown };
}

/** A page token of the owner must be as invalid to a stranger as any other text. */
export async function judgePageTokens(
  worlds: Worlds,
  asker: World,
  operations: readonly Operation[],
  resolve: Resolve,
) {
  const told: string[] = [];
  let asked = 0;
  for (const operation of operations) {
    const name = operation.parameters.find((one) => one.in === 'query' && PAGE_TOKENS.includes(one.name))?.name;
    const size = operation.parameters.find((one) => one.in === 'query' && PAGE_SIZES.includes(one.name))?.name;
    const theirs = credentialsFor(operation, worlds.owner);
    const own = credentialsFor(operation, asker);
    if (!name || !size || !theirs || !own) continue;
    const withPage = (world: World, headers: Record<string, string>, more: Record<string, string>) => {
      const question = questionOf(operation, resolve, world, headers);
      const joint = question.path.includes('?') ? '&' : '?';
      const search = new URLSearchParams({ [size]: '1', ...more });
      return ask(worlds.server.url, { ...question, path: `${question.path}${joint}${search}` });
    };
    const first = await withPage(worlds.owner, theirs, {});
    const [, token] = /"next(?:_cursor|_page_token|PageToken)":"([^"]+)"/.exec(first.text) ?? [];
    if (!token) continue;
    const broken = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
    const foreign = await withPage(asker, own, { [name]: token });
    const missing = await withPage(asker, own, { [name]: broken });
    asked++;
    if (maskAnswer(foreign, token) !== maskAnswer(missing, broken))
      told.push(`${asker.name}: ${operation.id}: ${foreign.status} ${foreign.text} instead of ${missing.text}`);
  }
  return { asked, told };
}

/** A job of the workspace names its input file, which only its owner can read. */
function isTold({ id }: Operation, kind: Kind): boolean {
  return id === 'jobs_api_routes_batch_get_batch_jobs' && kind === 'file';
}
