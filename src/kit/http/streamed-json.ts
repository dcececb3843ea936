/** The object around a list, and the member of the response that it is, if it is not the response itself. */
type Around = { members: object; key: string; within?: string };

/**
 * A response with a list that is written while it is read: `groups` are read one after another, each when the client has
 * taken the one before.
 */
export class StreamedJson<T> {
  /** The members of the object around the list; undefined if the response is the list itself. */
  readonly around: Around | undefined;
  readonly groups: AsyncIterable<readonly unknown[]>;

  constructor(groups: AsyncIterable<readonly unknown[]>, around?: Around) {
    this.groups = groups;
    this.around = around;
  }

  /** The whole response, for a list that is known to be short. */
  whole(items: readonly unknown[]): T {
    if (!this.around) return items as T;
    const { members, key, within } = this.around;
    const object = { ...members, [key]: items };
    return (within === undefined ? object : { [within]: object }) as T;
  }
}

export function streamedList<T>(groups: AsyncIterable<readonly T[]>): StreamedJson<T[]> {
  return new StreamedJson(groups);
}

/** An object with a list as its last member. */
export function streamedObject<M extends object, K extends string, T>(
  members: M,
  key: K,
  groups: AsyncIterable<readonly T[]>,
): StreamedJson<M & Record<K, T[]>> {
  return new StreamedJson(groups, { members, key });
}

/** The same as the only member of another object. */
export function streamedWithin<W extends string, M extends object, K extends string, T>(
  within: W,
  members: M,
  key: K,
  groups: AsyncIterable<readonly T[]>,
): StreamedJson<Record<W, M & Record<K, T[]>>> {
  return new StreamedJson(groups, { members, key, within });
}

/** The same list with each of its items changed. */
export async function* mapGroups<A, B>(
  groups: AsyncIterable<readonly A[]>,
  change: (item: A) => B,
): AsyncGenerator<B[]> {
  for await (const group of groups) yield group.map(change);
}

/** The response as JSON text, a piece per group. */
export async function* jsonPieces({ around, groups }: StreamedJson<unknown>): AsyncGenerator<string> {
  const [open, close] = around ? bracketsOf(around) : ['[', ']'];
  let before = open;
  for await (const group of groups) {
    if (group.length === 0) continue;
    // Undefined is null in a list, as JSON.stringify writes it.
    yield before + group.map((item) => JSON.stringify(item) ?? 'null').join(',');
    before = ',';
  }
  yield before === ',' ? close : before + close;
}

function bracketsOf({ members, key, within }: Around): [string, string] {
  const text = JSON.stringify(members);
  const open = `${text.slice(0, -1)}${text === '{}' ? '' : ','}${JSON.stringify(key)}:[`;
  return within === undefined ? [open, ']}'] : [`{${JSON.stringify(within)}:${open}`, ']}}'];
}
