import type { FairQueueOptions } from '../../kit/fair-queue/index.ts';
import { createVoiceChoice } from '../choose-voice.ts';
import { createEncodingThread } from '../encode/encoding-thread.ts';
import type { SpeakingModels } from '../speakers.ts';
import { createLiveSpeechService, type LiveSpeechService } from './live-speech.ts';
import { createSamples } from './samples.ts';
import { createSpeechService, type SpeechPorts, type SpeechService } from './speech.ts';
import { createVoiceService, type VoicePorts, type VoiceService } from './voices.ts';

export type OpenedSpeech = {
  speech: SpeechService;
  live: LiveSpeechService;
  voices: VoiceService;
  stop(): Promise<void>;
};

/** Both services of the room on one encoding thread. */
export function openSpeech(
  ports: Omit<VoicePorts, 'speakSample'> &
    Omit<SpeechPorts, 'choose' | 'encoding'> & { models: SpeakingModels } & { watch?: FairQueueOptions['watch'] },
): OpenedSpeech {
  const encoding = createEncodingThread(ports.watch);
  const voices = createVoiceService({ ...ports, speakSample: createSamples(encoding, ports) });
  const common = { ...ports, choose: createVoiceChoice({ ...ports, voices }), encoding };
  const speech = createSpeechService(common);
  const live = createLiveSpeechService(common);
  return { speech, live, voices, stop: encoding.stop };
}
