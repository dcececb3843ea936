import type { Migration } from '../src/kit/db/index.ts';
import { foundations } from './0001-foundations.ts';

/** In the order they run. A landed migration is never edited; a change is a new one at the end. */
export const migrations: Migration[] = [foundations];
