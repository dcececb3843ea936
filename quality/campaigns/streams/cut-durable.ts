import type { Durable, Life } from './durable.ts';
import { type ReadStream, readStream } from './read-stream.ts';

const BYTES_MAX = 3000;
const CUTS_PER_LIFE = 4;

/** Reads a stream in pieces, cut at random bytes, and compares it with the stream read at once. */
export async function cutDurable(
  stream: Durable,
  mark: string,
  random: () => number,
): Promise<{ cuts: number; fault: string | undefined }> {
  const life = await stream.begin(mark);
  const pieces: string[] = [];
  let cuts = 0;
  let asked = life.first;
  let lastId: string | undefined;
  for (;;) {
    const isCut = cuts < CUTS_PER_LIFE;
    const until = { ...(isCut && { bytes: Math.floor(random() * BYTES_MAX) }), enough: enoughFor(life, pieces) };
    const read: ReadStream = await readStream(asked, until);
    pieces.push(...read.events);
    lastId = read.lastId ?? lastId;
    if (read.isEnded || !isCut || life.enough?.(pieces)) break;
    cuts++;
    const way = life.again[Math.floor(random() * life.again.length)] as Life['again'][number];
    asked = way(lastId);
  }
  const whole = await readStream((life.again[0] as Life['again'][number])(undefined), { enough: enoughFor(life, []) });
  const isSame = pieces.join('\n\n') === whole.events.join('\n\n');
  return { cuts, fault: isSame ? undefined : describe(stream, mark, pieces, whole.events) };
}

function enoughFor({ enough }: Life, before: string[]): (events: string[]) => boolean {
  return enough ? (events) => enough([...before, ...events]) : () => false;
}

function describe({ name }: Durable, mark: string, pieces: string[], whole: string[]): string {
  const at = whole.findIndex((event, index) => event !== pieces[index]);
  return `${name} (${mark}): ${pieces.length} events instead of ${whole.length}; at ${at}: ${JSON.stringify(pieces[at])?.slice(0, 150)} instead of ${JSON.stringify(whole[at])?.slice(0, 150)}`;
}
