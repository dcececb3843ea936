import { randomUUID } from 'node:crypto';

/** Measures how old events are when they reach their readers; `append` gets the name of the stream. */
export async function readAges(options: {
  ports: number[];
  key: string;
  streams: number;
  /** Per stream and port. */
  readers: number;
  append: (stream: string) => Promise<unknown>;
}): Promise<number[]> {
  const { ports, key, streams, readers, append } = options;
  // New names per run: a reader of an old stream would begin with its first event.
  const run = randomUUID();
  const names = Array.from({ length: streams }, (_, n) => `aged-${run}-${n}`);
  const leaving = new AbortController();
  const ages: number[] = [];
  const reading: Promise<void>[] = [];
  for (const name of names)
    for (const port of ports)
      for (let n = 0; n < readers; n++) {
        const response = await fetch(`http://127.0.0.1:${port}/bench/streams/${name}`, {
          headers: { authorization: `Bearer ${key}` },
          signal: leaving.signal,
        });
        reading.push(read(response, ages));
      }
  await Promise.all(names.map(append));
  await allArrived(ages);
  leaving.abort();
  await Promise.allSettled(reading);
  return ages;
}

async function read(response: Response, ages: number[]): Promise<void> {
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    const now = performance.timeOrigin + performance.now();
    for (const [, at] of decoder.decode(bytes).matchAll(/"at":([\d.]+)/g)) ages.push(now - Number(at));
  }
}

/** Waits for the last events that are still in transit. */
async function allArrived(ages: number[]): Promise<void> {
  for (let before = -1; before !== ages.length; ) {
    before = ages.length;
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
}
