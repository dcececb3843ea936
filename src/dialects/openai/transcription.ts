import type { SseEvent } from '../../kit/http/index.ts';
import type { Call } from '../../metering/index.ts';
import type { AudioTranscriptionRequest, TranscriptionResponse } from '../../transcription/index.ts';
import { dialectErrors } from '../errors.ts';
import type { OpenAiTranscription, OpenAiTranscriptionRequest } from '../schema/openai-transcriptions.ts';

type Spoken = {
  text: string;
  start: number;
  end: number;
  score?: number | null | undefined;
  speaker_id?: string | null | undefined;
};

/** A pause between two words that ends a segment, in seconds, and the most words of one. */
const PAUSE = 0.8;
const WORDS_MAX = 40;
const SENTENCE_END = /[.!?。！？…]["')\]]?$/;
const LANGUAGES = new Intl.DisplayNames('en', { type: 'language' });
const UNKNOWN_SPEAKER = 'unknown';

export function toTranscriptionRequest(
  body: OpenAiTranscriptionRequest,
  { setHeader }: Pick<Call, 'setHeader'>,
): AudioTranscriptionRequest {
  const { response_format: format, timestamp_granularities: wanted = [], known_speaker_names: names = [] } = body;
  if (wanted.length > 0 && format !== 'verbose_json')
    throw dialectErrors.option_unsupported('timestamp_granularities', "it needs response_format 'verbose_json'.");
  if (body.include?.length)
    throw dialectErrors.option_unsupported('include', 'log probabilities of a transcript are not told.');
  const references = body.known_speaker_references ?? [];
  if (names.length !== references.length)
    throw dialectErrors.option_unsupported('known_speaker_names', 'each needs one of known_speaker_references.');
  if (body.stream && (format === 'srt' || format === 'vtt'))
    throw dialectErrors.option_unsupported('stream', `${format} is written when all is transcribed.`);
  if (body.chunking_strategy !== undefined) setHeader('tramontane-ignored', 'chunking_strategy');
  const diarize = format === 'diarized_json';
  return {
    model: body.model,
    stream: body.stream,
    diarize,
    context_bias: [],
    // Its answer has the length of the audio.
    response_format: body.stream ? null : 'verbose_json',
    ...(wanted.includes('word') && { timestamp_granularities: ['word'] }),
    ...(body.language !== undefined && { language: body.language }),
    ...(body.temperature !== undefined && { temperature: body.temperature }),
    ...(body.prompt !== undefined && { prompt: body.prompt }),
    ...(names.length > 0 && {
      speaker_references: Object.fromEntries(names.map((name, at) => [name, references[at] ?? ''])),
    }),
  };
}

/** As JSON; other forms are written as our own are. */
export function toTranscription(
  { response_format: format, timestamp_granularities: wanted = [], temperature = 0 }: OpenAiTranscriptionRequest,
  { text, language, duration = 0, segments = [], usage }: TranscriptionResponse,
): OpenAiTranscription {
  const base = { text, usage: toUsage(usage) };
  if (format === 'diarized_json')
    return { task: 'transcribe', duration, ...base, segments: segments.map((one, at) => toDiarized(one, at)) };
  if (format !== 'verbose_json') return base;
  const hasWords = wanted.includes('word');
  const hasSegments = !hasWords || wanted.includes('segment');
  const sentences = hasWords ? groupWords(segments) : segments;
  return {
    task: 'transcribe',
    language: (language && LANGUAGES.of(language)?.toLowerCase()) || 'unknown',
    duration,
    ...base,
    ...(hasSegments && { segments: sentences.map((one, at) => toSegment(one, at, temperature)) }),
    ...(hasWords && { words: segments.map(({ text: word, start, end }) => ({ word, start, end })) }),
  };
}

function toUsage({ prompt_audio_seconds }: TranscriptionResponse['usage']) {
  return { type: 'duration' as const, seconds: prompt_audio_seconds ?? 0 };
}

/** Fields that describe the inside of a model are as of a sure one. */
function toSegment({ text, start, end, score }: Spoken, id: number, temperature: number) {
  const avg_logprob = score == null || score <= 0 ? 0 : Math.log(score);
  const known = { id, start, end, text, temperature, avg_logprob };
  return { ...known, seek: Math.floor(start * 100), tokens: [], compression_ratio: 1, no_speech_prob: 0 };
}

function toDiarized({ text, start, end, speaker_id }: Spoken, at: number) {
  const speaker = speaker_id ?? UNKNOWN_SPEAKER;
  return { type: 'transcript.text.segment' as const, id: `seg_${at + 1}`, start, end, text, speaker };
}

/** Words as sentences: for clients that want the times of both. */
function groupWords(words: readonly Spoken[]): Spoken[] {
  const groups: Spoken[][] = [];
  let previous: Spoken | undefined;
  for (const word of words) {
    const group = groups.at(-1);
    const isNew = !group || !previous || SENTENCE_END.test(previous.text) || word.start - previous.end > PAUSE;
    if (isNew || group.length >= WORDS_MAX) groups.push([word]);
    else group.push(word);
    previous = word;
  }
  return groups.map((group) => {
    const scores = group.flatMap(({ score }) => score ?? []);
    return {
      text: group.map(({ text }) => text.trim()).join(' '),
      start: group[0]?.start ?? 0,
      end: group.at(-1)?.end ?? 0,
      ...(scores.length > 0 && { score: scores.reduce((sum, score) => sum + score, 0) / scores.length }),
    };
  });
}

type NativeEvent = { type: string; message?: string } & Partial<Spoken> & Pick<TranscriptionResponse, 'usage'>;

/** What is spoken as it is transcribed. */
export async function* toTranscriptEvents(
  events: AsyncIterable<SseEvent>,
  { response_format: format }: OpenAiTranscriptionRequest,
): AsyncGenerator<SseEvent> {
  let count = 0;
  for await (const { event, data } of events) {
    const { type, text = '', usage, message, ...spoken } = data as NativeEvent;
    if (event === 'error') {
      yield { data: { error: { message, type: 'server_error', param: null, code: null } } };
      return;
    }
    if (type === 'transcription.text.delta') yield { data: { type: 'transcript.text.delta', delta: text } };
    else if (type === 'transcription.done')
      yield { data: { type: 'transcript.text.done', text, usage: toUsage(usage) } };
    else if (type === 'transcription.segment' && format === 'diarized_json') {
      yield {
        data: toDiarized(
          { text, start: spoken.start ?? 0, end: spoken.end ?? 0, speaker_id: spoken.speaker_id ?? null },
          count,
        ),
      };
      count += 1;
    }
  }
}
