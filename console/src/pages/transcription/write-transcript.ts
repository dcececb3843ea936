import { writeSrt, writeVtt } from '../../../../src/kit/base/subtitles.ts';
import type { Line, Transcript } from './transcript.ts';

export const exports = {
  txt: { label: 'Text', type: 'text/plain', write: writeText },
  srt: { label: 'SRT', type: 'application/x-subrip', write: ({ lines }: Transcript) => writeSrt(lines.map(toCue)) },
  vtt: { label: 'VTT', type: 'text/vtt', write: ({ lines }: Transcript) => writeVtt(lines.map(toCue)) },
  json: { label: 'JSON', type: 'application/json', write: writeJson },
} as const;
export type Export = keyof typeof exports;

function toCue({ start, end, speaker, text }: Line) {
  return { start, end, text: speaker === null ? text : `${speaker}: ${text}` };
}

/** A paragraph for each turn of a speaker; without speakers one for each line. */
function writeText({ lines }: Transcript): string {
  const paragraphs: { speaker: string | null; text: string }[] = [];
  for (const { speaker, text } of lines) {
    const last = paragraphs.at(-1);
    if (last && speaker !== null && last.speaker === speaker) last.text += ` ${text}`;
    else paragraphs.push({ speaker, text });
  }
  return paragraphs.map(({ speaker, text }) => `${speaker === null ? '' : `${speaker}: `}${text}\n`).join('\n');
}

function writeJson({ language, lines }: Transcript): string {
  const segments = lines.map(({ start, end, speaker, text }) => ({ start, end, speaker_id: speaker, text }));
  return `${JSON.stringify({ language, text: lines.map(({ text }) => text).join(' '), segments }, undefined, 2)}\n`;
}
