import { describe, expect, it } from 'vitest';
import {
  catalogue,
  DEFAULT_CHAT_ID,
  DEFAULT_EMBEDDINGS_ID,
  DEFAULT_SPEECH_ID,
  DEFAULT_TRANSCRIPTION_ID,
  DIARIZATION_ID,
  findCatalogueEntry,
  MULTILINGUAL_EMBEDDINGS_ID,
  NPM_CHAT_ID,
} from './catalogue.ts';

describe('the catalogue', () => {
  it.each(catalogue)('$id has a pin, a licence and a Hugging Face source for each file that is there', (entry) => {
    // Speakers are told apart only where the operator asks for it, with what the page says of their licence.
    if (entry.id !== DIARIZATION_ID) expect(['Apache-2.0', 'MIT']).toContain(entry.licence);
    for (const { name, sha256, bytes, sources } of entry.files) {
      expect(sha256).toMatch(/^[0-9a-f]{64}$/);
      expect(entry.memoryBytes).toBeGreaterThan(bytes);
      // The voices are one file only here, and the multilingual model and the languages of the recognizer are published
      // by one package each.
      if (/\.voices\.bin$|silero-vad|moonshine.*tokenizer|^use-multilingual/.test(name) || entry.purpose === 'ocr')
        continue;
      expect(sources.map(({ kind }) => kind)).toContain('huggingface');
      expect(sources.length).toBeGreaterThan(1);
    }
  });

  it('names each file and each model once', () => {
    const names = catalogue.flatMap(({ files }) => files.map(({ name }) => name));
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(catalogue.map(({ id }) => id)).size).toBe(catalogue.length);
  });

  it('has the defaults, one for npm alone, and one that chooses tools', () => {
    expect(findCatalogueEntry(DEFAULT_CHAT_ID.toUpperCase())?.purpose).toBe('chat');
    expect(findCatalogueEntry(DEFAULT_EMBEDDINGS_ID)?.purpose).toBe('embeddings');
    expect(findCatalogueEntry(MULTILINGUAL_EMBEDDINGS_ID)?.purpose).toBe('embeddings');
    expect(findCatalogueEntry(DEFAULT_SPEECH_ID)?.purpose).toBe('speech');
    expect(findCatalogueEntry(DEFAULT_TRANSCRIPTION_ID)?.purpose).toBe('transcription');
    const kinds = findCatalogueEntry(NPM_CHAT_ID)?.files.flatMap(({ sources }) => sources.map(({ kind }) => kind));
    expect(kinds).toContain('npm');
    expect(catalogue.some(({ choosesTools, purpose }) => choosesTools && purpose === 'chat')).toBe(true);
  });
});
