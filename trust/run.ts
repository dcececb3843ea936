import { runCommand } from '../bench/command.ts';
import { keepFigures } from './keep-figures.ts';
import { supplyChain } from './parts/supply-chain.ts';

await runCommand({
  usage: 'node trust/run.ts',
  noun: 'part',
  // What must be zero is zero at the first try.
  tries: 1,
  parts: [supplyChain],
  keep: keepFigures,
});
