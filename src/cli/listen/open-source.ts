import { createReadStream } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import type { Environment } from '../../config/environment.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { UsageError } from '../shell/command.ts';
import { readWav } from './read-wav.ts';
import { openRecorder } from './recorder.ts';
import type { Source } from './source.ts';

type Wishes = {
  from: string | undefined;
  rate: string | undefined;
  encoding: string | undefined;
  device: string | undefined;
  environment: Environment;
  signal: AbortSignal;
};

/** The sound to listen to: a file, the standard input, or what a program on this machine records. */
export async function openSource({ from, rate, encoding, device, environment, signal }: Wishes): Promise<Source> {
  const hertz = Number(rate ?? 16_000);
  if (!Number.isInteger(hertz) || hertz < 8000 || hertz > 96_000)
    throw new UsageError('--rate must be a number from 8000 to 96000.');
  if (from === undefined) return openRecorder(environment, device, signal);
  if (from !== '-')
    await access(from, constants.R_OK).catch(({ code }: NodeJS.ErrnoException) => {
      throw new CommandFailure(`${from} cannot be read (${code}).`);
    });
  const bytes: AsyncIterable<Uint8Array> = from === '-' ? process.stdin : createReadStream(from);
  const raw = { encoding: `pcm_${encoding ?? 's16le'}`, sample_rate: hertz };
  const { format, sound } = await readWav(untilStopped(bytes, signal), raw);
  return { name: from, isMicrophone: false, format, sound };
}

async function* untilStopped(bytes: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]();
  const stopped = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  for (;;) {
    const next = await Promise.race([iterator.next(), stopped]);
    if (!next || next.done) return;
    yield next.value;
  }
}
