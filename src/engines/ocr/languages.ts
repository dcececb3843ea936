import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The one language that is installed with the program, as an optional package. */
export function englishFile(): string {
  const packageFile = createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json');
  return join(dirname(packageFile), '4.0.0_best_int', 'eng.traineddata.gz');
}
