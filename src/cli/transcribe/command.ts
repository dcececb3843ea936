import type { Command } from '../shell/command.ts';
import { SERVER } from '../shell/shared-options.ts';

const FORMATS = ['text', 'srt', 'vtt', 'json'];

export const transcribe: Command = {
  name: 'transcribe',
  summary: 'transcribe audio files; the server must be running',
  parameters: [{ name: 'file', summary: 'wav, mp3, flac, ogg, opus or webm', isRepeated: true }],
  options: {
    format: { summary: `${FORMATS.join(', ')} (default: text)`, value: '<format>', choices: FORMATS },
    language: { summary: 'its code, such as en (default: detected)', value: '<code>' },
    words: { summary: 'times of words instead of sentences; for srt, vtt and json' },
    speakers: { summary: 'tell speakers apart, where the model can' },
    out: { summary: 'write to this file, or for several files into this directory', value: '<path>', short: 'o' },
    model: { summary: 'its id or alias (default: the first model that transcribes)', value: '<id>' },
    ...SERVER,
  },
  examples: ['transcribe interview.mp3', 'transcribe talk.wav --format srt -o talk.srt', 'transcribe *.ogg -o texts'],
  run: async (context) => (await import('./run.ts')).transcribe(context),
};
