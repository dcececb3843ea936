import type { Config } from '../config.ts';
import { connect, ping } from '../workflows/index.ts';
import { type Check, fail, ok } from './check.ts';

const NAME = 'temporal';

/** Only asks whether the cluster is there; namespaces are made when they are first needed. */
export async function checkTemporal({ temporal }: Config): Promise<Check[]> {
  if (!temporal) return [];
  const connection = connect(temporal);
  try {
    await ping(connection);
    return [ok(NAME, `${temporal.address} answers: workflows run there`)];
  } catch {
    const fix = 'start Temporal, or correct TRAMONTANE_TEMPORAL_ADDRESS; unset it to run workflows here';
    return [fail(NAME, `${temporal.address} does not answer`, fix)];
  } finally {
    await connection.close();
  }
}
