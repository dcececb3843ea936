import type { AuditService } from '../audit/index.ts';
import { type Clock, isoMicros } from '../kit/base/clock.ts';
import type { Logger } from '../kit/base/log.ts';
import type { Blobs } from '../kit/blobs/index.ts';
import type { Database, Signal, Tx } from '../kit/db/index.ts';
import type { Upload } from '../kit/http/index.ts';
import type { Outbound } from '../kit/outbound/index.ts';
import type { SecretBox } from '../kit/secrets/index.ts';
import type { Model } from '../models/index.ts';
import { type Caller, callerOf, type Scope } from '../tenants/index.ts';
import { modelSettingsErrors } from './errors.ts';
import { createAdapters, type StagedAdapter } from './keep-adapters.ts';
import { findKey, splitKeys } from './keep-keys.ts';
import { presets } from './presets.ts';
import type {
  ConnectionReport,
  ConnectionTest,
  ManagedModel,
  ManagedModels,
  ModelSettings,
  Preset,
  StoredSettings,
} from './schema.ts';
import { openKeys, sealKeys, type TargetKeys } from './seal-keys.ts';
import { deleteStored, findStored, insertStored, listStored, type StoredModelRow, updateStored } from './store.ts';
import { BROKEN, createStoredModels, KEY_LOST, readSettings } from './stored-models.ts';
import { testConnection } from './test-connection.ts';
import { targetsOf, toBroken, toManaged } from './to-managed.ts';

const MODELS_MAX = 500;

type ModelSettingsPorts = {
  database: Database;
  audit: AuditService;
  signal: Signal;
  box: SecretBox;
  /** Two guards: for public addresses, and for those of private networks as well. */
  outbound: Record<'public' | 'private', Outbound>;
  /** Tells early which addresses never work; connections are checked again. */
  mayReach: (url: URL, isPrivate: boolean) => boolean;
  /** The models of the file and of the program, which are stronger. */
  configured: readonly ManagedModel[];
  knowsWeights: (weights: string) => Promise<boolean>;
  /** Where uploaded adapters are kept, and how large one may be. */
  adapterBlobs: Blobs;
  adapterBytesMax: number;
  /** Removes this machine's copies of other adapters. */
  keepLocal: (sha256s: string[]) => Promise<void>;
  /** Loads an adapter over weights where both are here; returns why that failed. */
  tryAdapter: (weights: string, adapter: string) => Promise<string | undefined>;
  /** Opens an engine; throws where the settings contradict each other. */
  open: (settings: StoredSettings, keys: TargetKeys) => Model;
  apply: (served: { model: Model; settings: StoredSettings }[]) => Promise<void>;
  /** The organization whose admins operate this server. */
  operatorOrganization: () => Promise<string | undefined>;
  now: Clock;
  log: Logger;
};

export type ModelSettingsService = ReturnType<typeof createModelSettingsService>;

export function createModelSettingsService(ports: ModelSettingsPorts) {
  const { database, audit, signal, box, now, log, configured } = ports;
  const { db } = database;
  const stored = createStoredModels({ ...ports, db, isReserved: (id) => configured.some((model) => model.id === id) });
  signal.onChange(stored.load);
  const adapters = createAdapters({ database, audit, blobs: ports.adapterBlobs, now });

  async function checkOperator({ organization_id }: Scope): Promise<void> {
    if ((await ports.operatorOrganization()) !== organization_id) throw modelSettingsErrors.operator_only();
  }

  function show(row: StoredModelRow): ManagedModel {
    const settings = readSettings(row);
    const keys = openKeys(box, row);
    const { updated_at } = row;
    const problem = stored.problemOf(row.id) ?? (settings ? (keys ? null : KEY_LOST) : BROKEN);
    return settings ? toManaged(settings, keys ?? [], { updated_at, problem }) : toBroken(row, problem ?? BROKEN);
  }

  async function find(id: string): Promise<StoredModelRow> {
    const row = await findStored(db, id);
    if (!row) throw modelSettingsErrors.model_settings_not_found(id);
    return row;
  }

  /** What is stored of it now; undefined where it cannot be read. */
  function readStored(row: StoredModelRow): { settings: StoredSettings; keys: TargetKeys } | undefined {
    const settings = readSettings(row);
    return settings && { settings, keys: openKeys(box, row) ?? [] };
  }

  async function check(settings: StoredSettings, before?: StoredSettings): Promise<void> {
    const owner = configured.find(({ id }) => id === settings.id);
    if (owner)
      throw modelSettingsErrors.model_name_taken(
        settings.id,
        owner.source === 'file' ? 'a model of the configuration file' : 'a built-in model',
      );
    if (settings.engine !== 'upstream') {
      if (!(await ports.knowsWeights(settings.weights)))
        throw modelSettingsErrors.model_settings_invalid(
          ['body', 'weights'],
          'these weights are neither in the catalogue nor installed; download them first',
          settings.weights,
        );
      const wasTried =
        before?.engine === 'llama' &&
        settings.engine === 'llama' &&
        before.weights === settings.weights &&
        before.adapter === settings.adapter;
      if (settings.engine === 'llama' && settings.adapter && !wasTried)
        await checkAdapter(settings.weights, settings.adapter);
      return;
    }
    for (const [index, { url }] of targetsOf(settings).entries()) {
      if (ports.mayReach(new URL(url), settings.private_network)) continue;
      throw modelSettingsErrors.model_address_forbidden(
        index === 0 ? ['body', 'url'] : ['body', 'fallbacks', index - 1, 'url'],
        settings.private_network
          ? 'this address is not reached, not even in a private network'
          : 'it is not a public address; set private_network if the server is yours',
        url,
      );
    }
  }

  /** A broken adapter is refused here, and does not surprise the first client. */
  async function checkAdapter(weights: string, adapter: string): Promise<void> {
    const isUploaded = !adapter.includes('/');
    const problem =
      isUploaded && !(await adapters.find(adapter))
        ? 'there is no uploaded adapter of this id'
        : await ports.tryAdapter(weights, adapter);
    if (problem === undefined) return;
    throw modelSettingsErrors.model_settings_invalid(
      ['body', 'adapter'],
      isUploaded ? `this adapter does not work over ${weights}: ${problem}` : problem,
      adapter,
    );
  }

  function record(tx: Tx, caller: Caller, event: 'create' | 'update' | 'delete', id: string, about = {}) {
    const target = { target_type: 'MODEL', target_metadata: { id } } as const;
    return audit.record(tx, { ...caller, event_type: `model.${event}`, event_metadata: about, ...target });
  }

  /** The uploaded adapter that a model had, where no model has it now. */
  async function dropAdapter(tx: Tx, before: StoredModelRow): Promise<string | undefined> {
    const settings = readSettings(before);
    return settings?.engine === 'llama' && settings.adapter ? adapters.drop(tx, settings.adapter) : undefined;
  }

  let tidying: Promise<void> | undefined;
  /** Content that could not be removed harms nobody, and waits for the next start. */
  async function tidy(): Promise<void> {
    try {
      await adapters.prune();
      await ports.keepLocal(await adapters.contents());
    } catch (error) {
      log.warn({ err: error }, 'adapters that no model uses could not be removed');
    }
  }

  /** For the operator's own commands; the routes check who calls. */
  const changes = {
    async create(caller: Caller, given: ModelSettings): Promise<ManagedModel> {
      const { settings, keys } = splitKeys(given);
      await check(settings);
      const at = isoMicros(now);
      const sealed_keys = sealKeys(box, log, settings.id, keys);
      const row = { id: settings.id, settings: JSON.stringify(settings), sealed_keys, created_at: at, updated_at: at };
      await database.transaction(async (tx) => {
        const rows = await listStored(tx);
        if (rows.some(({ id }) => id === row.id)) throw modelSettingsErrors.model_name_taken(row.id, 'a stored model');
        if (rows.length >= MODELS_MAX) throw modelSettingsErrors.model_settings_limit_reached(MODELS_MAX);
        await insertStored(tx, row);
        signal.raise(tx);
        await record(tx, caller, 'create', row.id, describe(settings));
      });
      return show(row);
    },
    async replace(caller: Caller, id: string, given: ModelSettings): Promise<ManagedModel> {
      const before = await find(id);
      const known = readStored(before);
      const { settings, keys } = splitKeys(given, known);
      await check(settings, known?.settings);
      const change = {
        id: settings.id,
        settings: JSON.stringify(settings),
        sealed_keys: sealKeys(box, log, settings.id, keys),
        updated_at: isoMicros(now),
      };
      const dropped = await database.transaction(async (tx) => {
        if (settings.id !== id && (await findStored(tx, settings.id)))
          throw modelSettingsErrors.model_name_taken(settings.id, 'a stored model');
        if (!(await updateStored(tx, id, change))) throw modelSettingsErrors.model_settings_not_found(id);
        const sha256 = await dropAdapter(tx, before);
        signal.raise(tx);
        await record(tx, caller, 'update', settings.id, describe(settings));
        return sha256;
      });
      if (dropped) await adapters.forget(dropped);
      return show({ ...before, ...change });
    },
    async remove(caller: Caller, id: string): Promise<{ id: string; deleted: true }> {
      const dropped = await database.transaction(async (tx) => {
        const before = await findStored(tx, id);
        if (!before || !(await deleteStored(tx, id))) throw modelSettingsErrors.model_settings_not_found(id);
        const sha256 = await dropAdapter(tx, before);
        signal.raise(tx);
        await record(tx, caller, 'delete', id);
        return sha256;
      });
      if (dropped) await adapters.forget(dropped);
      return { id, deleted: true };
    },
    async list(): Promise<ManagedModels> {
      const rows = await listStored(db);
      const own = configured.filter(({ source }) => source === 'file');
      return { data: [...own, ...rows.map(show), ...configured.filter(({ source }) => source === 'builtin')] };
    },
    async test({ url, api_key, model_id, private_network }: ConnectionTest, signal?: AbortSignal) {
      const row = model_id ? await find(model_id) : undefined;
      const apiKey = api_key === undefined ? findKey(row && readStored(row), url) : api_key;
      return testConnection(ports.outbound[private_network ? 'private' : 'public'], { url, apiKey, now, signal });
    },
  };

  return {
    changes,
    async presets(scope: Scope): Promise<{ data: Preset[] }> {
      await checkOperator(scope);
      return { data: [...presets] };
    },
    async list(scope: Scope): Promise<ManagedModels> {
      await checkOperator(scope);
      return changes.list();
    },
    async create(scope: Scope, given: ModelSettings): Promise<ManagedModel> {
      await checkOperator(scope);
      const made = await changes.create(callerOf(scope), given);
      await stored.load();
      return { ...made, problem: stored.problemOf(made.id) };
    },
    async replace(scope: Scope, id: string, given: ModelSettings): Promise<ManagedModel> {
      await checkOperator(scope);
      const changed = await changes.replace(callerOf(scope), id, given);
      await stored.load();
      return { ...changed, problem: stored.problemOf(changed.id) };
    },
    async remove(scope: Scope, id: string) {
      await checkOperator(scope);
      const removed = await changes.remove(callerOf(scope), id);
      await stored.load();
      // Its engine is closed now.
      await ports.keepLocal(await adapters.contents());
      return removed;
    },
    async test(scope: Scope, given: ConnectionTest, signal: AbortSignal): Promise<ConnectionReport> {
      await checkOperator(scope);
      return changes.test(given, signal);
    },
    adapterBytesMax: ports.adapterBytesMax,
    stageAdapter: adapters.stage,
    findAdapter: adapters.find,
    async listAdapters(scope: Scope) {
      await checkOperator(scope);
      return adapters.list();
    },
    async uploadAdapter(scope: Scope, upload: Upload<StagedAdapter>) {
      await checkOperator(scope);
      return adapters.upload(callerOf(scope), upload);
    },
    async removeAdapter(scope: Scope, id: string) {
      await checkOperator(scope);
      return adapters.remove(callerOf(scope), id);
    },
    /** Whether the scope's organization operates this server. */
    isOperator: async ({ organization_id }: Scope) => (await ports.operatorOrganization()) === organization_id,
    async start() {
      await stored.load();
      await signal.start();
      tidying = tidy();
    },
    async stop() {
      await tidying;
      await signal.stop();
      await stored.close();
    },
  };
}

/** For the audit log: where it is, never its keys. */
function describe(settings: StoredSettings): Record<string, string> {
  const { engine } = settings;
  if (settings.engine !== 'upstream') {
    const adapter = settings.engine === 'llama' ? settings.adapter : undefined;
    return { engine, weights: settings.weights, ...(adapter && { adapter }) };
  }
  const servers = targetsOf(settings).map(({ url }) => new URL(url).host);
  return { engine, servers: servers.join(', '), private_network: String(settings.private_network) };
}
