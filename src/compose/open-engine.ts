import { join } from 'node:path';
import type { ModelConfig } from '../config/schema.ts';
import {
  createEmbedEngine,
  createEspeakEngine,
  createFallbackSpeech,
  createKokoroEngine,
  createLlamaEngine,
  createOcrEngine,
  createOnnxClassifier,
  createPulledEngine,
  createUpstreamEngine,
  createWhisperEngine,
  DEFAULT_CHAT_ID,
  DEFAULT_SPEECH_ID,
  DIARIZATION_ID,
  type Engine,
  type EspeakProcess,
  englishFile,
  explainMissingPackages,
  findClassifierFiles,
  gpuDirOf,
  LIGHT_ENGLISH_ID,
  type LightFiles,
  languageId,
  NPM_CHAT_ID,
  type PulledEngine,
  type UpstreamConnections,
  withFallbackSpeech,
} from '../engines/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { QueueMetrics } from '../kit/http/index.ts';
import { locateWeights, type PullContext, type WeightsLocation } from './locate-weights.ts';

type Configured<E extends ModelConfig['engine']> = Extract<ModelConfig, { engine: E }>;

export type EngineContext = PullContext & {
  connections: UpstreamConnections;
  /** Whether its servers are reached through the address guard, which has no WebSocket. */
  isGuarded?: boolean;
  /** One process for all models: eSpeak NG's own voices, and the pronunciation for Kokoro. */
  espeak: () => EspeakProcess;
  /** Whether nothing is downloaded for the model until a request needs it. */
  isLazy: boolean;
  /** Registers an engine whose weights may have to be downloaded. */
  keep: (engine: PulledEngine) => PulledEngine;
  /** Shows a queue in the metrics. */
  watch: QueueMetrics | undefined;
  log: Logger;
  /** Where the LoRA adapter of a model is that has one which is no path. */
  locateAdapter?: (adapter: string) => WeightsLocation | undefined;
};

const MEGAPIXEL = 1_000_000;

/** The engine of a configured model. Its weights may come later; nothing waits for them here. */
export function openEngine(context: EngineContext, model: ModelConfig): Engine {
  switch (model.engine) {
    case 'llama':
      return openLlama(context, model);
    case 'onnx':
      return model.capabilities.classification ? openClassifier(context, model) : openOnnx(context, model);
    case 'kokoro':
      return openKokoro(context, model);
    case 'espeak':
      return createEspeakEngine(context.espeak());
    case 'tesseract':
      return openTesseract(context, model);
    case 'whisper':
      return openWhisper(context, model);
    case 'upstream':
      return openUpstream(context, model);
  }
}

/** With the model's own weights and adapter, or with those of a fine-tuned model. */
export function openLlama(
  context: EngineContext,
  model: Configured<'llama'>,
  { file, adapter }: { file?: string | undefined; adapter?: string | undefined } = { adapter: model.adapter },
): Engine {
  const { id, context: contextTokens, sequences, threads, gpu } = model;
  const { config, log, keep, environment } = context;
  const located = adapter === undefined ? undefined : context.locateAdapter?.(adapter);
  const open = (weights: string, adapterFile = adapter): Engine =>
    createLlamaEngine({
      name: id,
      file: weights,
      contextTokens,
      log,
      environment,
      gpu: gpu === 'auto' ? 'auto' : false,
      gpuDir: gpuDirOf(config.dataDir),
      ...(adapterFile === undefined ? {} : { adapter: adapterFile }),
      ...(sequences === undefined ? {} : { sequences }),
      ...(threads === undefined ? {} : { threads }),
    });
  if (file !== undefined) return open(file);
  // A machine without pip still has npm, which carries another small model.
  const candidates = model.weights === DEFAULT_CHAT_ID ? [DEFAULT_CHAT_ID, NPM_CHAT_ID] : [model.weights];
  return keep(
    createPulledEngine({
      name: id,
      offers: { fim: true, constrains: true },
      obstacle: explainMissingPackages('llama', `The model '${id}'`),
      log,
      ...joinLocations([locateWeights(context, candidates), ...(located ? [located] : [])]),
      open: (files) => open(files[0] ?? '', located ? files.at(-1) : adapter),
    }),
  );
}

function openOnnx(context: EngineContext, { id, weights, threads }: Configured<'onnx'>): Engine {
  const { log, keep, environment, watch, isLazy } = context;
  return keep(
    createPulledEngine({
      name: id,
      offers: { embeddings: true },
      obstacle: explainMissingPackages('onnx', `The model '${id}'`),
      log,
      ...locateWeights(context, [weights]),
      open: ([modelFile = '', tokenizerFile = '']) =>
        createEmbedEngine({
          modelFile,
          tokenizerFile,
          isLazy,
          log,
          environment,
          watch: watch?.('embeddings'),
          ...(threads === undefined ? {} : { threads }),
        }),
    }),
  );
}

/** Its files are the operator's: nothing is downloaded for it. */
function openClassifier(context: EngineContext, { id, weights, threads }: Configured<'onnx'>): Engine {
  const { log, keep, environment, watch, isLazy } = context;
  return keep(
    createPulledEngine({
      name: id,
      offers: { classification: true },
      obstacle: explainMissingPackages('onnx', `The model '${id}'`),
      log,
      describe: () => '',
      fetch: undefined,
      async find() {
        const files = findClassifierFiles(weights);
        if (!files)
          throw new Error(`${weights} must be a folder with model.onnx, tokenizer.json and config.json, or its graph`);
        return files;
      },
      open: ([modelFile, tokenizerFile, configFile]) =>
        createOnnxClassifier({
          modelFile,
          tokenizerFile,
          configFile,
          isLazy,
          log,
          environment,
          watch: watch?.('classifications'),
          ...(threads === undefined ? {} : { threads }),
        }),
    }),
  );
}

function openKokoro(context: EngineContext, { id, threads }: Configured<'kokoro'>): Engine {
  const { log, keep, environment, watch } = context;
  const espeak = context.espeak();
  const { fetch, ...weights } = locateWeights(context, [DEFAULT_SPEECH_ID]);
  const engine = createPulledEngine({
    name: id,
    offers: {},
    obstacle: explainMissingPackages('kokoro', `The model '${id}'`),
    log,
    ...weights,
    // Kokoro cannot speak without eSpeak NG, so its weights would be useless.
    fetch: espeak.isInstalled ? fetch : undefined,
    open: ([modelFile = '', voicesFile = '']) =>
      createKokoroEngine({
        modelFile,
        voicesFile,
        espeak,
        log,
        environment,
        watch: watch?.('speech'),
        ...(threads === undefined ? {} : { threads }),
      }),
  });
  return withFallbackSpeech(keep(engine), createFallbackSpeech(espeak), context.isLazy);
}

/** English is installed with the program; other languages are weights. */
function openTesseract(context: EngineContext, model: Configured<'tesseract'>): Engine {
  const { id, languages, concurrency, memory_mib, page_timeout_seconds, pages_max, megapixels_max } = model;
  const { config, log, keep, environment, watch } = context;
  const others = languages.filter((language) => language !== 'eng');
  const open = (files: string[]): Engine =>
    createOcrEngine({
      languageFiles: languages.includes('eng') ? [englishFile(), ...files] : files,
      concurrency,
      perTenantMax: model.per_organization,
      watch: watch?.('ocr'),
      memoryMib: memory_mib,
      pdfMemoryMib: Math.floor(memory_mib / 2),
      pageMs: page_timeout_seconds * 1000,
      documentMs: model.document_timeout_seconds * 1000,
      pagesMax: pages_max,
      pixelsMax: megapixels_max * MEGAPIXEL,
      log,
      environment,
    });
  const obstacle = explainMissingPackages('tesseract', `The model '${id}'`);
  if (others.length === 0 && obstacle === undefined) return open([]);
  // The operator may have put a language into the models dir that the catalogue does not know.
  const pathOf = (language: string) => join(config.modelsDir, `${language}.traineddata.gz`);
  return keep(
    createPulledEngine({
      name: id,
      pullAs: others.map(languageId).join(' '),
      offers: { ocr: true },
      obstacle,
      log,
      ...locateAll(
        context,
        others.map((language) => [languageId(language), pathOf(language)]),
      ),
      open,
    }),
  );
}

function openWhisper(context: EngineContext, model: Configured<'whisper'>): Engine {
  const { id, weights, threads, concurrency, hours_max, decoder_memory_mib, diarization } = model;
  const { config, log, keep, environment, watch } = context;
  const needed = [weights, ...(diarization ? [DIARIZATION_ID] : [])];
  return keep(
    createPulledEngine({
      name: id,
      pullAs: needed.join(' '),
      offers: { transcription: true },
      obstacle: explainMissingPackages('whisper', `The model '${id}'`),
      log,
      ...locateAll(
        context,
        needed.map((one) => [one]),
      ),
      open: ([encoderFile = '', decoderFile = '', tokenizerFile = '', vadFile = '', segmentationFile, embeddingFile]) =>
        createWhisperEngine({
          encoderFile,
          decoderFile,
          tokenizerFile,
          vadFile,
          threads,
          concurrency,
          perTenantMax: model.per_organization,
          watch: watch?.('transcription'),
          hoursMax: hours_max,
          decoderMemoryMib: decoder_memory_mib,
          dir: join(config.dataDir, 'audio'),
          light: model.light_english ? locateLight(context) : undefined,
          speakers:
            segmentationFile !== undefined && embeddingFile !== undefined
              ? { segmentationFile, embeddingFile }
              : undefined,
          log,
          environment,
        }),
    }),
  );
}

/** Nobody waits for the light model: until its files are here, live sessions are heard by Whisper. The first one fetches them. */
function locateLight(context: EngineContext): () => LightFiles | undefined {
  const { find, fetch } = locateWeights(context, [LIGHT_ENGLISH_ID]);
  let files: LightFiles | undefined;
  let isFetched = false;

  async function locate(from: () => Promise<string[] | undefined>): Promise<void> {
    try {
      const [encoderFile, decoderFile, tokenizerFile] = (await from()) ?? [];
      if (encoderFile !== undefined && decoderFile !== undefined && tokenizerFile !== undefined)
        files = { encoderFile, decoderFile, tokenizerFile };
    } catch (error) {
      context.log.warn({ err: error }, `The weights of ${LIGHT_ENGLISH_ID} could not be fetched.`);
    }
  }

  void locate(find);
  return () => {
    // Afterwards the operator may still put them there.
    if (!files) void locate(isFetched || !fetch ? find : fetch);
    isFetched = true;
    return files;
  };
}

/** The files of all of them, in their order; each is a list of candidates. */
function locateAll(context: EngineContext, wanted: string[][]) {
  return joinLocations(wanted.map((candidates) => locateWeights(context, candidates)));
}

function joinLocations(each: WeightsLocation[]): WeightsLocation {
  return {
    describe: () => each.flatMap(({ describe }) => describe() || []).join(', '),
    async find() {
      const found = await Promise.all(each.map(({ find }) => find()));
      return found.every((files) => files !== undefined) ? found.flat() : undefined;
    },
    fetch: each.some(({ fetch }) => fetch)
      ? async () => {
          const files: string[] = [];
          for (const { find, fetch } of each) files.push(...((await find()) ?? (await fetch?.()) ?? []));
          return files;
        }
      : undefined,
  };
}

function openUpstream({ connections, isGuarded }: EngineContext, model: Configured<'upstream'>): Engine {
  const { id, url, api_key, upstream_model, fallbacks, timeout_seconds, kind, capabilities } = model;
  const targets = [{ url, api_key, upstream_model }, ...fallbacks].map((target) => ({
    url: target.url,
    apiKey: target.api_key,
    model: target.upstream_model ?? id,
    timeoutMs: timeout_seconds * 1000,
  }));
  const { voices, default_voice, clones } = model.speech;
  const speech = { name: id, voices, defaultVoice: default_voice ?? voices[0] ?? 'alloy', clones };
  return createUpstreamEngine({
    targets,
    connections,
    now: systemClock,
    // There is no capability for embeddings: without a kind, a model that has none makes them.
    embeds: kind === 'embeddings' || (kind === undefined && Object.values(capabilities).every((has) => !has)),
    ...(kind === 'reranking' ? { reranks: true } : {}),
    ...(capabilities.audio_speech ? { speech } : {}),
    ...(capabilities.ocr ? { ocr: true } : {}),
    ...(capabilities.audio_transcription ? { transcribes: true } : {}),
    ...(capabilities.audio_transcription_realtime && !isGuarded ? { listens: true } : {}),
  });
}
