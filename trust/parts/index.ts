import type { Benchmark } from '../../bench/benchmark.ts';
import { fuzz } from './fuzz.ts';
import { supplyChain } from './supply-chain.ts';

/** Every part of the campaign, in the order in which all of them run. */
export const parts: Benchmark[] = [supplyChain, fuzz];
