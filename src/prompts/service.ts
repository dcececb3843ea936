import type { AuditService } from '../audit/index.ts';
import type { Clock } from '../kit/base/clock.ts';
import type { Database } from '../kit/db/index.ts';
import type { PageTokens, Scope } from '../kit/http/index.ts';
import {
  createObjectService,
  createRegistry,
  type ObjectService,
  replyWithObject,
  type Snapshot,
  showObject,
} from '../registry/index.ts';
import { promptErrors } from './errors.ts';
import { type FilledPrompt, fillPrompt } from './fill-prompt.ts';
import { variableHeaders } from './find-variables.ts';
import type { Reference } from './parse-reference.ts';
import type { Prompt, PromptDefinition, PromptModel } from './schema.ts';
import { deleteModel, findModel, upsertModel } from './store.ts';

export type PromptService = ObjectService<PromptDefinition, Prompt> & {
  /** For other rooms: the prompt itself, not its rendered JSON. */
  read(scope: Scope, idOrName: string, selector?: Omit<Reference, 'idOrName'>): Promise<Prompt>;
  getModel(scope: Scope, idOrName: string): Promise<PromptModel>;
  setModel(scope: Scope, idOrName: string, request: PromptModel): Promise<PromptModel>;
  /** The text of a prompt with its placeholders filled, and the model to complete it. */
  fill(scope: Scope, reference: Reference, variables: unknown): Promise<FilledPrompt>;
};

export function createPromptService(ports: {
  database: Database;
  audit: AuditService;
  tokens: PageTokens;
  now: Clock;
}): PromptService {
  const { database } = ports;
  const prompts = createRegistry<PromptDefinition, Prompt>({
    ...ports,
    kind: 'prompt',
    errors: {
      not_found: promptErrors.prompt_not_found,
      version_not_found: promptErrors.prompt_version_not_found,
      changed: promptErrors.prompt_changed,
      name_taken: promptErrors.prompt_name_taken,
      owner_only: promptErrors.prompt_owner_only,
      read_only: promptErrors.prompt_read_only,
    },
    administeredBy: 'prompts:administer',
    auditAs: {
      target: 'PROMPT',
      // The contract has no event for sharing a prompt: the details of the update name the new scope.
      events: {
        create: 'prompt.create',
        version: 'prompt.version.create',
        update: 'prompt.update',
        share: 'prompt.update',
        unshare: 'prompt.update',
        delete: 'prompt.delete',
      },
    },
    render: toPrompt,
  });

  return {
    ...createObjectService({
      registry: prompts,
      prepare: async (_scope, definition: PromptDefinition) => ({
        input: { definition: toDefinition(definition) },
        headers: variableHeaders(definition),
        extra: {},
      }),
      showListed: (prompt) => prompt,
      showCreated: (prompt) => prompt,
      showDefinition: (definition) => definition,
      reply: replyWithObject,
    }),
    read: async (scope, idOrName, selector = {}) => (await prompts.read(scope, idOrName, selector)).value,
    async getModel(scope, idOrName) {
      const { value } = await prompts.read(scope, idOrName, {});
      return { model: (await findModel(database.db, scope.workspace_id, value.id ?? '')) ?? null };
    },
    async setModel(scope, idOrName, { model }) {
      await prompts.updateAlongside(scope, idOrName, async (tx, id) => {
        if (model === null) await deleteModel(tx, id);
        else await upsertModel(tx, id, model);
        return { model: model ?? 'none' };
      });
      return { model };
    },
    async fill(scope, { idOrName, ...selector }, variables) {
      if (!scope.permissions.has('prompts:read')) throw promptErrors.prompt_read_forbidden();
      const { value } = await prompts.read(scope, idOrName, selector);
      const model = await findModel(database.db, scope.workspace_id, value.id ?? '');
      return fillPrompt(value, model, variables);
    },
  };
}

// Leaving out `variables` and sending an empty list are the same definition.
function toDefinition({ content, variables = [] }: PromptDefinition): PromptDefinition {
  return { content, variables };
}

function toPrompt(snapshot: Snapshot<PromptDefinition | undefined>): Prompt {
  const { definition, title, description } = snapshot;
  return {
    ...showObject(snapshot, definition),
    ...(title ? { title } : {}),
    ...(description ? { description } : {}),
    createdBy: snapshot.owner_id,
    versionCreatedAt: snapshot.version_created_at,
  };
}
