import type { AuditLogEventType, AuditService } from '../audit/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import type { Signal, Tx } from '../kit/db/index.ts';
import type { Scope } from '../kit/http/index.ts';
import { callerOf } from '../tenants/index.ts';
import { adviseConfiguration } from './configuration-advice.ts';
import { modelErrors } from './errors.ts';
import type { Model } from './model.ts';
import { nameModels } from './name-models.ts';
import type { Need } from './needs.ts';
import type { FineTunedModel, ModelCard, ModelsQuery, UpdateModelRequest } from './schema.ts';
import type { SampleAliases } from './stand-ins.ts';
import { toAliasCard, toCard, toFineTunedModel } from './to-card.ts';
import { createTunedModels, type TunedChanges, type TunedPorts } from './tuned-models.ts';

export type ModelService = {
  list(scope: Scope, query: ModelsQuery): ModelCard[];
  get(scope: Scope, idOrAlias: string): ModelCard;
  /**
   * By id or alias, from memory: the configured models and the fine-tuned ones of this workspace. A public name that is
   * neither stands for the first model that meets the need.
   */
  find(idOrAlias: string, workspaceId: string, need?: Need): Model | undefined;
  /** In the order of the configuration, for rooms that choose a model by its capabilities. */
  served(workspaceId: string): Model[];
  /** Puts these between the models of the file and the built-in ones. */
  replaceStored(stored: readonly Model[]): Promise<void>;
  remove(scope: Scope, id: string): Promise<{ id: string; object: 'model'; deleted: true }>;
  update(scope: Scope, id: string, changes: UpdateModelRequest): Promise<FineTunedModel>;
  setArchived(scope: Scope, id: string, archived: boolean): Promise<{ id: string; object: 'model'; archived: boolean }>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type ModelPorts = TunedPorts & {
  audit: AuditService;
  signal: Signal;
  now: Clock;
  /** The configured models. */
  models: Model[];
  /** Whether, and for which models, the model names of public samples stand. */
  sampleAliases: SampleAliases;
  /** Whether the list shows other names as cards of their own; default: yes. */
  listAliases?: boolean;
};

export function createModelService(ports: ModelPorts): ModelService {
  const { database, audit, signal, now, models, sampleAliases, listAliases = true } = ports;
  const created = Math.floor(now() / 1000);
  let names = nameAll([]);
  const tuned = createTunedModels(ports, () => names.byName);

  function nameAll(stored: readonly Model[]) {
    const [own, builtin] = [models.filter((model) => !model.isBuiltin), models.filter((model) => model.isBuiltin)];
    return nameModels([...own, ...stored, ...builtin], sampleAliases);
  }

  // A failed read keeps the last known list; the signal's next poll tries again.
  signal.onChange(tuned.load);

  const isVisible = ({ tuned: row }: Model, workspaceId: string) => !row || row.workspace_id === workspaceId;
  const find = (idOrAlias: string, workspaceId: string, need?: Need): Model | undefined => {
    const model = names.byName.get(idOrAlias) ?? tuned.get(idOrAlias) ?? names.standIns.find(idOrAlias, need);
    return model && isVisible(model, workspaceId) ? model : undefined;
  };
  const findTuned = (scope: Scope, id: string): Model => {
    const model = find(id, scope.workspace_id);
    if (!model) throw notFound(id);
    if (!model.tuned) throw modelErrors.base_model_unchangeable(model.id);
    return model;
  };

  function record(
    tx: Tx,
    scope: Scope,
    id: string,
    event_type: Extract<AuditLogEventType, `model.${string}`>,
    event_metadata: Record<string, string> = {},
  ): Promise<void> {
    const { workspace_id } = scope;
    const target = { target_type: 'MODEL', target_metadata: { id } } as const;
    return audit.record(tx, { ...callerOf(scope), workspace_id, event_type, event_metadata, ...target });
  }

  async function change(scope: Scope, id: string, changes: TunedChanges): Promise<Model> {
    const before = findTuned(scope, id);
    await database.transaction(async (tx) => {
      if (Object.keys(changes).length > 0 && !(await tuned.update(tx, scope.workspace_id, before, changes)))
        throw notFound(id);
      signal.raise(tx);
      const { archived, ...rest } = changes;
      const event = archived === undefined ? 'update' : archived ? 'archive' : 'unarchive';
      await record(tx, scope, before.id, `model.${event}`, { changed: Object.keys(rest).join(', ') });
    });
    await tuned.load();
    const model = tuned.get(before.id);
    if (!model) throw notFound(id);
    return model;
  }

  const served = (workspaceId: string): Model[] =>
    [...names.named, ...tuned.all()].filter((candidate) => isVisible(candidate, workspaceId));

  /** Under the name that was asked for. */
  function cardOf(model: Model, name: string): ModelCard {
    if (name === model.id) return toCard(model, created);
    const { completion_chat, vision, audio } = model.capabilities;
    const accepts = (need: 'vision' | 'audio') =>
      completion_chat && names.standIns.find(name, need)?.capabilities[need] === true;
    const isOwn = model.aliases.includes(name);
    const inChats = isOwn ? {} : { vision: vision || accepts('vision'), audio: audio || accepts('audio') };
    return toAliasCard(model, name, created, inChats);
  }

  /** A name that two models were given means the earlier one. */
  function listAliasCards(): ModelCard[] {
    if (!listAliases) return [];
    const { named, byName, standIns } = names;
    const cards = [...named.flatMap(({ aliases }) => aliases), ...standIns.published.keys()].flatMap((name) => {
      const model = byName.get(name) ?? standIns.find(name, undefined);
      return model && model.id !== name ? cardOf(model, name) : [];
    });
    return [...new Map(cards.map((card) => [card.id, card])).values()];
  }
  let aliasCards = listAliasCards();

  function listCards({ workspace_id }: Scope, name: string | null | undefined): ModelCard[] {
    if (!name) return [...served(workspace_id).map((model) => toCard(model, created)), ...aliasCards];
    const model = find(name, workspace_id);
    return model ? [cardOf(model, name)] : [];
  }

  return {
    find,
    served,
    async replaceStored(stored) {
      names = nameAll(stored);
      aliasCards = listAliasCards();
      await tuned.load();
    },
    list: (scope, { provider, model }) =>
      listCards(scope, model)
        .filter((card) => (provider ?? card.owned_by) === card.owned_by)
        .filter((card) => mayUse(scope, card)),
    get(scope, idOrAlias) {
      const model = find(idOrAlias, scope.workspace_id);
      if (!model) throw notFound(idOrAlias);
      return cardOf(model, idOrAlias);
    },
    async remove(scope, id) {
      const model = findTuned(scope, id);
      await database.transaction(async (tx) => {
        if (!(await tuned.delete(tx, scope.workspace_id, model))) throw notFound(id);
        signal.raise(tx);
        await record(tx, scope, model.id, 'model.delete');
      });
      await tuned.load();
      return { id: model.id, object: 'model', deleted: true };
    },
    update: async (scope, id, changes) => toFineTunedModel(await change(scope, id, withoutUndefined(changes))),
    async setArchived(scope, id, archived) {
      const model = await change(scope, id, { archived });
      return { id: model.id, object: 'model', archived };
    },
    async start() {
      await tuned.load();
      await signal.start();
    },
    async stop() {
      await signal.stop();
      for (const model of [...models, ...tuned.all()]) await model.engine.close();
    },
  };
}

/** A key that is limited to models sees those, under their ids and other names. */
function mayUse({ allowed_models: allowed }: Scope, { id, aliases }: ModelCard): boolean {
  return !allowed || allowed.includes(id) || aliases.some((name) => allowed.includes(name));
}

function notFound(id: string) {
  return modelErrors.model_not_found(id, adviseConfiguration('chat', id));
}

function withoutUndefined(changes: UpdateModelRequest): { name?: string | null; description?: string | null } {
  const { name, description } = changes;
  return { ...(name === undefined ? {} : { name }), ...(description === undefined ? {} : { description }) };
}
