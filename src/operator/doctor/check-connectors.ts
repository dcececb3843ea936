import type { Config } from '../../config/config.ts';
import { inspectConnectors } from '../inspect-connectors.ts';
import { type Check, ok, warn } from './check.ts';

const NAME = 'connectors';

/** Whether each configured connector responds and lists its tools. */
export async function checkConnectors(config: Config): Promise<Check[]> {
  return (await inspectConnectors(config)).map((found) =>
    found.error === null
      ? ok(NAME, `${found.id} responds with ${found.tools.length} tools`)
      : warn(
          NAME,
          found.error,
          `correct its entry under connectors:, then run: tramontane connectors test --id ${found.id}`,
        ),
  );
}
