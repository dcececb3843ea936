import type { Scope } from '../../kit/http/index.ts';
import type { ConsoleSearch, FoundThing } from '../schema/search.ts';

/** A room that is searched, with the permission that reading its objects needs. */
export type SearchSource = {
  kind: FoundThing['kind'];
  permission: string;
  /** Bounded by itself: it looks at the newest objects only. */
  search(scope: Scope, text: string, limit: number): Promise<Omit<FoundThing, 'kind'>[]> | Omit<FoundThing, 'kind'>[];
};

const EACH_MAX = 8;
const DETAIL_CHARACTERS_MAX = 200;

/** Everything that the caller may read and that has the text in its name, its id or its content. */
export function createSearch(sources: readonly SearchSource[]) {
  return async (scope: Scope, text: string): Promise<ConsoleSearch> => {
    // PostgreSQL refuses text with a NUL.
    const sought = text.replaceAll('\0', '');
    const readable = sources.filter(({ permission }) => scope.permissions.has(permission));
    const lists = await Promise.all(
      readable.map(async ({ kind, search }) =>
        (await search(scope, sought, EACH_MAX)).map((found) => ({
          ...found,
          kind,
          detail: found.detail.slice(0, DETAIL_CHARACTERS_MAX),
        })),
      ),
    );
    return { found: lists.flat().sort((a, b) => rank(a, sought) - rank(b, sought)) };
  };
}

/** The same name or id first, then names that begin with the text, then those that have it, then contents. */
function rank({ name, id }: FoundThing, text: string): number {
  const [lower, sought] = [name.toLowerCase(), text.toLowerCase()];
  if (lower === sought || id.toLowerCase() === sought) return 0;
  if (lower.startsWith(sought)) return 1;
  return lower.includes(sought) ? 2 : 3;
}
