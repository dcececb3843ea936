import type { Command } from '../shell/command.ts';
import { SERVER } from '../shell/shared-options.ts';

const ENCODINGS = ['s16le', 's32le', 'f32le', 'mulaw', 'alaw'];

export const listen: Command = {
  name: 'listen',
  summary: 'print what the microphone hears while it is said; the server must be running',
  options: {
    from: { summary: 'a WAV file or raw samples instead of the microphone; - is the standard input', value: '<file>' },
    rate: { summary: 'samples a second of raw input (default: 16000)', value: '<hertz>' },
    encoding: {
      summary: `of raw input: ${ENCODINGS.join(', ')} (default: s16le)`,
      value: '<name>',
      choices: ENCODINGS,
    },
    device: { summary: 'the microphone, as the program that records names it', value: '<name>' },
    language: { summary: 'its code, such as en (default: detected)', value: '<code>' },
    delay: { summary: 'how long words may wait for what follows them, in milliseconds', value: '<ms>' },
    model: { summary: 'its id or alias (default: the first model that follows live audio)', value: '<id>' },
    ...SERVER,
  },
  examples: ['listen', 'listen --language de', 'listen --from talk.wav', 'listen --from - < talk.wav'],
  run: async (context) => (await import('./run.ts')).listen(context),
};
