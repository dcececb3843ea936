import { Refusal } from '../../process/protocol.ts';
import { type Decoder, NOTHING } from './decoder.ts';
import type { AudioFormat } from './sniff-audio.ts';
import { createWavDecoder } from './wav.ts';
import { createWebmDecoder } from './webm.ts';

export const AAC_PACKAGE = '@audio/decode-aac';

/** What the packages `@audio/decode-*` have in common. */
type PackagedDecoder = {
  decode(bytes: Uint8Array): { channelData: Float32Array[]; sampleRate: number };
  flush?(): { channelData: Float32Array[]; sampleRate: number };
  free(): void;
};

/** Codecs are loaded with their first use. */
export async function openDecoder(format: AudioFormat): Promise<Decoder> {
  try {
    return await load(format);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Refusal(
      'audio_format_unsupported',
      `The decoder for ${format} is not installed on this server. Send wav, or ask the operator to install Tramontane with its optional packages.`,
    );
  }
}

async function load(format: AudioFormat): Promise<Decoder> {
  switch (format) {
    case 'wav':
      return createWavDecoder();
    case 'webm':
      return createWebmDecoder();
    case 'mp3':
      return adapt(await (await import('@audio/decode-mp3')).decoder());
    case 'flac':
      return adapt(await (await import('@audio/decode-flac')).decoder());
    case 'ogg-opus':
      return adapt(await (await import('@audio/decode-opus')).decoder());
    case 'ogg-vorbis':
      return adapt(await (await import('@audio/decode-vorbis')).decoder());
    case 'mp4':
    case 'adts':
      return openAac();
  }
}

/** Its licence is the GPL, so it does not come with the program: an operator may add it. */
async function openAac(): Promise<Decoder> {
  const name: string = AAC_PACKAGE;
  const loaded = (await import(name).catch(() => undefined)) as { decoder(): Promise<PackagedDecoder> } | undefined;
  if (!loaded)
    throw new Refusal(
      'audio_format_unsupported',
      `The file is m4a or aac, for which this server has no decoder. Send wav, mp3, flac, ogg, opus or webm, or ask the operator to run "npm install --no-save ${AAC_PACKAGE}" (GPL-2.0) where Tramontane is installed.`,
    );
  return adapt(await loaded.decoder());
}

function adapt(decoder: PackagedDecoder): Decoder {
  const toSound = ({ channelData, sampleRate }: ReturnType<PackagedDecoder['decode']>) => ({
    channels: channelData,
    sampleRate,
  });
  return {
    decode: (bytes) => toSound(decoder.decode(bytes)),
    flush: () => (decoder.flush ? toSound(decoder.flush()) : NOTHING),
    close: () => decoder.free(),
  };
}
