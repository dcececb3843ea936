import type { Command } from '../shell/command.ts';
import { SERVER } from '../shell/shared-options.ts';

const FORMATS = ['mp3', 'wav', 'flac', 'opus', 'pcm'];

export const say: Command = {
  name: 'say',
  summary: 'convert text to speech and save it as an audio file; the server must be running',
  parameters: [{ name: 'text', summary: 'the text to speak, or - to read it from stdin' }],
  options: {
    output: {
      summary: 'the file to write (default: speech.mp3); its extension selects the format',
      value: '<file>',
      short: 'o',
    },
    voice: { summary: "its id or slug (default: the model's default voice)", value: '<voice>' },
    model: { summary: 'its id or alias (default: the first speech model)', value: '<id>' },
    format: { summary: `${FORMATS.join(', ')} (default: mp3)`, value: '<format>', choices: FORMATS },
    stream: { summary: 'write the file while audio is generated; for long texts' },
    play: { summary: 'play the file afterwards, if a player is installed' },
    ...SERVER,
  },
  examples: [
    'say "Good morning."',
    'say "Guten Tag." --voice de -o gruss.wav',
    'say - --stream -o book.opus < book.txt',
  ],
  run: async (context) => (await import('./run.ts')).say(context),
};
