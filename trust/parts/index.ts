import type { Benchmark } from '../../bench/benchmark.ts';
import { limits } from './limits.ts';
import { slowClients } from './slow-clients.ts';
import { streams } from './streams.ts';
import { supplyChain } from './supply-chain.ts';

/** Every part of the campaign, in the order in which all of them run. */
export const parts: Benchmark[] = [limits, slowClients, streams, supplyChain];
