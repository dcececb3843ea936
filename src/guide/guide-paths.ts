import { join } from 'node:path';
import { packageFile } from '../kit/base/locations.ts';

export type GuidePaths = {
  /** The checkout whose pages are shown; an installed package has none. */
  root: string;
  /** The guide as it comes with a package. */
  shipped: string;
  /** Where a checkout keeps what it built: a folder for each state of the sources. */
  own: string;
};

export function guidePaths(dataDir: string, root = packageFile('')): GuidePaths {
  return { root, shipped: join(root, 'dist/guide'), own: join(dataDir, 'guide') };
}
