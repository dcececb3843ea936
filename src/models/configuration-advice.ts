import { matchFamily } from './families.ts';
import type { Need } from './needs.ts';

const URL = 'url: "http://127.0.0.1:8000/v1"';

/** A model that meets the need, as a line of the configuration. */
const LINES: Record<Need, { id: string; settings: string }> = {
  chat: { id: 'chat', settings: `engine: upstream, ${URL}` },
  vision: { id: 'vision', settings: `engine: upstream, ${URL}, kind: chat, capabilities: { vision: true }` },
  audio: { id: 'audio', settings: `engine: upstream, ${URL}, kind: chat, capabilities: { audio: true }` },
  fim: { id: 'coder', settings: 'engine: llama, weights: qwen2.5-coder-1.5b-instruct, kind: code' },
  embeddings: { id: 'embedder', settings: 'engine: onnx, weights: all-minilm-l6-v2, kind: embeddings' },
  classification: { id: 'classifier', settings: 'engine: onnx, weights: ./my-model, kind: classification' },
  moderation: { id: 'moderator', settings: 'engine: onnx, weights: all-minilm-l6-v2, kind: moderation' },
  ocr: { id: 'tesseract', settings: 'engine: tesseract' },
  reranking: { id: 'reranker', settings: `engine: upstream, ${URL}, kind: reranking` },
  speech: { id: 'kokoro-82m', settings: 'engine: kokoro' },
  transcription: { id: 'whisper-base', settings: 'engine: whisper' },
};

/** What the operator writes so that there is such a model. A client's name is repeated only where it is plain YAML. */
export function adviseConfiguration(need: Need, name?: string): string {
  const { id, settings } = LINES[need];
  const isPublic = name !== undefined && matchFamily(name) !== undefined;
  const given = name !== undefined && !isPublic && /^[a-z][a-z0-9._-]{0,63}$/i.test(name) ? name : id;
  const line = `The operator adds one under models: in tramontane.yaml: - { id: ${given}, ${settings} }`;
  return isPublic ? `${line}; public names stand for it then, unless sample_aliases is false` : line;
}
