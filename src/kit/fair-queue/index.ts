export { createFairQueue, type FairQueue, type FairQueueOptions, type Refused, type Tenant } from './fair-queue.ts';
