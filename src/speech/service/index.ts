import type { FairQueueOptions } from '../../kit/fair-queue/index.ts';
import { createEncodingThread } from '../encode/encoding-thread.ts';
import { createSamples } from './samples.ts';
import { createSpeechService, type SpeechPorts, type SpeechService } from './speech.ts';
import { createVoiceService, type VoicePorts, type VoiceService } from './voices.ts';

export type OpenedSpeech = { speech: SpeechService; voices: VoiceService; stop(): Promise<void> };

/** Both services of the room on one encoding thread. */
export function openSpeech(
  ports: Omit<VoicePorts, 'speakSample'> &
    Omit<SpeechPorts, 'voices' | 'encoding'> & { watch?: FairQueueOptions['watch'] },
): OpenedSpeech {
  const encoding = createEncodingThread(ports.watch);
  const voices = createVoiceService({ ...ports, speakSample: createSamples(encoding, ports) });
  const speech = createSpeechService({ ...ports, voices, encoding });
  return { speech, voices, stop: encoding.stop };
}
