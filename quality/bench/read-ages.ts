import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

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
  const ages: number[] = [];
  const reading: Socket[] = [];
  for (const name of names)
    for (const port of ports)
      for (let n = 0; n < readers; n++) reading.push(await read({ port, key, name }, (age) => ages.push(age)));
  await Promise.all(names.map(append));
  await allArrived(ages);
  for (const socket of reading) socket.destroy();
  return ages;
}

/**
 * Bytes as they come: a client of HTTP takes longer for an event than the servers do, on the same cores, and its own queue would
 * be measured.
 */
async function read(
  { port, key, name }: { port: number; key: string; name: string },
  onAge: (age: number) => void,
): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.write(`GET /bench/streams/${name} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${key}\r\n\r\n`);
  const [head] = (await once(socket, 'data')) as [Buffer];
  if (!head.toString('latin1').startsWith('HTTP/1.1 200')) throw new Error(`A stream was refused: ${head}`);
  let cut = '';
  socket.on('data', (bytes) => {
    const now = performance.timeOrigin + performance.now();
    const text = cut + bytes.toString('latin1');
    let end = 0;
    for (const found of text.matchAll(/"at":([\d.]+)\}/g)) {
      onAge(now - Number(found[1]));
      end = found.index + found[0].length;
    }
    cut = text.slice(end);
  });
  return socket;
}

/** Waits for the last events that are still in transit. */
async function allArrived(ages: number[]): Promise<void> {
  for (let before = -1; before !== ages.length; ) {
    before = ages.length;
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
}
