import type { Format } from '../schema/speech.ts';
import type { Encoder } from './encoder.ts';
import { createPcmEncoder } from './pcm.ts';
import { createWavEncoder } from './wav.ts';

/** The codecs are loaded with their first use: each is some hundred kilobytes of code. */
export async function openCodec(format: Format, sampleRate: number): Promise<Encoder> {
  switch (format) {
    case 'pcm':
      return createPcmEncoder();
    case 'wav':
      return createWavEncoder(sampleRate);
    case 'mp3':
      return (await import('./mp3.ts')).createMp3Encoder(sampleRate);
    case 'flac':
      return (await import('./flac.ts')).createFlacEncoder(sampleRate);
    case 'opus':
      return (await import('./opus.ts')).createOpusEncoder(sampleRate);
  }
}
