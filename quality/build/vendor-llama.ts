import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import type { Plugin } from 'rolldown';
import { ROOT } from './layout.ts';

/**
 * node-llama-cpp asks npm for every GPU's runtime, 700 MB, and a package cannot keep npm from that where it is itself
 * installed as a dependency. So its JavaScript is part of the child's bundle, and we depend on the runtimes ourselves.
 */
const PACKAGE = join(ROOT, 'node_modules/node-llama-cpp');
const FOLDER = 'engines/llama/node-llama-cpp';
/** What it reads of its own folder: its version, and which llama.cpp its runtimes were made from. */
const READ = ['package.json', 'LICENSE', 'llama/binariesGithubRelease.json', 'llama/llama.cpp.info.json'];

/** It tries a runtime in a process of its own, which runs this file. */
export const LLAMA_PROBE = 'dist/bindings/utils/testBindingBinary';
export const llamaProbe = {
  input: join(PACKAGE, `${LLAMA_PROBE}.js`),
  output: `${FOLDER}/${LLAMA_PROBE}`,
};

export function copyLlamaFiles(dist: string): void {
  for (const file of READ) {
    const target = join(dist, FOLDER, file);
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(PACKAGE, file), target);
  }
  // npm reads only the outermost package.json, people and scanners also this one: it installs nothing.
  const manifest = join(dist, FOLDER, 'package.json');
  const { name, version, license, type, repository } = JSON.parse(readFileSync(manifest, 'utf8'));
  writeFileSync(manifest, `${JSON.stringify({ name, version, license, type, repository }, null, 2)}\n`);
}

/** What the child uses of it, and no more: its index would bring downloaders with native code of their own. */
const ENTRY = `
export { getLlama } from ${JSON.stringify(join(PACKAGE, 'dist/bindings/getLlama.js'))};
export { LlamaLogLevel } from ${JSON.stringify(join(PACKAGE, 'dist/bindings/types.js'))};
export { readGgufFileInfo } from ${JSON.stringify(join(PACKAGE, 'dist/gguf/readGgufFileInfo.js'))};
export { GgmlType } from ${JSON.stringify(join(PACKAGE, 'dist/gguf/types/GgufTensorInfoTypes.js'))};
export { LlamaGrammarEvaluationState } from ${JSON.stringify(join(PACKAGE, 'dist/evaluator/LlamaGrammarEvaluationState.js'))};
`;

/** Lets its modules find that folder, wherever the file is that they end up in. */
export function locateLlama(outputFile: string): Plugin {
  return {
    name: 'locate-llama',
    resolveId: (id) => (id === 'node-llama-cpp' ? '\0node-llama-cpp' : null),
    load: (id) => (id === '\0node-llama-cpp' ? ENTRY : null),
    transform(code, id) {
      if (!id.startsWith(PACKAGE + sep) || !code.includes('import.meta.url')) return null;
      const place = join(FOLDER, relative(PACKAGE, id)).split(sep).join('/');
      const from = relative(dirname(outputFile), place).split(sep).join('/');
      return code.replaceAll('import.meta.url', `new URL(${JSON.stringify(`./${from}`)}, import.meta.url).href`);
    },
  };
}

/** Importing one of its modules does nothing, so what nobody uses of it (its compiler, its downloader) stays out. */
export function hasNoEffects(id: string): boolean {
  return id.startsWith(join(PACKAGE, 'dist') + sep) && !id.includes(LLAMA_PROBE.split('/').join(sep));
}
