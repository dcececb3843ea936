import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const packageFile = createRequire(import.meta.url).resolve('@tesseract.js-data/eng/package.json');

/** The one language that is installed with the program. */
export const ENGLISH_FILE = join(dirname(packageFile), '4.0.0_best_int', 'eng.traineddata.gz');
