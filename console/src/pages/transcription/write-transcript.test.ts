import { describe, expect, it } from 'vitest';
import { changeLine, clockOf, renameSpeaker, toTranscript } from './transcript.ts';
import { exports } from './write-transcript.ts';

const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2, prompt_audio_seconds: 5 };
const segment = (text: string, start: number, speaker_id: string) => ({
  type: 'transcription_segment' as const,
  text,
  start,
  end: start + 1.5,
  speaker_id,
});
const heard = toTranscript('a.wav', {
  text: 'Hello there. How are you? Fine.',
  language: 'en',
  segments: [segment(' Hello ther.', 0, 's1'), segment('How are you?', 2, 's1'), segment('Fine.', 3600, 's2')],
  usage,
});
const corrected = renameSpeaker(changeLine(heard, 0, 'Hello there.'), 's1', 'Ann');

describe('an exported transcript', () => {
  it('has the corrections and the names of the speakers', () => {
    expect(exports.txt.write(corrected)).toBe('Ann: Hello there. How are you?\n\ns2: Fine.\n');
    expect(exports.srt.write(corrected)).toContain('1\n00:00:00,000 --> 00:00:01,500\nAnn: Hello there.\n');
    expect(exports.vtt.write(corrected)).toContain('01:00:00.000 --> 01:00:01.500\ns2: Fine.\n');
    expect(JSON.parse(exports.json.write(corrected))).toMatchObject({
      language: 'en',
      text: 'Hello there. How are you? Fine.',
      segments: [{ speaker_id: 'Ann', start: 0, end: 1.5 }, {}, {}],
    });
  });

  it('without segments is one line, and without words none', () => {
    const plain = toTranscript('a', { text: ' Hi. ', language: null, segments: [], usage });
    expect(plain.lines).toEqual([{ start: 0, end: 5, speaker: null, text: 'Hi.' }]);
    expect(toTranscript('a', { text: '', language: null, usage }).lines).toEqual([]);
    expect([clockOf(65), clockOf(3665)]).toEqual(['1:05', '1:01:05']);
  });
});
