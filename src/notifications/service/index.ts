import type { Announce } from '../../kit/events/index.ts';
import { deleteOldDeliveries } from '../store/deliveries.ts';
import { deleteOldMarks, insertMark } from '../store/endpoints.ts';
import { createEndpointService, type EndpointService } from './endpoints.ts';
import type { BudgetState, NotificationPorts } from './ports.ts';
import { createSender } from './send.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const DELIVERIES_KEPT_DAYS = 30;
/** Longer than a month, since a mark has its month in its name. */
const MARKS_KEPT_DAYS = 62;
const NEAR = 0.8;
const STOP_MS = 5000;

export type NotificationService = {
  endpoints: EndpointService;
  announce: Announce;
  /** Announces each budget once a month when it is near its end, and when it is spent. */
  announceBudgets(): Promise<void>;
  /** Deletes deliveries whose retention is over. */
  prune(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export function createNotificationService(ports: NotificationPorts): NotificationService {
  const { database, announcer, signal, listBudgets, now } = ports;
  const sender = createSender(ports);

  async function announceBudget(organization_id: string, state: BudgetState, type: 'budget.near' | 'budget.spent') {
    const { kind, id, workspace_id, month, budget, spent } = state;
    const limit = type === 'budget.spent' ? budget : budget * NEAR;
    if (spent < limit) return;
    await database.transaction(async (tx) => {
      if (!(await insertMark(tx, `${type} ${kind} ${id} ${month} ${budget}`, now()))) return;
      const data = { scope: kind, scope_id: id, month, budget, spent };
      await announcer.announce(tx, { type, organization_id, workspace_id, data });
    });
  }

  return {
    endpoints: createEndpointService(ports, sender),
    announce: announcer.announce,
    async announceBudgets() {
      for (const organizationId of await announcer.listHearing(['budget.near', 'budget.spent']))
        for (const state of await listBudgets(organizationId)) {
          await announceBudget(organizationId, state, 'budget.near');
          await announceBudget(organizationId, state, 'budget.spent');
        }
    },
    async prune() {
      while ((await deleteOldDeliveries(database.db, now() - DELIVERIES_KEPT_DAYS * DAY_MS)) > 0);
      await deleteOldMarks(database.db, now() - MARKS_KEPT_DAYS * DAY_MS);
    },
    async start() {
      await signal.start();
      sender.start();
    },
    async stop() {
      await sender.stop(STOP_MS);
      await signal.stop();
    },
  };
}
