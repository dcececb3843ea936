import type { Config } from '../config/config.ts';
import type { Environment } from '../config/environment.ts';
import type { ModelConfig } from '../config/schema.ts';
import {
  createEspeakProcess,
  createUpstreamConnections,
  type Engine,
  type EngineDevice,
  type EspeakProcess,
  type PulledEngine,
} from '../engines/index.ts';
import type { Logger } from '../kit/base/log.ts';
import type { QueueMetrics } from '../kit/http/index.ts';
import { createAddressGuard } from '../kit/outbound/index.ts';
import type { Model } from '../models/index.ts';
import { locateWeights, type OnPullProgress } from './locate-weights.ts';
import { type EngineContext, openEngine, openLlama } from './open-engine.ts';
import { PRIVATE_NETWORKS } from './private-networks.ts';

const WARM_UP_MS = 2000;

export type OpenedModels = {
  models: Model[];
  /** Opens the engine of a fine-tuned model; undefined where its base model cannot have one. */
  openTuned(root: string, file: string | null, adapter: string | null): Engine | undefined;
  /** Opens a model of the database behind the address guard, and fetches its weights where that is allowed. */
  openStored(model: ModelConfig, options: { isPrivate: boolean; adapterFile?: () => Promise<string> }): Model;
  /** The models of the database that are served; their weights may be the base of fine-tuned ones. */
  setStored(models: ModelConfig[]): void;
  /** Downloads missing weights in the background, where that is allowed. */
  prepare(): void;
  /** What the models that are loaded compute with; those of workspaces are not among them. */
  devices(): { model: string; device: EngineDevice }[];
  /** Opens the models whose weights have come meanwhile, so that they are ready before the next request. */
  openInstalled(): void;
  close(): Promise<void>;
};

/** The configured models with their engines. */
export function openModels(
  config: Config,
  log: Logger,
  environment: Environment,
  onProgress: OnPullProgress = () => undefined,
  watch?: QueueMetrics,
): OpenedModels {
  const connections = createUpstreamConnections();
  const { allow } = config.file.outbound;
  const guarded = {
    public: createUpstreamConnections({ guard: createAddressGuard(allow) }),
    private: createUpstreamConnections({ guard: createAddressGuard([...allow, ...PRIVATE_NETWORKS]) }),
  };
  let stored: ModelConfig[] = [];
  const storedEngines = new Map<string, PulledEngine>();
  const stopping = new AbortController();
  const pulled: PulledEngine[] = [];
  const lazy: PulledEngine[] = [];
  let espeak: EspeakProcess | undefined;
  let startsEspeak = false;
  const context: EngineContext = {
    config,
    environment,
    signal: stopping.signal,
    onProgress,
    connections,
    watch,
    log,
    isLazy: false,
    espeak() {
      startsEspeak = true;
      return openEspeak();
    },
    keep(engine) {
      pulled.push(engine);
      return engine;
    },
  };
  const lazyContext: EngineContext = {
    ...context,
    isLazy: true,
    espeak: openEspeak,
    keep(engine) {
      lazy.push(engine);
      return engine;
    },
  };
  function openEspeak(): EspeakProcess {
    espeak ??= createEspeakProcess({ log, watch: watch?.('speech') });
    return espeak;
  }
  const models = config.file.models.map((model) =>
    toModel(model, openEngine(model.isLazy ? lazyContext : context, model)),
  );
  return {
    models,
    devices: () =>
      [...models.map(({ id, engine }) => [id, engine] as const), ...storedEngines].flatMap(([model, engine]) => {
        const device = engine.device?.();
        return device ? [{ model, device }] : [];
      }),
    openTuned(root, file, adapter) {
      const model = [...config.file.models, ...stored].find(({ id }) => id === root);
      if (model?.engine !== 'llama') return undefined;
      return openLlama(context, model, { file: file ?? undefined, adapter: adapter ?? undefined });
    },
    openStored(model, { isPrivate, adapterFile }) {
      const keep = (engine: PulledEngine) => {
        storedEngines.set(model.id, engine);
        void engine.prepare();
        return engine;
      };
      const connections = guarded[isPrivate ? 'private' : 'public'];
      const locateAdapter = (adapter: string) =>
        adapterFile
          ? { describe: () => '', find: async () => [await adapterFile()], fetch: undefined }
          : locateWeights(context, [adapter]);
      return toModel(model, openEngine({ ...context, connections, keep, isGuarded: true, locateAdapter }, model));
    },
    setStored(models) {
      stored = models;
      for (const id of storedEngines.keys()) if (!models.some((model) => model.id === id)) storedEngines.delete(id);
    },
    prepare() {
      for (const engine of pulled) void engine.prepare();
      for (const engine of lazy) void engine.prepare({ onlyInstalled: true });
      // Warmed up before the first request, but after the server's own start.
      if (startsEspeak) setTimeout(() => espeak?.start(), WARM_UP_MS).unref();
    },
    openInstalled() {
      for (const engine of [...pulled, ...lazy, ...storedEngines.values()])
        if (!engine.current()) void engine.prepare({ onlyInstalled: true });
    },
    async close() {
      stopping.abort();
      await espeak?.close();
      await Promise.all([connections, guarded.public, guarded.private].map((one) => one.close()));
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
    ...(model.kind === 'moderation' && { embeds: false }),
    ...(model.isBuiltin && { isBuiltin: true }),
  };
}
