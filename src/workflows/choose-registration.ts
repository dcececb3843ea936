import type { Clock } from '../kit/base/clock.ts';
import { shareReads } from '../kit/base/share-reads.ts';
import type { Database } from '../kit/db/index.ts';
import { aliveSince } from './alive-since.ts';
import { workflowErrors } from './errors.ts';
import {
  type ActiveRegistration,
  findRegistration,
  listRegistrations,
  prepareActive,
  type RegistrationRow,
} from './store/registrations.ts';
import { prepareFindServed, type ServedWorkflow } from './store/served-workflows.ts';
import { prepareFindWorkflow, type WorkflowRow } from './store/workflows.ts';

export type ChosenWorkflow = { workflow: WorkflowRow; registration: RegistrationRow };

/** `pinned` is the deployment of the registration, if the schedule names a registration. */
export type ScheduledWorkflow = ChosenWorkflow & { pinned?: string };

export type StartTarget = { identifier: string } | { registrationId: string };

/** Cached registrations; they never change, so the cache needs no invalidation. */
const KEPT_MAX = 1000;

/** Chooses the newest registration that an active worker serves, in the named deployment or in the only one. */
export function createRegistrationChooser({ database, now }: { database: Database; now: Clock }) {
  const { db } = database;
  const listActive = prepareActive(db);
  const findWorkflow = prepareFindWorkflow(db);
  const findServed = prepareFindServed(db);
  const share = shareReads<ServedWorkflow | undefined>();
  const kept = new Map<string, RegistrationRow>();

  async function readRegistration(workspaceId: string, id: string): Promise<RegistrationRow | undefined> {
    // The key has the workspace id: a cached registration of another workspace must take as long as a missing one.
    const key = `${workspaceId} ${id}`;
    const known = kept.get(key);
    if (known) return known;
    const row = await findRegistration(db, workspaceId, id);
    if (row) kept.set(key, row);
    if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value ?? '');
    return row;
  }

  async function choose(
    { workflow, active }: ServedWorkflow,
    wanted: (active: ActiveRegistration) => boolean,
    deployment?: string,
  ): Promise<ChosenWorkflow> {
    const fitting = active.filter(wanted);
    const [newest] = fitting;
    if (!newest) throw workflowErrors.worker_not_active(workflow.name, deployment);
    const deployments = [...new Set(fitting.map(({ deployment_name }) => deployment_name))].sort();
    if (deployments.length > 1) throw workflowErrors.deployment_ambiguous(workflow.name, deployments);
    const registration = await readRegistration(workflow.workspace_id, newest.id);
    if (!registration) throw workflowErrors.worker_not_active(workflow.name, deployment);
    return { workflow, registration };
  }

  /** Starts that come together are mostly of the same few workflows. */
  function findStartable(workspaceId: string, identifier: string): Promise<ServedWorkflow | undefined> {
    return share(`${workspaceId} ${identifier}`, () => findServed(workspaceId, identifier, aliveSince(now)));
  }

  /** Scheduled executions may wait for a worker, so the newest registration counts, active or not. */
  async function newest(workflow: WorkflowRow, deployment: string | null): Promise<ChosenWorkflow> {
    const [registration] = await listRegistrations(db, workflow.workspace_id, {
      workflowIds: [workflow.id],
      deploymentName: deployment ?? undefined,
      limit: 1,
    });
    if (!registration) throw workflowErrors.worker_not_active(workflow.name, deployment ?? undefined);
    return { workflow, registration };
  }

  return {
    readRegistration,

    /** For a new schedule. */
    async findToSchedule(
      workspaceId: string,
      target: StartTarget,
      deployment: string | null,
    ): Promise<ScheduledWorkflow> {
      if ('identifier' in target) {
        const workflow = await findWorkflow(workspaceId, target.identifier);
        if (!workflow) throw workflowErrors.workflow_not_found(target.identifier);
        return newest(workflow, deployment);
      }
      const registration = await readRegistration(workspaceId, target.registrationId);
      const workflow = registration && (await findWorkflow(workspaceId, registration.workflow_id));
      if (!workflow) throw workflowErrors.workflow_registration_not_found(target.registrationId);
      return { workflow, registration, pinned: registration.deployment_name };
    },

    /** For a scheduled start. */
    async findForSchedule(schedule: {
      workspace_id: string;
      workflow_id: string;
      deployment_name: string | null;
    }): Promise<ChosenWorkflow> {
      const workflow = await findWorkflow(schedule.workspace_id, schedule.workflow_id);
      if (!workflow) throw workflowErrors.workflow_not_found(schedule.workflow_id);
      if (workflow.archived) throw workflowErrors.workflow_archived(workflow.name);
      const active = await listActive(db, workflow.workspace_id, workflow.id, aliveSince(now));
      const wanted = schedule.deployment_name;
      const served = active.find(({ deployment_name }) => wanted === null || deployment_name === wanted);
      const registration = served && (await readRegistration(workflow.workspace_id, served.id));
      return registration ? { workflow, registration } : newest(workflow, wanted);
    },

    /** For a child workflow; undefined when it cannot be started. */
    async findForChild(workspaceId: string, name: string, deployment?: string) {
      const workflow = await findWorkflow(workspaceId, name);
      if (!workflow || workflow.archived) return undefined;
      const active = await listActive(db, workspaceId, workflow.id, aliveSince(now));
      const served = active.find(({ deployment_name }) => deployment === undefined || deployment_name === deployment);
      const registration = served && (await readRegistration(workspaceId, served.id));
      if (!registration) return undefined;
      return {
        workflowId: workflow.id,
        displayName: workflow.display_name,
        registrationId: registration.id,
        deploymentName: registration.deployment_name,
        executionTimeoutMs: registration.definition.execution_timeout * 1000,
        searchKeyPaths: registration.search_keys,
      };
    },

    /** The newest registration of a workflow that an active worker of the deployment serves. */
    async newestActive(workspaceId: string, workflowId: string, deployment: string) {
      const active = await listActive(db, workspaceId, workflowId, aliveSince(now));
      const newest = active.find(({ deployment_name }) => deployment_name === deployment);
      return newest && readRegistration(workspaceId, newest.id);
    },

    async find(workspaceId: string, target: StartTarget, deployment?: string | null): Promise<ChosenWorkflow> {
      if ('identifier' in target) {
        const served = await findStartable(workspaceId, target.identifier);
        if (!served) throw workflowErrors.workflow_not_found(target.identifier);
        if (served.workflow.archived) throw workflowErrors.workflow_archived(served.workflow.name);
        const name = deployment ?? undefined;
        return choose(served, ({ deployment_name }) => name === undefined || deployment_name === name, name);
      }
      const id = target.registrationId;
      const registration = await readRegistration(workspaceId, id);
      const served = registration && (await findStartable(workspaceId, registration.workflow_id));
      if (!served) throw workflowErrors.workflow_registration_not_found(id);
      if (served.workflow.archived) throw workflowErrors.workflow_archived(served.workflow.name);
      return choose(served, (active) => active.id === id, registration.deployment_name);
    },
  };
}

export type RegistrationChooser = ReturnType<typeof createRegistrationChooser>;
