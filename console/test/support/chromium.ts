import { existsSync } from 'node:fs';

const places = [
  process.env.TRAMONTANE_TEST_CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser of the console tests; without one they are skipped and reported. */
export const chromiumPath = places.find((place) => place && existsSync(place));
