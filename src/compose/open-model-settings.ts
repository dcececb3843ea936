import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { ModelConfig } from '../config/models.ts';
import { findWeights, tryWeights } from '../engines/index.ts';
import { systemClock } from '../kit/base/clock.ts';
import { createLog, type Logger } from '../kit/base/log.ts';
import { createSignal } from '../kit/db/index.ts';
import { createOutbound, createPublicUrlCheck } from '../kit/outbound/index.ts';
import { createSecretBox } from '../kit/secrets/index.ts';
import {
  createModelSettingsService,
  type ManagedModel,
  type ModelSettingsService,
  type StoredSettings,
  type TargetKeys,
} from '../model-settings/index.ts';
import { listCatalogue, listInstalled, type Model } from '../models/index.ts';
import { createLocalAdapters } from './local-adapters.ts';
import { openBlobs } from './open-blobs.ts';
import { openKeyring } from './open-keyring.ts';
import type { Platform } from './open-platform.ts';
import { PRIVATE_NETWORKS } from './private-networks.ts';

const TEST_MS = 10_000;
/** OpenRouter describes hundreds of models at length. */
const LIST_BYTES_MAX = 16 * 1024 * 1024;
const MEBIBYTE = 1024 * 1024;
const HUGGING_FACE = /^[\w.-]+\/[\w.-]+:[\w.-]+\.gguf$/;

export type OpenedModelSettings = { modelSettings: ModelSettingsService; close(): Promise<void> };

/** The service of stored models. Commands leave out the engines: they change rows, and servers hear of it. */
export function openModelSettings(
  config: Config,
  { database, audit, tenants }: Platform,
  log: Logger,
  engines?: {
    open(model: ModelConfig, options: { isPrivate: boolean; adapterFile?: () => Promise<string> }): Model;
    apply(served: { model: Model; config: ModelConfig }[]): Promise<void>;
  },
): OpenedModelSettings {
  const { allow } = config.file.outbound;
  const limits = { timeoutMs: TEST_MS, bodyBytesMax: LIST_BYTES_MAX, redirectsMax: 0 };
  const outbound = {
    public: createOutbound({ ...limits, allow }),
    private: createOutbound({ ...limits, allow: [...allow, ...PRIVATE_NETWORKS] }),
  };
  const isPublic = createPublicUrlCheck(allow);
  const isPrivateRange = createPublicUrlCheck([...allow, ...PRIVATE_NETWORKS]);
  const adapterBlobs = openBlobs(config, 'adapters');
  const local = createLocalAdapters(adapterBlobs, join(config.dataDir, 'adapters'));
  const uploadedFile = async (id: string) => {
    const row = await modelSettings.findAdapter(id);
    if (!row) throw new Error('Its adapter was deleted. Upload it again.');
    return local.fileOf(row.sha256);
  };
  const modelSettings = createModelSettingsService({
    adapterBlobs,
    keepLocal: local.keepOnly,
    adapterBytesMax: config.file.server.file_limit_mib * MEBIBYTE,
    async tryAdapter(weights, adapter) {
      const file = (await findWeights(config.modelsDir, weights))?.files[0];
      const adapterFile = HUGGING_FACE.test(adapter)
        ? (await findWeights(config.modelsDir, adapter))?.files[0]
        : await uploadedFile(adapter);
      if (file === undefined || adapterFile === undefined) return undefined;
      return tryWeights({ file, adapter: adapterFile, log: createLog('silent') });
    },
    database,
    audit,
    signal: createSignal(database, 'stored-models', systemClock),
    box: createSecretBox(openKeyring(config, log)),
    outbound,
    // What a name resolves to is checked when it is connected to.
    mayReach: (url, isPrivate) => isPublic(url) || (isPrivate && (isPrivateRange(url) || isName(url))),
    configured: config.file.models.map(describeConfigured),
    async knowsWeights(weights) {
      if (HUGGING_FACE.test(weights) || listCatalogue().some(({ id }) => id === weights)) return true;
      return (await listInstalled(config.modelsDir)).some(({ id }) => id === weights);
    },
    open(settings, keys) {
      if (!engines) throw new Error('Commands open no engines.');
      const { engine } = settings;
      const uploaded = engine === 'llama' && settings.adapter && !HUGGING_FACE.test(settings.adapter);
      return engines.open(toConfig(settings, keys), {
        isPrivate: engine === 'upstream' && settings.private_network,
        ...(uploaded && { adapterFile: () => uploadedFile(settings.adapter ?? '') }),
      });
    },
    async apply(served) {
      await engines?.apply(served.map(({ model, settings }) => ({ model, config: toConfig(settings, []) })));
    },
    async operatorOrganization() {
      const [first] = await tenants.listOrganizations();
      return first?.id;
    },
    now: systemClock,
    log,
  });
  return {
    modelSettings,
    async close() {
      await modelSettings.stop();
      await Promise.all([outbound.public.close(), outbound.private.close()]);
    },
  };
}

function isName({ hostname }: URL): boolean {
  return !/^[\d.]+$|^\[/.test(hostname);
}

/** The same settings as a line of the configuration file would have. Throws where they contradict each other. */
function toConfig(settings: StoredSettings, keys: TargetKeys): ModelConfig {
  const common = withoutNull(settings);
  const limits = withoutNull(settings.limits);
  if (settings.engine !== 'upstream') return ModelConfig.parse({ ...common, limits });
  const { private_network: _, fallbacks, url, upstream_model, ...rest } = settings;
  const target = (at: { url: string; upstream_model?: string | null | undefined }, index: number) =>
    withoutNull({ url: at.url, upstream_model: at.upstream_model, api_key: keys[index] });
  return ModelConfig.parse({
    ...withoutNull(rest),
    limits,
    ...target({ url, upstream_model }, 0),
    fallbacks: fallbacks.map((fallback, index) => target(fallback, index + 1)),
    capabilities: withoutNull(rest.capabilities),
  });
}

function withoutNull(settings: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null && value !== undefined));
}

function describeConfigured(model: ModelConfig): ManagedModel {
  const { id, aliases, engine, price } = model;
  const isUpstream = model.engine === 'upstream';
  return {
    ...{ id, engine, aliases, source: model.isBuiltin ? 'builtin' : 'file' },
    name: model.name ?? null,
    description: model.description ?? null,
    kind: model.kind ?? null,
    capabilities: { ...model.capabilities },
    default_temperature: model.default_temperature ?? null,
    price: { prompt: price.prompt, completion: price.completion },
    limits: {
      requests_per_minute: model.limits.requests_per_minute ?? null,
      tokens_per_minute: model.limits.tokens_per_minute ?? null,
    },
    max_context_length: model.engine === 'llama' ? model.context : model.max_context_length,
    targets: isUpstream
      ? [model, ...model.fallbacks].map(({ url, upstream_model, api_key }) => ({
          url: withoutPassword(url),
          upstream_model: upstream_model ?? null,
          has_api_key: api_key !== undefined,
        }))
      : [],
    timeout_seconds: isUpstream ? model.timeout_seconds : null,
    private_network: isUpstream,
    weights: 'weights' in model ? model.weights : null,
    // The path of an adapter is the operator's own.
    adapter: null,
    sequences: model.engine === 'llama' ? (model.sequences ?? null) : null,
    ...{ problem: null, updated_at: null },
  };
}

function withoutPassword(address: string): string {
  const url = new URL(address);
  url.username = '';
  url.password = '';
  return url.href;
}
