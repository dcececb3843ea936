export type AudioFormat = 'wav' | 'mp3' | 'flac' | 'ogg-opus' | 'ogg-vorbis' | 'webm' | 'mp4' | 'adts';

/** The format by its content; names and declared types are not looked at. */
export function sniffAudio(head: Uint8Array): AudioFormat | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, head.length).toString('latin1');
  if (/^(RIFF|RF64)/.test(text) && text.slice(8, 12) === 'WAVE') return 'wav';
  if (text.startsWith('fLaC')) return 'flac';
  if (text.startsWith('OggS')) {
    const packet = text.slice(0, 256);
    if (packet.includes('OpusHead')) return 'ogg-opus';
    return packet.includes('\x01vorbis') ? 'ogg-vorbis' : undefined;
  }
  if (text.startsWith('\x1a\x45\xdf\xa3')) return 'webm';
  if (text.slice(4, 8) === 'ftyp') return 'mp4';
  if (text.startsWith('ID3')) return 'mp3';
  return sniffFrames(head);
}

/** Streams without a header begin with a frame: eleven bits set, then a version, a layer and a rate that exist. */
function sniffFrames(head: Uint8Array): 'mp3' | 'adts' | undefined {
  const [first = 0, second = 0, third = 0] = head;
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  const layer = (second >> 1) & 3;
  if (layer === 0) return (second & 0xf0) === 0xf0 ? 'adts' : undefined;
  const isVersion = ((second >> 3) & 3) !== 1;
  return isVersion && third >> 4 !== 15 && ((third >> 2) & 3) !== 3 ? 'mp3' : undefined;
}
