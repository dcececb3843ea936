import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getLlama } from 'node-llama-cpp';
import { reencodeWeights } from './reencode-weights.ts';
import { chatWeights } from './weights-for-tests.ts';

/** node-llama-cpp itself, with the weights in the format in which the engine reads them on this machine. */
export async function openBareModel() {
  const llama = await getLlama({ build: 'never', skipDownload: true, gpu: false, maxThreads: 1 });
  const directory = mkdtempSync(join(tmpdir(), 'bare-'));
  const [file, copy] = [chatWeights ?? '', join(directory, 'weights.gguf')];
  const machine = { architecture: process.arch, systemInfo: llama.systemInfo };
  try {
    const hasCopy = await reencodeWeights(file, copy, machine, () => undefined);
    return { llama, model: await llama.loadModel({ modelPath: hasCopy ? copy : file }) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
