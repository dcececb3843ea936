import { requiredWeights } from '../../compose/required-weights.ts';
import type { Config } from '../../config/config.ts';
import { listCatalogue } from '../../operator/weights.ts';

type Served = { file: Pick<Config['file'], 'models'>; configFile: Config['configFile'] };

/** What to write where, so that pulled weights are used. */
export function howToServe({ file: { models }, configFile }: Served, id: string): string {
  const user = models.find((model) => requiredWeights(model).includes(id));
  if (user) return `The model '${user.id}' serves them.`;
  const name = JSON.stringify(id);
  const purpose = listCatalogue().find((entry) => entry.id === id)?.purpose ?? 'chat';
  // Weights that another model uses beside its own.
  const isAddition = purpose === 'transcription' && !id.startsWith('whisper');
  const settings = {
    chat: `engine: llama, weights: ${name}`,
    embeddings: `engine: onnx, weights: ${name}`,
    speech: 'engine: kokoro',
    transcription: isAddition
      ? `engine: whisper, ${id.startsWith('moonshine') ? 'light_english' : 'diarization'}: true`
      : `engine: whisper, weights: ${name}`,
    ocr: `engine: tesseract, languages: [eng, ${id.replace('tesseract-', '')}]`,
  }[purpose];
  return [
    `To serve it, add this under models: in ${configFile ?? 'a file tramontane.yaml beside the data directory'} and restart:`,
    `  - { id: ${purpose === 'ocr' ? 'tesseract' : isAddition ? 'whisper-base' : name}, ${settings} }`,
  ].join('\n');
}
