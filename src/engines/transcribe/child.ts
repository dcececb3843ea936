import { open, readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { oneAtATime, serveParent } from '../process/serve-parent.ts';
import { lookAt } from './look-at.ts';
import type {
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
import { loadWhisper } from './whisper/model.ts';
import { createTokenizer } from './whisper/tokenizer.ts';
import { recognizeLanguage, transcribeWindow, type WindowSegment } from './whisper/transcribe-window.ts';

/** What ends so much before its window is heard again from there: the model stopped early. */
const MISSED_SECONDS = 2;
const HEARD_SECONDS_MIN = 1;
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
        segments: heard.segments.map((segment) => shift(segment, offset)),
        tokens: heard.tokens,
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
      const options = {
        language: request.language,
        temperature: 0,
        prompt: promptOf(request.prompt),
        hasWords: true,
        isDraft: !isOver,
      };
      const { segments, tokens, language } = await transcribeWindow(model, tokenizer, samples, options, signal);
      const words = segments.map((segment) => shift(segment, start / SAMPLE_RATE)).flatMap(wordsOf);
      return { words, tokens, language };
    });
  }

  return oneAtATime(async (request, give, signal) => {
    try {
      give(request.kind === 'look' ? await look(request, signal) : await hearWindow(request, signal));
    } finally {
      // Tensors are memory outside of the heap, whose growth does not make the collector run.
      globalThis.gc?.();
    }
  });
});

/** A model may find no times for words; then the segment is one. */
function wordsOf({ text, start, end, score, words }: WindowSegment) {
  return words.length > 0 ? words : [{ text, start, end, score }];
}

function shift({ text, start, end, score, words }: WindowSegment, offset: number): WindowSegment {
  return {
    text,
    start: start + offset,
    end: end + offset,
    score,
    words: words.map((word) => ({ ...word, start: word.start + offset, end: word.end + offset })),
  };
}
