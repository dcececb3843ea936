import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  DEFAULT_CHAT_ID,
  DEFAULT_EMBEDDINGS_ID,
  DEFAULT_SPEECH_ID,
  LIGHT_ENGLISH_ID,
  MULTILINGUAL_EMBEDDINGS_ID,
} from './catalogue.ts';
import { find, type InstalledModel } from './installed.ts';
import { languageId } from './languages.ts';
import { pull } from './pull.ts';

/** Real weights are pulled once per machine and kept here. */
export const testModelsDir = join(tmpdir(), 'tramontane-test-weights');

/** Undefined where no source gives them; the tests that need them are then skipped, and this says why. */
export async function chatWeightsForTests(): Promise<InstalledModel | undefined> {
  return weightsForTests(DEFAULT_CHAT_ID);
}

export async function embeddingWeightsForTests(): Promise<InstalledModel | undefined> {
  return weightsForTests(DEFAULT_EMBEDDINGS_ID);
}

export async function multilingualWeightsForTests(): Promise<InstalledModel | undefined> {
  return weightsForTests(MULTILINGUAL_EMBEDDINGS_ID);
}

export async function speechWeightsForTests(): Promise<InstalledModel | undefined> {
  return weightsForTests(DEFAULT_SPEECH_ID);
}

/** The smallest: 42 MB. */
export async function transcriptionWeightsForTests(): Promise<InstalledModel | undefined> {
  return weightsForTests('whisper-tiny');
}

/** What hears English in live sessions. */
export async function lightWeightsForTests() {
  const [encoderFile, decoderFile, tokenizerFile] = (await weightsForTests(LIGHT_ENGLISH_ID))?.files ?? [];
  if (encoderFile === undefined || decoderFile === undefined || tokenizerFile === undefined) return undefined;
  return { encoderFile, decoderFile, tokenizerFile };
}

/** Of a language beside English, for Tesseract. */
export async function languageWeightsForTests(language: string): Promise<InstalledModel | undefined> {
  return weightsForTests(languageId(language));
}

export async function weightsForTests(id: string): Promise<InstalledModel | undefined> {
  const found = await find(testModelsDir, id);
  if (found) return found;
  try {
    await pull({ model: id, modelsDir: testModelsDir, environment: process.env, signal: AbortSignal.timeout(300_000) });
  } catch (error) {
    process.stderr.write(`Tests with real weights are skipped: ${String(error)}\n`);
  }
  return find(testModelsDir, id);
}
