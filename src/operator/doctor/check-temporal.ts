import { readTls } from '../../compose/open-temporal.ts';
import type { Config } from '../../config/config.ts';
import { askTemporal } from '../../workflows/index.ts';
import { type Check, fail, ok } from './check.ts';
import { tryToListen } from './check-port.ts';

const NAME = 'temporal';

/** Whether the cluster responds and the port of its gateway is free; no checks where workflows run in the database. */
export async function checkTemporal({ host, temporal, temporalGateway, file }: Config): Promise<Check[]> {
  if (!temporal) return [];
  return [await checkCluster(temporal, file), await checkGateway(host, temporalGateway.port)];
}

async function checkCluster(temporal: NonNullable<Config['temporal']>, file: Config['file']): Promise<Check> {
  const { address } = temporal;
  try {
    const version = await askTemporal({ ...temporal, tls: readTls(file.temporal.tls) });
    return ok(NAME, `${address} responds: workflows run there (version ${version})`);
  } catch {
    const fix = 'start Temporal, or correct TRAMONTANE_TEMPORAL_ADDRESS; unset it to run workflows here';
    return fail(NAME, `${address} does not respond`, fix);
  }
}

async function checkGateway(host: string, port: number): Promise<Check> {
  const what = `workers reach Temporal at port ${port} on ${host}`;
  const code = port === 0 ? '' : await tryToListen(host, port);
  // A port in use is fine: a running server of ours uses it.
  if (code === '' || code === 'EADDRINUSE') return ok(NAME, code === '' ? what : `${what}, which is in use`);
  return fail(
    NAME,
    `port ${port} on ${host} cannot be used (${code})`,
    'choose another with TRAMONTANE_TEMPORAL_GATEWAY_PORT',
  );
}
