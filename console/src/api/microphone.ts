import { ApiError } from './api-error.ts';
import captureUrl from './capture-worklet.ts?worker&url';

export type Microphone = {
  sampleRate: number;
  stop(): void;
};

/** Asks for the microphone and hands on what it records. Throws in words for the user. */
export async function openMicrophone(onSamples: (samples: Float32Array) => void): Promise<Microphone> {
  if (!navigator.mediaDevices?.getUserMedia)
    throw new ApiError(0, 'Browsers allow the microphone only on https addresses and on localhost.');
  const stream = await navigator.mediaDevices
    .getUserMedia({ audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true } })
    .catch((error: unknown) => {
      throw new ApiError(0, explainRefusal(error));
    });
  const context = new AudioContext();
  const stop = () => {
    for (const track of stream.getTracks()) track.stop();
    void context.close().catch(() => undefined);
  };
  try {
    await context.audioWorklet.addModule(captureUrl);
    const capture = new AudioWorkletNode(context, 'capture', { numberOfOutputs: 0 });
    capture.port.onmessage = ({ data }: MessageEvent<Float32Array>) => onSamples(data);
    context.createMediaStreamSource(stream).connect(capture);
    await context.resume();
    return { sampleRate: context.sampleRate, stop };
  } catch (error) {
    stop();
    throw error;
  }
}

function explainRefusal(error: unknown): string {
  const name = error instanceof DOMException ? error.name : '';
  if (name === 'NotAllowedError') return 'The browser does not allow this page to use the microphone.';
  if (name === 'NotFoundError') return 'No microphone was found.';
  return 'The microphone cannot be used. Another program may be using it.';
}
