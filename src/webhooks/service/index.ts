import { deleteOldDeliveries } from '../store/deliveries.ts';
import type { WebhookPorts } from './ports.ts';
import { createReceive, type Receive } from './receive.ts';
import { createDeliveryRunner } from './run-deliveries.ts';
import { createTriggerCatalogue, type TriggerCatalogue } from './triggers.ts';
import { createWebhookCatalogue, type WebhookCatalogue } from './webhooks.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
/** As long as a repeated delivery is recognized. */
const KEPT_DAYS = 30;
const STOP_MS = 5000;

export type WebhookService = {
  webhooks: WebhookCatalogue;
  triggers: TriggerCatalogue;
  receive: Receive;
  /** Deletes deliveries and events whose retention is over. */
  prune(): Promise<void>;
  start(): void;
  stop(): Promise<void>;
};

export function createWebhookService(ports: WebhookPorts): WebhookService {
  const runner = createDeliveryRunner(ports);
  return {
    webhooks: createWebhookCatalogue(ports),
    triggers: createTriggerCatalogue(ports),
    receive: createReceive(ports),
    async prune() {
      while ((await deleteOldDeliveries(ports.database.db, ports.now() - KEPT_DAYS * DAY_MS)) > 0);
    },
    start: () => runner.start(),
    stop: () => runner.stop(STOP_MS),
  };
}
