import { readTls } from '../../compose/open-temporal.ts';
import type { Config } from '../../config/config.ts';
import { askTemporal } from '../../workflows/index.ts';
import { type Check, fail, ok } from './check.ts';
import { tryToListen } from './check-port.ts';

const NAME = 'temporal';

/** That the cluster answers and the port for its workers is free; nothing to say where workflows run in the database. */
export async function checkTemporal({ host, temporal, temporalGateway, file }: Config): Promise<Check[]> {
  if (!temporal) return [];
  return [await checkCluster(temporal, file), await checkGateway(host, temporalGateway.port)];
}

async function checkCluster(temporal: NonNullable<Config['temporal']>, file: Config['file']): Promise<Check> {
  const { address } = temporal;
  try {
    const version = await askTemporal({ ...temporal, tls: readTls(file.temporal.tls) });
    return ok(NAME, `${address} answers: workflows run there (version ${version})`);
  } catch {
    const fix = 'start Temporal, or correct TRAMONTANE_TEMPORAL_ADDRESS; unset it to run workflows here';
    return fail(NAME, `${address} does not answer`, fix);
  }
}

async function checkGateway(host: string, port: number): Promise<Check> {
  const what = `workers reach Temporal at port ${port} on ${host}`;
  const code = port === 0 ? '' : await tryToListen(host, port);
  // A server of ours that runs has it; whose it is only a key would tell.
  if (code === '' || code === 'EADDRINUSE') return ok(NAME, code === '' ? what : `${what}, which is in use`);
  return fail(
    NAME,
    `port ${port} on ${host} cannot be used (${code})`,
    'choose another with TRAMONTANE_TEMPORAL_GATEWAY_PORT',
  );
}
