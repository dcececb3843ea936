import type { AuditService } from '../../audit/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database } from '../../kit/db/index.ts';
import type { RequestContext } from '../../kit/http/index.ts';
import type { SecretBox } from '../../kit/secrets/index.ts';
import type { Tasks } from '../../kit/tasks/index.ts';
import type { Authority, Permission, Scope } from '../../tenants/index.ts';

/** What a workflow or an agent gets of a delivery. */
export type TriggeringEvent = {
  event_id: string;
  event_type: string | null;
  provider: string;
  received_at: string;
  payload: unknown;
};

export type StartCall = Pick<RequestContext, 'signal' | 'requestId'> & { scope: Scope; idempotencyKey: string };

/** What a trigger can start. */
export type TriggerTarget = {
  permission: Permission;
  /** Throws the 404 of a target that the caller cannot see. */
  check(scope: Scope, id: string): Promise<unknown>;
  /** Starts it once per Idempotency-Key; returns the path of what was started. */
  start(call: StartCall, id: string, event: TriggeringEvent): Promise<string>;
};

export type WebhookPorts = {
  database: Database;
  audit: AuditService;
  tasks: Tasks;
  authority: Authority;
  box: SecretBox;
  targets: { start_workflow: TriggerTarget; start_agent_session: TriggerTarget };
  publicUrl: string | undefined;
  now: Clock;
  log: Logger;
};

/** The caller, and the address that it used. */
export type Viewing = { scope: Scope; origin: string };
