import type { Benchmark } from '../../bench/benchmark.ts';
import { outbound } from './outbound.ts';
import { secrets } from './secrets.ts';
import { supplyChain } from './supply-chain.ts';
import { tenants } from './tenants.ts';

/** Every part of the campaign, in the order in which all of them run. */
export const parts: Benchmark[] = [outbound, secrets, supplyChain, tenants];
