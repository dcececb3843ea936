import { existsSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import consumers from 'node:stream/consumers';
import { systemClock } from '../../kit/base/clock.ts';
import { CommandFailure } from '../../operator/command-failure.ts';
import { openApi } from '../shell/api-client.ts';
import type { Context, ExitCode } from '../shell/command.ts';
import { playFile } from './play-file.ts';
import { requestSpeech } from './speech-client.ts';

const FORMATS = ['mp3', 'wav', 'flac', 'opus', 'pcm'];
const KILOBYTE = 1000;

/** A text as a file of sound, over HTTP as any client would get it. */
export async function say(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const given = args.parameter('text');
  const input = given === '-' ? await consumers.text(process.stdin) : given;
  const ending = extname(args.text('output') ?? '').slice(1);
  const response_format = args.text('format') ?? (FORMATS.includes(ending) ? ending : 'mp3');
  const file = resolve(args.text('output') ?? unusedName(response_format));
  const [voice, model] = [args.text('voice'), args.text('model')];
  const order = {
    input,
    response_format,
    ...(voice !== undefined && { voice_id: voice }),
    ...(model !== undefined && { model }),
  };
  const startedAt = systemClock();
  output.progress('speaking …');
  const spoken = await requestSpeech(openApi(context), order, args.flag('stream'));
  const bytes = await writeAudio(file, spoken.audio, (written) => output.progress(`speaking … ${kilobytes(written)}`));
  const seconds = (systemClock() - startedAt) / 1000;
  const player = args.flag('play') ? await playFile(file, context.environment) : undefined;
  if (args.flag('play') && !player) output.note('No player was found that plays it; the file is there.');
  const { model: servedBy, engine } = spoken;
  output.result(
    { file, format: response_format, bytes, model: servedBy, engine, seconds, ...(player && { player }) },
    `${file}: ${kilobytes(bytes)} of ${response_format}, spoken by ${servedBy} (${engine}) in ${seconds.toFixed(1)} s`,
  );
  return 0;
}

/** Half a file is no file: when the speech breaks off, nothing is left. */
async function writeAudio(
  file: string,
  audio: AsyncIterable<Uint8Array>,
  onProgress: (bytes: number) => void,
): Promise<number> {
  const handle = await open(file, 'w').catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandFailure(`${file} cannot be written (${code}).`);
  });
  let bytes = 0;
  try {
    for await (const piece of audio) {
      await handle.writeFile(piece);
      bytes += piece.length;
      onProgress(bytes);
    }
    return bytes;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
}

function unusedName(format: string): string {
  const names = (number: number) => (number === 1 ? `speech.${format}` : `speech-${number}.${format}`);
  let number = 1;
  while (existsSync(names(number))) number++;
  return names(number);
}

function kilobytes(bytes: number): string {
  return `${Math.ceil(bytes / KILOBYTE)} KB`;
}
