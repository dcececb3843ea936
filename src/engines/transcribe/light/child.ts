import { readFile } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { oneAtATime, serveParent } from '../../process/serve-parent.ts';
import { collectGarbage } from '../collect-garbage.ts';
import { lookAt } from '../look-at.ts';
import type { LookReply, LookRequest, WhisperSettings } from '../protocol.ts';
import { loadSilero } from '../vad/silero.ts';
import { hearWords } from './hear-words.ts';
import { loadMoonshine } from './model.ts';
import { createLightTokenizer } from './tokenizer.ts';

// The process that hears English in live sessions.
serveParent<WhisperSettings, LookRequest, LookReply>(async (settings) => {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const tokenizer = createLightTokenizer(await readFile(settings.tokenizerFile, 'utf8'));
  const silero = await loadSilero(settings.vadFile);
  const model = await loadMoonshine({ encoder: settings.encoderFile, decoder: settings.decoderFile }, settings.threads);

  return oneAtATime(async (request, give) => {
    give(
      await lookAt(silero, request, async (samples, utterance) => {
        const words = await hearWords(model, tokenizer, samples, request.known, utterance);
        return { words, tokens: words.reduce((sum, { tokens }) => sum + tokens.length, 0) };
      }),
    );
    collectGarbage();
  });
});
