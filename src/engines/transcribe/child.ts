import { open, readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { oneAtATime, serveParent } from '../process/serve-parent.ts';
import { collectGarbage } from './collect-garbage.ts';
import { lookAt } from './look-at.ts';
import type {
  LiveWord,
  LookReply,
  WhisperLook,
  WhisperReply,
  WhisperRequest,
  WhisperSettings,
  WindowRequest,
} from './protocol.ts';
import { readPcm } from './read-pcm.ts';
import { SAMPLE_RATE } from './transcription-engine.ts';
import { findWindow } from './vad/find-window.ts';
import { loadSilero } from './vad/silero.ts';
import type { TimedWord } from './whisper/find-words.ts';
import { loadWhisper } from './whisper/model.ts';
import { createTokenizer } from './whisper/tokenizer.ts';
import { recognizeLanguage, transcribeWindow, type WindowSegment } from './whisper/transcribe-window.ts';

/** What ends so much before its window is heard again from there: the model stopped early. */
const MISSED_SECONDS = 2;
const HEARD_SECONDS_MIN = 1;
/** Of less, in an utterance that goes on, the model makes up words. */
const DRAFT_SAMPLES_MIN = SAMPLE_RATE;
/** The language of less is a guess. */
const LANGUAGE_SAMPLES_MIN = 1.5 * SAMPLE_RATE;

// The process that runs Whisper. Others go first: somebody waits for a chat, and a transcript takes minutes anyway.
serveParent<WhisperSettings, WhisperRequest, WhisperReply | LookReply>(async (settings) => {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const tokenizer = createTokenizer(await readFile(settings.tokenizerFile, 'utf8'));
  const silero = await loadSilero(settings.vadFile);
  const model = await loadWhisper({ encoder: settings.encoderFile, decoder: settings.decoderFile }, settings.threads);
  const promptOf = (text: string) => (text === '' ? [] : tokenizer.encode(` ${text}`));

  async function hearWindow(request: WindowRequest, signal: AbortSignal): Promise<WhisperReply> {
    const { from, total, pcmFile, language, temperature, hasWords } = request;
    const file = await open(pcmFile, 'r');
    try {
      const read = (at: number, count: number) => readPcm(file, at, Math.min(count, total - at));
      const { window, next } = await findWindow(silero, read, from, total);
      if (!window || signal.aborted) return { segments: [], tokens: 0, next };
      const samples = await read(window.start, window.end - window.start);
      const options = { language, temperature, prompt: promptOf(request.prompt), hasWords };
      const heard = await transcribeWindow(model, tokenizer, samples, options, signal);
      const offset = window.start / SAMPLE_RATE;
      const isMissed = heard.segments.length > 0 && heard.end < samples.length / SAMPLE_RATE - MISSED_SECONDS;
      return {
        language: heard.language,
        segments: heard.segments.map((segment) => shiftSegment(segment, offset)),
        tokens: heard.written.length,
        next:
          isMissed && heard.end >= HEARD_SECONDS_MIN
            ? Math.min(next, window.start + Math.floor(heard.end * SAMPLE_RATE))
            : next,
      };
    } finally {
      await file.close();
    }
  }

  async function look(request: WhisperLook, signal: AbortSignal): Promise<LookReply> {
    return lookAt(silero, request, async (samples, { start, isOver }) => {
      if (request.wants === 'language') {
        if (samples.length < LANGUAGE_SAMPLES_MIN && !isOver) return undefined;
        return { words: [], tokens: 0, language: await recognizeLanguage(model, samples) };
      }
      if (samples.length < DRAFT_SAMPLES_MIN && !isOver) return undefined;
      const options = {
        language: request.language,
        temperature: 0,
        prompt: promptOf(request.prompt),
        hasWords: true,
        isDraft: !isOver,
        known: request.known,
      };
      const { segments, written, language } = await transcribeWindow(model, tokenizer, samples, options, signal);
      const words = segments.map((segment) => shiftSegment(segment, start / SAMPLE_RATE)).flatMap(wordsOf);
      return { words: withTokens(words, written, request.known.length), tokens: written.length, language };
    });
  }

  return oneAtATime(async (request, give, signal) => {
    try {
      give(request.kind === 'look' ? await look(request, signal) : await hearWindow(request, signal));
    } finally {
      collectGarbage();
    }
  });
});

/** A model may find no times for words; then the segment is one. */
function wordsOf({ words, ...segment }: WindowSegment): TimedWord[] {
  return words.length > 0 ? words : [segment];
}

/** Marks of time between two words belong to the second. */
function withTokens(words: TimedWord[], written: readonly number[], known: number): LiveWord[] {
  let place = known;
  return words.map(({ from: _, to, ...word }) => {
    const tokens = written.slice(place, to);
    place = to;
    return { ...word, tokens };
  });
}

function shift<Timed extends TimedWord>(timed: Timed, offset: number): Timed {
  return { ...timed, start: timed.start + offset, end: timed.end + offset };
}

function shiftSegment(segment: WindowSegment, offset: number): WindowSegment {
  return { ...shift(segment, offset), words: segment.words.map((word) => shift(word, offset)) };
}
