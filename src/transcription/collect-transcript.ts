import type { UsageInfo } from '../metering/index.ts';
import type { TranscriptPart } from '../models/index.ts';
import type { AudioTranscriptionRequest, TranscriptionResponse, TranscriptionSegmentChunk } from './schema.ts';

const CHARACTERS_PER_TOKEN = 4;
/** A token of sound is 80 ms, as in the audio models of the platform whose API this is. */
const TOKENS_PER_SECOND = 12.5;

/** Which times the client wants. Who speaks is said of segments, so they come with `diarize` too. */
export type Granularity = 'none' | 'segment' | 'word';

export function granularityOf(request: AudioTranscriptionRequest): Granularity {
  const { timestamp_granularities: wanted = [], diarize, response_format } = request;
  if (wanted.includes('word')) return 'word';
  const needsSegments = response_format != null && response_format !== 'json' && response_format !== 'text';
  return wanted.includes('segment') || diarize || needsSegments ? 'segment' : 'none';
}

/** What was transcribed so far. */
export type Transcript = {
  granularity: Granularity;
  text: string;
  language: string | null;
  segments: TranscriptionSegmentChunk[];
  seconds: number;
  outputTokens: number | undefined;
};

export function startTranscript(granularity: Granularity): Transcript {
  return { granularity, text: '', language: null, segments: [], seconds: 0, outputTokens: undefined };
}

/** Adds a part; returns the segment that it makes for the client, if any. */
export function addPart(transcript: Transcript, part: TranscriptPart): TranscriptionSegmentChunk | undefined {
  switch (part.kind) {
    case 'audio':
      transcript.seconds = part.seconds;
      return undefined;
    case 'language':
      transcript.language = part.language;
      return undefined;
    case 'text':
      transcript.text += transcript.text === '' ? part.text.trimStart() : part.text;
      return undefined;
    case 'segment':
    case 'word': {
      if (part.kind !== transcript.granularity) return undefined;
      const segment = toSegment(part);
      transcript.segments.push(segment);
      return segment;
    }
    case 'progress':
      transcript.seconds = Math.max(transcript.seconds, part.seconds);
      return undefined;
    case 'end':
      transcript.outputTokens = part.outputTokens;
      return undefined;
  }
}

function toSegment({ text, start, end, score, speaker }: Extract<TranscriptPart, { kind: 'segment' | 'word' }>) {
  return {
    type: 'transcription_segment' as const,
    text,
    start,
    end,
    score: score ?? null,
    speaker_id: speaker ?? null,
  };
}

export function toResponse(model: string, transcript: Transcript): TranscriptionResponse {
  const { text, language, segments } = transcript;
  return { model, text: text.trim(), language, segments, usage: toUsage(transcript) };
}

function toUsage({ text, seconds, outputTokens }: Transcript): UsageInfo {
  const completion_tokens = outputTokens ?? Math.ceil(text.length / CHARACTERS_PER_TOKEN);
  const prompt_tokens = Math.ceil(seconds * TOKENS_PER_SECOND);
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_audio_seconds: Math.ceil(seconds),
  };
}
