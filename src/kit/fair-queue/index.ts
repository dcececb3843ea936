export {
  createFairQueue,
  type FairQueue,
  type FairQueueOptions,
  OWN_WORK,
  type QueueStats,
  type QueueWaits,
  type Refused,
  type Tenant,
  type UnitOptions,
  type WatchQueue,
} from './fair-queue.ts';
export { createPlaces, type Places } from './places.ts';
