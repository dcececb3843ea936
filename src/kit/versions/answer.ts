import { Readable } from 'node:stream';
import { type RenderedReply, rendered } from '../http/index.ts';
import { pickFields } from './pick-fields.ts';
import type { History } from './read.ts';
import type { Rendered } from './rendered-cache.ts';
import type { VersionSnapshot } from './snapshot.ts';
import type { AliasMoveRow } from './tables.ts';

/** The reply with an object, or with the fields of it that were asked for. */
export function answerObject<W extends object>(
  { value, text, etag }: Rendered<W>,
  fields?: readonly string[] | undefined,
): RenderedReply {
  return rendered(fields === undefined ? text : JSON.stringify(pickFields(value, fields)), etag);
}

/** The reply `{"data": […]}` with all versions, written while they are read. */
export function answerHistory<D>(
  { etag, pages }: History<D>,
  render: (version: VersionSnapshot<D>) => unknown | Promise<unknown>,
): RenderedReply {
  async function* write() {
    let before = '{"data":[';
    for await (const page of pages) {
      const texts = await Promise.all(page.map(async (version) => JSON.stringify(await render(version))));
      yield `${before}${texts.join(',')}`;
      before = ',';
    }
    yield before === ',' ? ']}' : `${before}]}`;
  }
  return rendered(Readable.from(write()), etag);
}

/** How aliases moved, in the wire's words. */
export function showAliasMoves(moves: readonly AliasMoveRow[]) {
  const data = moves.map(({ alias, from_version, to_version, moved_at, author_id }) => ({
    alias,
    fromVersion: from_version,
    toVersion: to_version,
    movedAt: moved_at,
    movedBy: author_id,
  }));
  return { data };
}
