import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * The files of a model for sequence classification, as exports to ONNX lay them out: the graph, and beside it
 * `tokenizer.json` and `config.json` with the labels. `path` is the folder or the graph. Undefined where one is missing.
 */
export function findClassifierFiles(path: string): [graph: string, tokenizer: string, config: string] | undefined {
  if (!existsSync(path)) return undefined;
  const isFolder = statSync(path).isDirectory();
  const folder = resolve(isFolder ? path : dirname(path));
  const graphs = isFolder ? ['model.onnx', 'onnx/model.onnx', 'model_quantized.onnx', 'onnx/model_quantized.onnx'] : [];
  const graph = isFolder ? graphs.map((name) => join(folder, name)).find((file) => existsSync(file)) : resolve(path);
  // Some exports keep the graph in a folder of its own.
  const homes = [folder, dirname(folder)];
  const findBeside = (name: string) => homes.map((home) => join(home, name)).find((file) => existsSync(file));
  const [tokenizer, config] = [findBeside('tokenizer.json'), findBeside('config.json')];
  return graph && tokenizer && config ? [graph, tokenizer, config] : undefined;
}
