import type { Config } from '../../config/config.ts';
import { inspectConnectors } from '../inspect-connectors.ts';
import { type Check, ok, warn } from './check.ts';

const NAME = 'connectors';

/** That each declared connector answers and lists its tools; without one there is nothing to say. */
export async function checkConnectors(config: Config): Promise<Check[]> {
  return (await inspectConnectors(config)).map((found) =>
    found.error === null
      ? ok(NAME, `${found.id} answers with ${found.tools.length} tools`)
      : warn(
          NAME,
          found.error,
          `correct its entry under connectors:, then run: tramontane connectors test --id ${found.id}`,
        ),
  );
}
