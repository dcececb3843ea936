import type { Logger } from '../../kit/base/log.ts';

/** Where GGML_ABORT says that it is: the file, the line, and what was expected. The path is of the machine that built it. */
const ABORTED = /^(?:\S*[\\/])?(\w[\w.-]*\.(?:c|cc|cpp|cu|cuh|h|hpp|m|mm):\d+: .*)/;
/** Of C++ and V8. What an exception says may repeat a request, unless it is one of Vulkan. */
const ENDED = /^(terminate called |libc\+\+abi: terminating| {2}what\(\): +vk::|FATAL ERROR: )/;
/** Functions that know tensors, batches and devices, but no text. */
const TEXTLESS = /^((ggml|gguf)\w*|(llama_)?(decode|process_ubatch|graph_\w+|output_reserve|memory_update)): /;
/** CUDA's errors, each with two more lines. */
const CUDA = /^(CUDA|ROCm|MUSA) error: |^ {2}(current device: |(cuda|cublas|hip|nccl)\w*\()/;

const LINES_MAX = 100;
/** What was said longer ago has nothing to do with the end of the process, which may take as long as its core is written. */
const LAST_MS = 60_000;

/**
 * Passes what llama.cpp and ggml say of themselves to the log. They may print text of users too, so of a process that serves
 * only lines in known forms are passed on.
 */
export function createNativeLog(name: string, log: Logger, device: () => string | undefined) {
  let lines = 0;
  let last: { stdout?: Said; stderr?: Said } = {};

  return {
    onLine(line: string, from: 'stdout' | 'stderr', isServing: boolean): void {
      if (line.trim() === '') return;
      const text = show(line.trimEnd(), from, isServing);
      if (text === undefined) {
        if (!isServing) log.debug({ engine: name, text: line }, 'child process');
        return;
      }
      if (!text.startsWith(' ')) last[from] = { at: performance.now(), text };
      if (++lines <= LINES_MAX)
        log.error({ engine: name, device: device(), detail: text }, 'the engine reported an error');
    },
    /** What it said just now: its last error, and how it ended. */
    lastWords(): string | undefined {
      const since = performance.now() - LAST_MS;
      const said = [last.stdout, last.stderr].flatMap((one) => (one && one.at >= since ? one.text : []));
      return said.length > 0 ? said.join('; ') : undefined;
    },
    /** For the next process. */
    reset(): void {
      lines = 0;
      last = {};
    },
  };
}

type Said = { at: number; text: string };

/** Undefined for what must not be shown. Errors of the log callback come on stdout, everything else on stderr. */
function show(line: string, from: 'stdout' | 'stderr', isServing: boolean): string | undefined {
  if (from === 'stdout') return !isServing || TEXTLESS.test(line) || CUDA.test(line) ? line : undefined;
  return ABORTED.exec(line)?.[1] ?? (ENDED.test(line) ? line : undefined);
}
