import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

export const ROOT = resolve(import.meta.dirname, '../..');
export const ARCHITECTURES = ['x64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

export type ReleaseOptions = {
  architectures: Architecture[];
  outDir: string;
  withWeights: boolean;
  withImage: boolean;
  modelsDir: string;
  omit: string[];
  isDryRun: boolean;
  isJson: boolean;
};

export const HELP = `npm run release -- [options]

Writes archives for machines without npm or network, with checksums, an SBOM and third-party notices beside them:
  tramontane-<version>-linux-<arch>.tar.gz              the program, its own Node, all engines
  tramontane-<version>-linux-<arch>-weights.tar.gz      the same with the default weights
  tramontane-<version>-linux-<arch>.oci.tar             with --image: an image for docker load, podman load or a registry

  --arch <x64,arm64>    the architectures (default: both)
  --out <dir>           where to write (default: release)
  --no-weights          leave out the archives with weights
  --image               also build the image; needs apt-get and dpkg-deb, but no Docker and no root
  --models-dir <dir>    where weights are kept between releases (default: .tramontane/models); missing ones are downloaded
  --omit <package>      leave an optional package out, such as @echogarden/espeak-ng-emscripten; may be repeated
  --dry-run             check everything and print the plan; writes, builds and downloads nothing
  --json                print the plan or the result as one line of JSON
  --help                show this
`;

export class WrongUsage extends Error {}

export function parseOptions(words: string[], environment: NodeJS.ProcessEnv): ReleaseOptions | 'help' {
  const { values } = parse(words);
  if (values.help) return 'help';
  const architectures = (values.arch ?? ARCHITECTURES.join(',')).split(',').map((name) => {
    const known = ARCHITECTURES.find((one) => one === name.trim());
    if (!known) throw new WrongUsage(`--arch takes ${ARCHITECTURES.join(' and ')}, not '${name}'.`);
    return known;
  });
  return {
    architectures: [...new Set(architectures)],
    outDir: resolve(values.out ?? `${ROOT}/release`),
    withWeights: values.weights ?? true,
    withImage: values.image ?? false,
    modelsDir: resolve(values['models-dir'] ?? `${ROOT}/.tramontane/models`),
    omit: values.omit ?? [],
    // Without a -- before it npm takes the flag as its own, and passes it on like this.
    isDryRun: values['dry-run'] ?? environment.npm_config_dry_run === 'true',
    isJson: values.json ?? false,
  };
}

function parse(words: string[]) {
  try {
    return parseArgs({
      args: words,
      allowNegative: true,
      options: {
        arch: { type: 'string' },
        out: { type: 'string' },
        weights: { type: 'boolean' },
        image: { type: 'boolean' },
        'models-dir': { type: 'string' },
        omit: { type: 'string', multiple: true },
        'dry-run': { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new WrongUsage(`${(error as Error).message} See: npm run release -- --help`);
  }
}
