const LINE_FEED = 10;

/** Passes content on and counts its lines on the way; a last line without its end counts too. */
export function countLines(content: AsyncIterable<Uint8Array>): {
  content: AsyncIterable<Uint8Array>;
  lines: () => number;
} {
  let feeds = 0;
  let last = LINE_FEED;
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, at + 1)) feeds++;
      last = chunk.at(-1) ?? last;
      yield chunk;
    }
  }
  return { content: counted(), lines: () => feeds + (last === LINE_FEED ? 0 : 1) };
}
