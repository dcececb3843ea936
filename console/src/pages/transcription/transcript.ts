import type { TranscriptionResponse } from '../../../../src/transcription/schema.ts';

export type Line = { start: number; end: number; speaker: string | null; text: string };

/** What the user sees and corrects. */
export type Transcript = { name: string; language: string | null; lines: Line[] };

type Whole = Pick<TranscriptionResponse, 'text' | 'language' | 'segments' | 'usage'>;

/** Without segments the whole text is one line. */
export function toTranscript(name: string, { text, language, segments = [], usage }: Whole): Transcript {
  const lines = segments.map((segment) => ({
    start: segment.start,
    end: segment.end,
    speaker: segment.speaker_id ?? null,
    text: segment.text.trim(),
  }));
  const whole = { start: 0, end: usage.prompt_audio_seconds ?? 0, speaker: null, text: text.trim() };
  return { name, language, lines: lines.length > 0 || whole.text === '' ? lines : [whole] };
}

export function changeLine(transcript: Transcript, at: number, text: string): Transcript {
  return { ...transcript, lines: transcript.lines.map((line, index) => (index === at ? { ...line, text } : line)) };
}

/** Everywhere that the speaker speaks. */
export function renameSpeaker(transcript: Transcript, from: string, to: string): Transcript {
  const lines = transcript.lines.map((line) => (line.speaker === from ? { ...line, speaker: to } : line));
  return { ...transcript, lines };
}

export function speakersOf({ lines }: Transcript): string[] {
  return [...new Set(lines.flatMap(({ speaker }) => speaker ?? []))];
}

/** 1:05, or 1:01:05. */
export function clockOf(seconds: number): string {
  const whole = Math.floor(seconds);
  const two = (value: number) => String(value).padStart(2, '0');
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}
