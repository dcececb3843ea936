import { parentPort } from 'node:worker_threads';
import type { Encoder } from './encoder.ts';
import { openCodec } from './open-codec.ts';
import type { Ask, Reply } from './protocol.ts';

const encoders = new Map<number, Encoder>();
let turn: Promise<void> = Promise.resolve();

// One after the other, because opening waits and what follows for the same encoder must not overtake it.
parentPort?.on('message', (ask: Ask) => {
  turn = turn.then(() => answer(ask)).then(reply, (error: unknown) => reply({ id: ask.id, error: String(error) }));
});

async function answer({ id, ...ask }: Ask): Promise<Reply | undefined> {
  if (ask.kind === 'open') {
    encoders.set(id, await openCodec(ask.format, ask.sampleRate));
    return undefined;
  }
  const encoder = encoders.get(id);
  if (ask.kind === 'close') {
    encoders.delete(id);
    encoder?.close();
    return undefined;
  }
  if (!encoder) throw new Error('this encoder did not open');
  if (ask.kind === 'encode') return { id, bytes: encoder.encode(ask.samples) };
  const { tail, head } = encoder.finish();
  return head ? { id, bytes: tail, head } : { id, bytes: tail };
}

function reply(message: Reply | undefined): void {
  if (message) parentPort?.postMessage(message);
}
