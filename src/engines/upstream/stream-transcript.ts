import { z } from 'zod';
import { engineErrors } from '../errors.ts';
import type { TranscriptPart } from '../transcribe/transcription-engine.ts';
import { chunksOf } from './body-chunks.ts';
import { classifyAnswer, classifyBreakOff } from './classify-failure.ts';
import type { Exchange } from './exchange.ts';
import { ANSWER_CHARACTERS_MAX, ANSWER_LIMITS, PIECE_CHARACTERS, READ_BYTES_MIN } from './limits.ts';
import { parseObject } from './parse-json.ts';
import { languageOf, measure, parseAnswer, Segment, timedParts, toTimed } from './read-transcript.ts';
import { SseParser } from './sse-parser.ts';
import type { KnownTarget } from './target.ts';

const { bytesMax, json } = ANSWER_LIMITS.transcription;

/** What was read so far. */
export type StreamedTranscript = {
  hasWords: boolean;
  /** In seconds, once it is known. */
  seconds: number;
  outputTokens: number;
  isDone: boolean;
  text: string;
  /** What the text and the segments hold, so that crumbs are bounded as well. */
  characters: number;
  isTimed: boolean;
  isTold: boolean;
  /** Until the whole has come: the end of the last segment. */
  lastEnd: number;
};

export function startStreamed(hasWords: boolean): StreamedTranscript {
  return {
    hasWords,
    seconds: 0,
    outputTokens: 0,
    isDone: false,
    text: '',
    characters: 0,
    isTimed: false,
    isTold: false,
    lastEnd: 0,
  };
}

/** The events of a server, in Mistral's words, in OpenAI's, or as the chunks of a chat, as they arrive. */
export async function* streamTranscript(
  response: Exchange,
  target: KnownTarget,
  state: StreamedTranscript,
  signal: AbortSignal,
): AsyncGenerator<TranscriptPart[], void> {
  const parser = new SseParser(bytesMax / 2);
  let parts: TranscriptPart[] = [];
  let bytes = 0;
  let silentSince = performance.now();
  const onData = (data: string) => {
    if (!state.isDone) parts.push(...reduceEvent(state, data));
  };
  try {
    for await (const chunk of chunksOf(response)) {
      bytes += Math.max(chunk.length, READ_BYTES_MIN);
      if (bytes > bytesMax) throw engineErrors.upstream_answer_too_large();
      parser.push(chunk, onData);
      if (parts.length > 0) {
        const taken = parts;
        parts = [];
        yield taken;
        silentSince = performance.now();
      } else if (performance.now() - silentSince > response.patienceMs) throw engineErrors.upstream_timeout();
      if (state.isDone) return;
    }
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const isOfConnection = error instanceof Error && 'code' in error;
    const failure = isOfConnection ? classifyBreakOff(error) : classifyAnswer(error);
    if (failure !== error) target.breaker.failed();
    throw failure;
  } finally {
    response.abort(new Error('The transcript was read.'));
  }
  throw engineErrors.upstream_interrupted();
}

const Delta = z.object({ text: z.string().optional(), delta: z.string().optional() });
const Language = z.object({ audio_language: z.string() });
const Chunk = z.object({
  choices: z.array(z.object({ delta: z.object({ content: z.string().nullable().optional() }).nullable().optional() })),
});

/** What an event says. Events of other kinds say nothing. */
export function reduceEvent(state: StreamedTranscript, data: string): TranscriptPart[] {
  // Chunks of a chat end so, without the whole.
  if (data.trim() === '[DONE]') return end(state, { text: state.text });
  const event = parseObject(data, json);
  if (!event) throw engineErrors.upstream_invalid_response();
  if (event.error != null || event.object === 'error' || event.type === 'error')
    throw engineErrors.upstream_interrupted();
  return reduceParsed(state, event);
}

export function reduceParsed(state: StreamedTranscript, event: Record<string, unknown>): TranscriptPart[] {
  switch (event.type) {
    case 'transcription.language':
      return tellLanguage(state, check(Language, event).audio_language);
    case 'transcription.text.delta':
    case 'transcript.text.delta': {
      const { text, delta } = check(Delta, event);
      return addText(state, text ?? delta ?? '');
    }
    case 'transcription.segment':
    case 'transcript.text.segment': {
      const segment = toTimed(check(Segment, event), state.hasWords ? 'word' : 'segment');
      state.isTimed = true;
      hold(state, event.text as string);
      state.lastEnd = Math.max(state.lastEnd, 'end' in segment ? segment.end : 0);
      return [segment];
    }
    case 'transcription.done':
    case 'transcript.text.done':
      return end(state, event);
  }
  if (!Array.isArray(event.choices)) return [];
  return check(Chunk, event).choices.flatMap(({ delta }) => addText(state, delta?.content ?? ''));
}

function check<T>(schema: z.ZodType<T>, event: unknown): T {
  const parsed = schema.safeParse(event);
  if (!parsed.success) throw engineErrors.upstream_invalid_response();
  return parsed.data;
}

function hold(state: StreamedTranscript, text: string): void {
  state.characters += text.length + PIECE_CHARACTERS;
  if (state.characters > ANSWER_CHARACTERS_MAX) throw engineErrors.upstream_answer_too_large();
}

function addText(state: StreamedTranscript, text: string): TranscriptPart[] {
  if (text === '') return [];
  hold(state, text);
  state.text += text;
  return [{ kind: 'text', text }];
}

function tellLanguage(state: StreamedTranscript, language: string | null | undefined): TranscriptPart[] {
  const known = languageOf(language);
  if (state.isTold || known === null) return [];
  state.isTold = true;
  return [{ kind: 'language', language: known }];
}

/** The whole, of which only that is told which did not come before. */
function end(state: StreamedTranscript, event: Record<string, unknown>): TranscriptPart[] {
  const answer = parseAnswer(event);
  const text = state.text === '' ? answer.text : state.text;
  const measured = measure(answer, text);
  state.isDone = true;
  state.seconds = Math.max(measured.seconds, state.lastEnd);
  state.outputTokens = measured.outputTokens;
  return [
    { kind: 'audio', seconds: state.seconds },
    ...tellLanguage(state, answer.language),
    ...(state.isTimed ? [] : timedParts(answer, state.hasWords)),
    ...(state.text === '' ? [{ kind: 'text' as const, text: answer.text }] : []),
    { kind: 'end', outputTokens: measured.outputTokens },
  ];
}
