import type { Benchmark } from '../../bench/benchmark.ts';
import { contention } from './contention.ts';
import { crash } from './crash.ts';
import { diskFaults } from './disk-faults.ts';
import { fuzz } from './fuzz.ts';
import { idempotency } from './idempotency.ts';
import { limits } from './limits.ts';
import { neighbours } from './neighbours.ts';
import { outbound } from './outbound.ts';
import { sdkSweep } from './sdk-sweep.ts';
import { secrets } from './secrets.ts';
import { slowClients } from './slow-clients.ts';
import { soak } from './soak.ts';
import { streams } from './streams.ts';
import { supplyChain } from './supply-chain.ts';
import { tenants } from './tenants.ts';
import { upgrade } from './upgrade.ts';
import { values } from './values.ts';

/** Every part of the campaign, in the order in which all of them run. */
export const parts: Benchmark[] = [
  supplyChain,
  crash,
  tenants,
  contention,
  sdkSweep,
  soak,
  diskFaults,
  outbound,
  secrets,
  idempotency,
  fuzz,
  streams,
  slowClients,
  limits,
  values,
  neighbours,
  upgrade,
];
