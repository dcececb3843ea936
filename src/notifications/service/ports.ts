import type { AuditService } from '../../audit/index.ts';
import type { Clock } from '../../kit/base/clock.ts';
import type { Logger } from '../../kit/base/log.ts';
import type { Database, Signal } from '../../kit/db/index.ts';
import type { PageTokens } from '../../kit/http/index.ts';
import type { Outbound } from '../../kit/outbound/index.ts';
import type { SecretBox } from '../../kit/secrets/index.ts';
import type { Tasks } from '../../kit/tasks/index.ts';
import type { Authority } from '../../tenants/index.ts';
import type { Announcer } from '../announce.ts';

export type BudgetState = {
  kind: 'organization' | 'workspace' | 'key';
  id: string;
  workspace_id: string | null;
  /** The month and the amounts, in the currency of the server. */
  month: string;
  budget: number;
  spent: number;
};

export type NotificationPorts = {
  database: Database;
  audit: AuditService;
  tasks: Tasks;
  authority: Authority;
  announcer: Announcer;
  /** Raised by each change of who listens to what. */
  signal: Signal;
  box: SecretBox;
  outbound: Outbound;
  /** Whether an address may be public, by its text alone. */
  mayBePublic(url: URL): boolean;
  /** The budgets of an organization and what was spent of them. */
  listBudgets(organizationId: string): Promise<BudgetState[]>;
  tokens: PageTokens;
  now: Clock;
  log: Logger;
};
