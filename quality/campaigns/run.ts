import { runCommand } from '../bench/command.ts';
import { keepFigures } from '../bench/keep-figures.ts';
import { parts } from './parts/index.ts';
import { share } from './support/share.ts';

// What users install is what must hold.
process.env.TRAMONTANE_TEST_SOURCES ??= '0';
await runCommand({
  usage: 'node quality/campaigns/run.ts',
  noun: 'part',
  // Zero targets must hold at the first try.
  tries: 1,
  parts,
  keep: (results) => {
    // A part of which only some attacks ran has not all of its rows, and one that ran shorter proves less.
    if (process.env.TRAMONTANE_TRUST_ATTACKS !== undefined || share < 1) return;
    keepFigures(results, new URL('../../docs/trust.md', import.meta.url));
  },
});
