import type { TranscriptionSegmentChunk } from './schema.ts';

/** SubRip: numbered, with commas in times. */
export function writeSrt(segments: readonly TranscriptionSegmentChunk[]): string {
  return segments.map((segment, index) => `${index + 1}\n${timesOf(segment, ',')}\n${lineOf(segment)}\n`).join('\n');
}

export function writeVtt(segments: readonly TranscriptionSegmentChunk[]): string {
  return ['WEBVTT\n', ...segments.map((segment) => `${timesOf(segment, '.')}\n${lineOf(segment)}\n`)].join('\n');
}

function timesOf({ start, end }: TranscriptionSegmentChunk, point: string): string {
  return `${timeOf(start, point)} --> ${timeOf(end, point)}`;
}

function timeOf(seconds: number, point: string): string {
  const ms = Math.round(seconds * 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const clock = `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1000) % 60)}`;
  return `${clock}${point}${String(ms % 1000).padStart(3, '0')}`;
}

/** An arrow would end the times of a cue. */
function lineOf({ text, speaker_id }: TranscriptionSegmentChunk): string {
  const line = text.trim().replaceAll('-->', '→');
  return speaker_id == null ? line : `${speaker_id}: ${line}`;
}
