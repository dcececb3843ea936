export {
  createFairQueue,
  type FairQueue,
  type FairQueueOptions,
  OWN_WORK,
  type Refused,
  type QueueStats,
  type Tenant,
  type UnitOptions,
  type WatchQueue,
} from './fair-queue.ts';
