import { open } from 'node:fs/promises';
import { constants, setPriority } from 'node:os';
import { oneAtATime, serveParent } from '../../process/serve-parent.ts';
import { readPcm } from '../read-pcm.ts';
import { SAMPLE_RATE } from '../transcription-engine.ts';
import { findVoices, PIECE_SAMPLES } from './find-voices.ts';
import { loadVoiceModels } from './models.ts';
import type { HeardVoice, SpeakerReply, SpeakerRequest, SpeakerSettings } from './protocol.ts';

const PIECES = 6;
const VOICE_SAMPLES_MAX = 30 * SAMPLE_RATE;

// The process that tells speakers apart. Others go first, as before a transcript.
serveParent<SpeakerSettings, SpeakerRequest, SpeakerReply>(async (settings) => {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL);
  const models = await loadVoiceModels(settings);

  async function serve(request: SpeakerRequest, give: (reply: SpeakerReply) => void, signal: AbortSignal) {
    const { pcmFile, from, total, isOneVoice } = request;
    const file = await open(pcmFile, 'r');
    try {
      const read = (at: number, count: number) => readPcm(file, at, Math.min(count, total - at));
      if (isOneVoice) {
        const samples = await read(0, VOICE_SAMPLES_MAX);
        const seconds = samples.length / SAMPLE_RATE;
        const voice = { piece: 0, embedding: await models.embed(samples), seconds, spans: [] };
        return give({ voices: [voice], next: total });
      }
      const voices: HeardVoice[] = [];
      let at = from;
      for (let count = 0; at < total && count < PIECES && !signal.aborted; count++, at += PIECE_SAMPLES)
        voices.push(...(await findVoices(models, await read(at, PIECE_SAMPLES), at)));
      give({ voices, next: Math.min(at, total) });
    } finally {
      await file.close();
    }
  }

  return oneAtATime(serve);
});
