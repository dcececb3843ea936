import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  getLlama,
  type Llama,
  type LlamaContext,
  type LlamaGrammar,
  LlamaGrammarEvaluationState,
  LlamaLogLevel,
  type LlamaModel,
} from 'node-llama-cpp';
import type { EngineDevice } from '../engine.ts';
import { explainLibrary } from '../gpu/explain-library.ts';
import { listKinds } from '../gpu/installed.ts';
import { Refusal, StartFailure } from '../process/protocol.ts';
import type { Host } from '../process/serve-parent.ts';
import { configureSampler, type Sampler, type SamplerOptions } from './configure-sampler.ts';
import { endLate } from './end-late.ts';
import { createMeter, type Measurable, type SamplerHandle } from './measure-token.ts';
import { placeLayers } from './place-layers.ts';
import type { FoundDevice, GpuName, LlamaSettings, LoadingFacts, RuntimeSettings } from './protocol.ts';
import { reencodeWeights } from './reencode-weights.ts';

/**
 * The one file that knows node-llama-cpp. The library batches by its own rules and cannot slice a prompt or copy a
 * sequence, so its private handle on llama.cpp is used for batches; models, contexts, grammars and tokenizers come from
 * its public side. The version is pinned; `openNative` refuses one whose private side looks different.
 */
export type Native = {
  model: LlamaModel;
  contextTokens: number;
  batchTokens: number;
  /** How the vocabulary itself writes a token. */
  entryOf(token: number): string;
  device: EngineDevice;
  /** What computes beside the CPU, even where no layer is placed on it: long prompts are. */
  gpu: GpuName | undefined;
  /** Evaluates what is in the batch. For each entry that wants one, the place of its logits. */
  evaluate(entries: BatchEntry[]): Promise<(number | undefined)[]>;
  sample(place: number, sampler: Sampler): Promise<number>;
  createSampler(options: SamplerOptions): Promise<Sampler>;
  /** Forgets everything from a position on; false where the model's memory cannot be cut, only cleared. */
  truncate(sequence: number, from: number): boolean;
  clear(sequence: number): void;
  saveSequence(sequence: number, file: string, tokens: number[]): Promise<void>;
  loadSequence(sequence: number, file: string, tokensMax: number): Promise<void>;
};

export type BatchEntry = { sequence: number; position: number; tokens: number[]; wantsLogits: boolean };

type ContextHandle = Measurable & {
  initBatch(size: number): void;
  addToBatch(sequence: number, position: number, tokens: Uint32Array, logits: Uint32Array): Uint32Array;
  decodeBatch(): Promise<void>;
  sampleToken(place: number, sampler: object): Promise<number>;
  removeTokenCellsFromSequence(sequence: number, start: number, end: number): boolean;
  disposeSequence(sequence: number): void;
  saveSequenceStateToFile(file: string, sequence: number, tokens: Uint32Array): Promise<number>;
  loadSequenceStateFromFile(file: string, sequence: number, tokensMax: number): Promise<Uint32Array>;
};

type PrivateModel = {
  _model: { getTokenString(token: number): string };
  _llama: { _bindings: { AddonSampler: SamplerClass } };
};
type PrivateLlama = { _bindings: { setLogger(logger?: undefined): void } };
type SamplerClass = {
  new (model: object): SamplerHandle;
  canBeNextTokenForGrammarEvaluationState(state: object, token: number): boolean;
  acceptGrammarEvaluationStateToken(state: object, token: number): void;
};

const batchTokens = 512;
const contextTokensDefault = 4096;
const grammarsMax = 64;
const isAppleSilicon = process.platform === 'darwin' && process.arch === 'arm64';

type Listener = Pick<Host, 'log' | 'progress' | 'loading' | 'broken'>;

type Runtime = { llama: Llama; found: FoundDevice; gpu: GpuName | undefined };

/** The library that computes: for the first GPU that is installed and was not left, or another one, else for the CPU. */
export async function openRuntime(
  { gpu, gpuDir, left, threads, trialMs }: RuntimeSettings,
  { loading, broken, log }: Pick<Listener, 'loading' | 'broken' | 'log'>,
): Promise<Runtime> {
  const installed = gpu === 'auto' && gpuDir !== undefined ? listKinds(gpuDir) : [];
  const wanted = installed.find((kind) => !left.includes(kind));
  // From here on a driver may end this process; the server then starts another one, which takes the next device.
  if (wanted) loading({ device: wanted } satisfies LoadingFacts);
  const opening = getLlama({
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    // For these Macs there is one build, which computes on the CPU as well.
    gpu: isAppleSilicon ? 'auto' : (wanted ?? (gpu && { type: gpu, exclude: left })),
    maxThreads: threads,
    logLevel: LlamaLogLevel.error,
    logger: (_, message) => log(message.trim()),
  }).catch((cause: unknown) => {
    if (wanted && gpuDir !== undefined) return broken(`cannot be opened: ${explainLibrary(gpuDir, wanted)}`);
    return failure('the llama.cpp runtime for this platform is not installed.')(cause);
  });
  const llama = await (wanted ? endLate(opening, 'did not open', broken, trialMs) : opening);
  // What waits for a logger is lost when the process aborts; without one it is printed at once.
  (llama as unknown as PrivateLlama)._bindings.setLogger();
  const found = await describeDevice(llama);
  if (wanted && found.kind === 'cpu') return broken('finds no device');
  if (gpu === false || found.kind === 'cpu' || left.includes(found.kind)) return { llama, found, gpu: undefined };
  if (!wanted) loading({ device: found.kind } satisfies LoadingFacts);
  return { llama, found, gpu: found.kind };
}

/** A GPU build without a device, as with a driver that only emulates one, computes on the CPU. */
async function describeDevice(llama: Llama): Promise<FoundDevice> {
  const names = llama.gpu === false ? [] : await llama.getGpuDeviceNames();
  if (llama.gpu === false || names.length === 0) return { kind: 'cpu', names: [], memoryBytes: null, freeBytes: null };
  const { total, free } = await llama.getVramState();
  return { kind: llama.gpu, names, memoryBytes: total, freeBytes: free };
}

export async function openNative(
  { llama, gpu }: Runtime,
  options: LlamaSettings,
  listener: Pick<Listener, 'log' | 'progress'>,
): Promise<Native> {
  const hasGpu = gpu !== undefined;
  const copy = hasGpu || options.keepsWeights ? undefined : await copyReencoded(llama, options, listener);
  const { model, context, note } = await placeLayers({
    hasGpu,
    load: (gpuLayers) => loadModel(llama, { ...options, file: copy ?? options.file }, gpuLayers, listener),
    open: (loaded) => openContext(loaded, options),
    log: listener.log,
  });
  // The memory stays mapped. Windows keeps what is in use until the process has ended.
  if (copy !== undefined && process.platform !== 'win32') rmSync(copy, { force: true });
  const handle = contextHandle(context);
  const inner = model as unknown as PrivateModel;
  const compile = createGrammarCache((grammar) => llama.createGrammar({ grammar }));

  return {
    model,
    contextTokens: context.contextSize,
    batchTokens,
    gpu,
    entryOf: (token) => inner._model.getTokenString(token),
    device: await deviceOf(llama, model, note ?? (hasGpu ? shortageOf(model) : null)),
    async evaluate(entries) {
      handle.initBatch(entries.reduce((sum, { tokens }) => sum + tokens.length, 0));
      const places: (number | undefined)[] = [];
      // Neighbouring sequences in the order of their numbers share a pass over the weights; in any other order each takes its own.
      for (const [index, entry] of [...entries.entries()].sort(([, a], [, b]) => a.sequence - b.sequence)) {
        const { sequence, position, tokens, wantsLogits } = entry;
        const wanted = Uint32Array.from(wantsLogits ? [tokens.length - 1] : []);
        places[index] = handle.addToBatch(sequence, position, Uint32Array.from(tokens), wanted)[0];
      }
      await handle.decodeBatch();
      return places;
    },
    async sample(place, sampler) {
      sampler.prepare();
      const token = await handle.sampleToken(place, sampler.handle);
      if (token >= 0) sampler.guide?.accept(token);
      return token;
    },
    async createSampler(config) {
      const { measured, grammar, looserGrammar = grammar, begunWith = [] } = config;
      const open = () => new inner._llama._bindings.AddonSampler(inner._model);
      const parts = {
        handle: open(),
        meter: measured === undefined ? undefined : createMeter(handle, open, measured),
        contextTokensMax: model.trainContextSize,
      };
      if (grammar === undefined || looserGrammar === undefined) return configureSampler(parts, config);
      const { compiled, text } = await compile(grammar).catch(() => compile(looserGrammar));
      const state = await startGrammar(model, compiled, begunWith);
      const guide = config.createGuide?.(text);
      for (const token of begunWith) guide?.accept(token);
      return configureSampler({ ...parts, grammar: { state, guide } }, config);
    },
    truncate: (sequence, from) => handle.removeTokenCellsFromSequence(sequence, from, -1),
    clear: (sequence) => handle.disposeSequence(sequence),
    async saveSequence(sequence, file, tokens) {
      await handle.saveSequenceStateToFile(file, sequence, Uint32Array.from(tokens));
    },
    async loadSequence(sequence, file, tokensMax) {
      await handle.loadSequenceStateFromFile(file, sequence, tokensMax);
    },
  };
}

/** Undefined where the weights themselves are read as fast, or there is no room for a copy. */
async function copyReencoded(
  llama: Llama,
  options: LlamaSettings,
  listener: Pick<Listener, 'log' | 'progress'>,
): Promise<string | undefined> {
  const { file, scratchDirectory } = options;
  mkdirSync(scratchDirectory, { recursive: true, mode: 0o700 });
  const copy = join(scratchDirectory, 'weights.gguf');
  const machine = { architecture: process.arch, systemInfo: llama.systemInfo };
  try {
    return (await reencodeWeights(file, copy, machine, listener.progress)) ? copy : undefined;
  } catch (error) {
    rmSync(copy, { force: true });
    // Damaged weights are told by the loader.
    listener.log(`its weights are read as they are: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

async function deviceOf(llama: Llama, model: LlamaModel, note: string | null): Promise<EngineDevice> {
  const layers = { layers: model.fileInsights.totalLayers, gpuLayers: model.gpuLayers, note };
  if (model.gpuLayers === 0) return { kind: 'cpu', names: [], memoryBytes: null, freeBytes: null, ...layers };
  return { ...(await describeDevice(llama)), ...layers };
}

function shortageOf({ gpuLayers, fileInsights: { totalLayers } }: LlamaModel): string | null {
  if (gpuLayers >= totalLayers) return null;
  return `The free memory of the GPU has room for ${gpuLayers} of ${totalLayers} layers; the CPU computes the rest.`;
}

function loadModel(
  llama: Llama,
  options: LlamaSettings,
  gpuLayers: 'fit' | number,
  listener: Pick<Listener, 'progress'>,
) {
  // The memory of all sequences must fit beside the layers.
  const contextSize = (options.contextTokens ?? contextTokensDefault) * options.sequences;
  return llama
    .loadModel({
      modelPath: options.file,
      gpuLayers: gpuLayers === 'fit' ? { fitContext: { contextSize } } : gpuLayers,
      onLoadProgress: () => listener.progress(),
    })
    .catch(failure('its weights cannot be read; the file may be damaged.'));
}

function openContext(model: LlamaModel, options: LlamaSettings): Promise<LlamaContext> {
  const context = model.createContext({
    sequences: options.sequences,
    contextSize: Math.min(options.contextTokens ?? contextTokensDefault, model.trainContextSize),
    batchSize: batchTokens,
    threads: options.threads,
    // Without it, models with a sliding window forget what a cut sequence needs again.
    swaFullCache: true,
    // The attention of many sequences at once costs less in one pass over their memory.
    flashAttention: options.flashAttention ?? 'auto',
    ...(options.adapter === undefined ? {} : { lora: options.adapter }),
  });
  return context.catch((cause: unknown) => {
    const isAdapter = options.adapter !== undefined && String(cause).includes('LoRA');
    throw new StartFailure(
      isAdapter
        ? 'its adapter cannot be read or was made for other weights.'
        : 'there is not enough memory for its context.',
      { cause },
    );
  });
}

function failure(reason: string) {
  return (cause: unknown): never => {
    throw new StartFailure(reason, { cause });
  };
}

function contextHandle(context: LlamaContext): ContextHandle {
  const handle = (context as unknown as { _ctx?: ContextHandle })._ctx;
  if (typeof handle?.addToBatch !== 'function' || typeof handle.saveSequenceStateToFile !== 'function') {
    throw new Error('This version of node-llama-cpp is not the one that this engine was written for.');
  }
  return handle;
}

/** The state of a grammar after the tokens that the answer was begun with. */
async function startGrammar(model: LlamaModel, grammar: LlamaGrammar, begunWith: number[]): Promise<object> {
  const { AddonSampler } = (model as unknown as PrivateModel)._llama._bindings;
  const { _state: state } = new LlamaGrammarEvaluationState({ model, grammar }) as unknown as { _state: object };
  for (const [index, token] of begunWith.entries()) {
    // This thread hands out the tokens of everybody.
    if (index % 16 === 15) await nextTurn();
    if (!AddonSampler.canBeNextTokenForGrammarEvaluationState(state, token))
      throw new Refusal(
        'prefix_not_in_format',
        'No answer in this response_format begins with the given prefix. Send compact JSON, or none.',
      );
    AddonSampler.acceptGrammarEvaluationStateToken(state, token);
  }
  return state;
}

/** Parsing a grammar is slow for long ones, and clients send the same tools again and again. */
function createGrammarCache(compile: (text: string) => Promise<LlamaGrammar>) {
  const known = new Map<string, LlamaGrammar>();
  return async (text: string): Promise<{ compiled: LlamaGrammar; text: string }> => {
    const compiled = known.get(text) ?? (await compile(text));
    known.delete(text);
    known.set(text, compiled);
    const [oldest] = known.keys();
    if (known.size > grammarsMax && oldest !== undefined) known.delete(oldest);
    return { compiled, text };
  };
}
