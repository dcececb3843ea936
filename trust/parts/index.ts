import type { Benchmark } from '../../bench/benchmark.ts';
import { idempotency } from './idempotency.ts';
import { sdkSweep } from './sdk-sweep.ts';
import { supplyChain } from './supply-chain.ts';
import { upgrade } from './upgrade.ts';

/** Every part of the campaign, in the order in which all of them run. */
export const parts: Benchmark[] = [idempotency, sdkSweep, supplyChain, upgrade];
