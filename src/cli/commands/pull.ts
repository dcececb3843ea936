import { requiredWeights } from '../../compose/required-weights.ts';
import { listCatalogue, pullModel } from '../../operator/weights.ts';
import type { Context, ExitCode } from '../command.ts';
import { drawProgress } from '../draw-progress.ts';
import { listenForSignals } from '../listen-for-signals.ts';
import { readConfig } from '../read-config.ts';

/** Weights that no configured model uses serve nobody yet. */
function howToServe({ file: { models }, configFile }: ReturnType<typeof readConfig>, id: string): string {
  const user = models.find((model) => requiredWeights(model).includes(id));
  if (user) return `The model '${user.id}' serves them.`;
  const place = configFile ?? 'a file tramontane.yaml beside the data dir';
  const name = JSON.stringify(id);
  const purpose = listCatalogue().find((entry) => entry.id === id)?.purpose ?? 'chat';
  const settings = {
    chat: `engine: llama, weights: ${name}`,
    embeddings: `engine: onnx, weights: ${name}`,
    speech: 'engine: kokoro',
    ocr: `engine: tesseract, languages: [eng, ${id.replace('tesseract-', '')}]`,
  }[purpose];
  return `To serve it, add this under models: in ${place}, and start again:\n  - { id: ${purpose === 'ocr' ? 'tesseract' : name}, ${settings} }`;
}

export async function pull(context: Context): Promise<ExitCode> {
  const { args, output } = context;
  const config = readConfig(context);
  const model = args.parameter('model');
  const cancel = new AbortController();
  void listenForSignals(() => process.exit(1)).then(() =>
    cancel.abort(new Error('stopped; the same command goes on from here')),
  );
  const pulled = await pullModel(config, model, {
    sha256: args.text('sha256'),
    signal: cancel.signal,
    onProgress: (progress) => output.progress(drawProgress(progress.file, progress)),
  });
  const { id, file, sha256 } = pulled;
  output.result(pulled, `${id} is here: ${file}\nsha256 ${sha256}\n\n${howToServe(config, id)}`);
  return 0;
}
