import { setImmediate as nextTurn } from 'node:timers/promises';
import { canonicalJson, digestOf } from '../../kit/base/canonical-json.ts';
import { type Clock, isoMicros } from '../../kit/base/clock.ts';
import { uuidv7 } from '../../kit/base/ids.ts';
import { type Database, lockFor, type Tx } from '../../kit/db/index.ts';
import { requestErrors, type Scope } from '../../kit/http/index.ts';
import {
  type Budget,
  createPrepareBudget,
  type JsonSchema,
  prepareSchema,
  SCHEMA_CHARACTERS_MAX,
} from '../../kit/json-schema/index.ts';
import { aliveSince } from '../alive-since.ts';
import { workflowErrors } from '../errors.ts';
import type { WorkflowCodeDefinition, WorkflowSpec } from '../schema/definitions.ts';
import type {
  HeartbeatRequest,
  HeartbeatResponse,
  RegisterRequest,
  RegisterResponse,
  WhoAmIResponse,
} from '../schema/workers.ts';
import { findDeployment, touchWorker, upsertDeployment, upsertWorker } from '../store/deployments.ts';
import { listActive, listServed, replaceServed, upsertRegistration, type WorkerSdk } from '../store/registrations.ts';
import { insertWorkflow, listWorkflowsByName, updateWorkflow, type WorkflowRow } from '../store/workflows.ts';

export type RegistryService = {
  register(scope: Scope, request: RegisterRequest): Promise<RegisterResponse>;
  heartbeat(scope: Scope, request: HeartbeatRequest): Promise<HeartbeatResponse>;
  whoami(scope: Scope, origin: string): Promise<WhoAmIResponse>;
};

type Ref = RegisterResponse['workflow_registration_refs'][number];

/** Where workers poll for tasks on Temporal. */
export type Scheduler = {
  urlFor(origin: string): string;
  namespaceFor(workspaceId: string): Promise<string>;
};

export function createRegistry({
  database,
  now,
  scheduler,
}: {
  database: Database;
  now: Clock;
  scheduler?: Scheduler | undefined;
}): RegistryService {
  const { db } = database;

  return {
    async register(scope, request) {
      const { definitions, worker_name, sdk = 'mistralai' } = request;
      await checkDefinitions(definitions);
      return database.transaction(async (tx) => {
        const at = isoMicros(now);
        const workspace_id = scope.workspace_id;
        // Serializes two workers that register the same new workflow.
        await lockFor(tx, database.kind, `workflow-registry:${workspace_id}`);
        const deployment = await upsertDeployment(tx, {
          id: uuidv7(now()),
          workspace_id,
          name: request.deployment_name,
          created_at: at,
          updated_at: at,
        });
        await upsertWorker(tx, {
          deployment_id: deployment.id,
          name: worker_name,
          location: request.deployment_location ?? null,
          created_at: at,
          updated_at: at,
          seen_ms: now(),
        });
        const known = await knownByName(tx, workspace_id, definitions);
        const refs: Ref[] = [];
        for (const spec of definitions) {
          const workflowId = await keepWorkflow(tx, scope, spec, known.get(spec.name), at);
          const registrationId = await keepRegistration(tx, workspace_id, workflowId, deployment.id, spec, sdk, at);
          refs.push({
            workflow_id: workflowId,
            workflow_version_id: registrationId,
            workflow_registration_id: registrationId,
          });
        }
        const ids = refs.map(({ workflow_version_id }) => workflow_version_id);
        await replaceServed(tx, { deployment_id: deployment.id, worker_name }, ids);
        const active = await listActive(tx, workspace_id, aliveSince(now));
        const elsewhere = new Set(
          active.filter(({ deployment_id }) => deployment_id !== deployment.id).map(({ workflow_id }) => workflow_id),
        );
        const warnings = definitions
          .filter((_, index) => elsewhere.has(refs[index]?.workflow_id ?? ''))
          .map(
            ({ name }) => `Another active deployment serves the workflow '${name}' too: name one when you execute it.`,
          );
        return { has_conflicts: false, workflow_registration_ids: ids, workflow_registration_refs: refs, warnings };
      });
    },

    async heartbeat(scope, { deployment_name, worker_name, workflow_registration_refs }) {
      const deployment = await findDeployment(db, scope.workspace_id, deployment_name);
      if (!deployment) return { all_active: false };
      const isKnown = await touchWorker(db, deployment.id, worker_name, { seen_ms: now(), updated_at: isoMicros(now) });
      if (!isKnown) return { all_active: false };
      const served = new Set(await listServed(db, deployment.id, worker_name));
      return { all_active: (workflow_registration_refs ?? []).every((id) => id === undefined || served.has(id)) };
    },

    // The embedded engine has the address of this API; our workers ignore the rest.
    whoami: async (scope, origin) =>
      scheduler
        ? {
            scheduler_url: scheduler.urlFor(origin),
            namespace: await scheduler.namespaceFor(scope.workspace_id),
            tls: scheduler.urlFor(origin).startsWith('https:'),
            features: { engine: 'temporal', events_api_version: 'v2' },
          }
        : {
            scheduler_url: origin,
            namespace: scope.workspace_id,
            tls: origin.startsWith('https:'),
            features: { engine: 'embedded', events_api_version: 'v1' },
          },
  };

  async function knownByName(tx: Tx, workspaceId: string, definitions: WorkflowSpec[]) {
    const names = definitions.map(({ name }) => name);
    const rows = names.length === 0 ? [] : await listWorkflowsByName(tx, workspaceId, names);
    return new Map(rows.map((row) => [row.name, row]));
  }

  async function keepWorkflow(
    tx: Tx,
    scope: Scope,
    spec: WorkflowSpec,
    known: WorkflowRow | undefined,
    at: string,
  ): Promise<string> {
    const declared = { display_name: spec.display_name ?? spec.name, description: spec.description ?? null };
    if (!known) {
      const id = uuidv7(now());
      await insertWorkflow(tx, {
        id,
        organization_id: scope.organization_id,
        workspace_id: scope.workspace_id,
        name: spec.name,
        ...declared,
        display_name_edited: false,
        description_edited: false,
        available_in_chat_assistant: false,
        is_technical: spec.is_technical,
        archived: false,
        tags: [],
        created_at: at,
        updated_at: at,
      });
      return id;
    }
    await updateWorkflow(tx, scope.workspace_id, known.id, {
      ...(known.display_name_edited ? {} : { display_name: declared.display_name }),
      ...(known.description_edited ? {} : { description: declared.description }),
      is_technical: spec.is_technical,
    });
    return known.id;
  }

  function keepRegistration(
    tx: Tx,
    workspace_id: string,
    workflow_id: string,
    deployment_id: string,
    spec: WorkflowSpec,
    sdk: WorkerSdk,
    created_at: string,
  ): Promise<string> {
    const { name: _name, display_name: _display, description: _description, ...rest } = spec;
    const { task_queue: _queue, is_technical: _technical, search_keys, schedules: _schedules, ...code } = rest;
    const definition: WorkflowCodeDefinition = code;
    const digest = digestOf(canonicalJson({ definition, search_keys, ...(sdk === 'tramontane' ? {} : { sdk }) }));
    const id = uuidv7(now());
    return upsertRegistration(tx, {
      id,
      workspace_id,
      workflow_id,
      deployment_id,
      definition,
      search_keys,
      digest,
      created_at,
      sdk,
    });
  }
}

/** Rejects schemas that are not valid or too expensive. */
async function checkDefinitions(definitions: WorkflowSpec[]): Promise<void> {
  let budget = createPrepareBudget();
  const names = new Set<string>();
  for (const [index, spec] of definitions.entries()) {
    const at = ['body', 'definitions', index];
    if (names.has(spec.name))
      throw workflowErrors.workflow_name_repeated([...at, 'name'], 'This name is used twice.', spec.name);
    names.add(spec.name);
    for (const [schema, place] of schemasOf(spec)) {
      checkSchema(schema, [...at, ...place], budget);
      // A worker may have hundreds of schemas: others get their turn in between.
      if (budget.isSpent()) {
        await nextTurn();
        budget = createPrepareBudget();
      }
    }
  }
}

function schemasOf(spec: WorkflowSpec): [schema: JsonSchema, place: (string | number)[]][] {
  const handlers = (['signals', 'queries', 'updates'] as const).flatMap((kind) =>
    spec[kind].map(({ input_schema }, index): [JsonSchema, (string | number)[]] => [
      input_schema,
      [kind, index, 'input_schema'],
    ]),
  );
  return [[spec.input_schema, ['input_schema']], ...handlers];
}

function checkSchema(schema: JsonSchema, loc: (string | number)[], budget: Budget): void {
  const prepared = prepareSchema(schema, budget);
  if (prepared === 'too_expensive')
    throw requestErrors.schema_too_expensive(loc, 'Checking values by this schema takes too much work. Simplify it.');
  if (prepared !== 'invalid') return;
  const msg = `This must be a JSON Schema of at most ${SCHEMA_CHARACTERS_MAX} characters.`;
  throw workflowErrors.input_schema_not_valid(loc, msg, null);
}
