import { expect, it } from 'vitest';
import { howToServe } from './how-to-serve.ts';

const config = { file: { models: [] }, configFile: undefined };

it.each([
  ['whisper-tiny', '- { id: "whisper-tiny", engine: whisper, weights: "whisper-tiny" }'],
  ['speaker-turns', '- { id: whisper-base, engine: whisper, diarization: true }'],
  ['tesseract-deu', '- { id: tesseract, engine: tesseract, languages: [eng, deu] }'],
])('%s is served by %s', (id, line) => {
  expect(howToServe(config, id)).toContain(line);
});

it('names the model that uses the weights already', () => {
  const models = [{ id: 'mine', engine: 'whisper', diarization: true }] as never[];
  expect(howToServe({ ...config, file: { models } }, 'speaker-turns')).toBe("The model 'mine' serves them.");
});
