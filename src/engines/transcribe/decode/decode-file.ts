import { type FileHandle, open } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Refusal } from '../../process/protocol.ts';
import { SAMPLE_RATE } from '../transcription-engine.ts';
import type { Decoder } from './decoder.ts';
import { openDecoder } from './open-decoder.ts';
import type { DecodeRequest } from './protocol.ts';
import { type AudioFormat, sniffAudio } from './sniff-audio.ts';
import { createPcmWriter } from './write-pcm.ts';

const PIECE_BYTES = 64 * 1024;
const HEAD_BYTES = 4096;
const EMPTY_SAMPLES = SAMPLE_RATE / 10;

/** Decodes a file piece by piece; `report` gets what is done so far. */
export async function decodeFile(
  { file, pcmFile, secondsMax }: DecodeRequest,
  report: (samples: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const source = await open(file, 'r');
  const target = await open(pcmFile, 'w', 0o600);
  let decoder: Decoder | undefined;
  try {
    const format = await findFormat(source);
    decoder = await openDecoder(format);
    const writer = createPcmWriter(target, Math.round(secondsMax * SAMPLE_RATE));
    try {
      for await (const piece of pieces(source)) {
        await writer.write(await decoder.decode(piece));
        report(writer.samples());
        // Lets a cancellation in.
        await nextTurn();
        if (signal.aborted) return;
      }
      await writer.write(await decoder.flush());
      await writer.finish();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new Refusal('audio_damaged', `The ${format} file cannot be decoded: it is damaged or cut off.`, {
        cause: error,
      });
    }
    if (writer.samples() < EMPTY_SAMPLES)
      throw new Refusal('audio_empty', 'The audio has no sound in it, or less than a tenth of a second.');
    report(writer.samples());
  } finally {
    decoder?.close();
    await source.close();
    await target.close();
  }
}

async function findFormat(source: FileHandle): Promise<AudioFormat> {
  const head = new Uint8Array(HEAD_BYTES);
  const { bytesRead } = await source.read(head, 0, HEAD_BYTES, 0);
  if (bytesRead === 0) throw new Refusal('audio_empty', 'The audio file is empty.');
  const format = sniffAudio(head.subarray(0, bytesRead));
  if (!format)
    throw new Refusal(
      'audio_format_unsupported',
      'The file is not audio that this server knows. Send wav, mp3, flac, ogg, opus or webm.',
    );
  return format;
}

async function* pieces(source: FileHandle): AsyncGenerator<Uint8Array> {
  for (let at = 0; ; ) {
    const piece = new Uint8Array(PIECE_BYTES);
    const { bytesRead } = await source.read(piece, 0, PIECE_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}
