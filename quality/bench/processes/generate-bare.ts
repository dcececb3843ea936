import { getLlama, type Token } from 'node-llama-cpp';
import { answer } from './answer.ts';

// The baseline: one sequence of node-llama-cpp with greedy decoding, nothing else.
const [file = '', threads = '1'] = process.argv.slice(2);
const llama = await getLlama({ build: 'never', skipDownload: true, gpu: false, maxThreads: Number(threads) });
const model = await llama.loadModel({ modelPath: file });
const context = await model.createContext({ contextSize: 1024, threads: Number(threads) });
const sequence = context.getSequence();

answer({
  /** Tokens per second after the first one. */
  async generate({ prompt, tokens }: { prompt: string; tokens: number }): Promise<number> {
    await sequence.clearHistory();
    const input: Token[] = model.tokenize(prompt, true);
    let count = 0;
    let firstAt = 0;
    for await (const _token of sequence.evaluate(input, { temperature: 0 })) {
      if (count === 0) firstAt = performance.now();
      if (++count === tokens) break;
    }
    return ((count - 1) / (performance.now() - firstAt)) * 1000;
  },
});
