import { open, readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { oneAtATime, serveParent } from '../process/serve-parent.ts';
import type { WhisperReply, WhisperRequest, WhisperSettings } from './protocol.ts';
import { readPcm } from './read-pcm.ts';
import { SAMPLE_RATE } from './transcription-engine.ts';
import { findWindow } from './vad/find-window.ts';
import { loadSilero } from './vad/silero.ts';
import { loadWhisper } from './whisper/model.ts';
import { createTokenizer } from './whisper/tokenizer.ts';
import { SURE_OF_LANGUAGE, transcribeWindow, type WindowSegment } from './whisper/transcribe-window.ts';

/** What ends so much before its window is heard again from there: the model stopped early. */
const MISSED_SECONDS = 2;
const HEARD_SECONDS_MIN = 1;

// The process that runs Whisper. Others go first: somebody waits for a chat, and a transcript takes minutes anyway.
serveParent<WhisperSettings, WhisperRequest, WhisperReply>(async (settings) => {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const tokenizer = createTokenizer(await readFile(settings.tokenizerFile, 'utf8'));
  const silero = await loadSilero(settings.vadFile);
  const model = await loadWhisper({ encoder: settings.encoderFile, decoder: settings.decoderFile }, settings.threads);

  async function serve(request: WhisperRequest, give: (reply: WhisperReply) => void, signal: AbortSignal) {
    const { from, total, pcmFile, language, temperature, hasWords } = request;
    const file = await open(pcmFile, 'r');
    try {
      const read = (at: number, count: number) => readPcm(file, at, Math.min(count, total - at));
      const { window, next } = await findWindow(silero, read, from, total);
      if (!window || signal.aborted) return give({ segments: [], tokens: 0, next });
      const samples = await read(window.start, window.end - window.start);
      const prompt = request.prompt === '' ? [] : tokenizer.encode(` ${request.prompt}`);
      const heard = await transcribeWindow(
        model,
        tokenizer,
        samples,
        { language, temperature, prompt, hasWords },
        signal,
      );
      const offset = window.start / SAMPLE_RATE;
      const isMissed = heard.segments.length > 0 && heard.end < samples.length / SAMPLE_RATE - MISSED_SECONDS;
      give({
        speech: window,
        language: { code: heard.language, isSure: heard.languageChance >= SURE_OF_LANGUAGE },
        segments: heard.segments.map((segment) => shift(segment, offset)),
        tokens: heard.tokens,
        next:
          isMissed && heard.end >= HEARD_SECONDS_MIN
            ? Math.min(next, window.start + Math.floor(heard.end * SAMPLE_RATE))
            : next,
      });
    } finally {
      await file.close();
      // Tensors are memory outside of the heap, whose growth does not make the collector run.
      globalThis.gc?.();
    }
  }

  return oneAtATime(serve);
});

function shift({ text, start, end, score, words }: WindowSegment, offset: number) {
  return {
    text,
    start: start + offset,
    end: end + offset,
    score,
    words: words.map((word) => ({
      text: word.text,
      start: word.start + offset,
      end: word.end + offset,
      score: word.score,
    })),
  };
}
