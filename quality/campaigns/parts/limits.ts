import type { Benchmark, Figure } from '../../bench/benchmark.ts';
import { inTemporaryDir, withChildren } from '../../bench/children.ts';
import { createTrials, type Trials } from '../limits/trial.ts';
import { tryDocuments } from '../limits/try-documents.ts';
import { tryExpressions } from '../limits/try-expressions.ts';
import { tryFields } from '../limits/try-fields.ts';
import { tryMultipart } from '../limits/try-multipart.ts';
import { trySizes } from '../limits/try-sizes.ts';
import { tryWire } from '../limits/try-wire.ts';
import { startServed } from '../support/start-server.ts';

export const limits: Benchmark = {
  name: 'limits',
  summary: 'bodies, documents, fields, uploads, headers and expressions at and beyond what a server can take',
  run: async (options) => {
    const { quick, progress } = options;
    const expressions = tryExpressions(options);
    const trials = await inTemporaryDir((directory) =>
      withChildren(directory, async (start) => {
        const found = createTrials(await startServed(start, directory, { models: [] }), quick);
        // Warms up: the first requests pay for compilation.
        await tryWire(found, true);
        found.worst = { ms: 0, name: '' };
        await tryDocuments(found, quick, progress);
        await tryFields(found, quick, progress);
        await tryWire(found, quick);
        await tryMultipart(found, progress);
        await trySizes(found, quick, progress);
        return found;
      }),
    );
    return [...figuresOf(trials), ...expressions];
  },
};

function figuresOf({ count, cpuMsMax, faults, worst }: Trials): Figure[] {
  return [
    {
      name: 'hostile requests answered wrongly',
      value: faults.length,
      unit: '',
      target: { at: '≤', value: 0 },
      note: faults.slice(0, 20).join('; ') || `${count} requests`,
    },
    {
      name: 'most CPU that one of them took beyond parsing',
      value: worst.ms,
      unit: 'ms',
      target: { at: '≤', value: cpuMsMax },
      note: worst.name,
    },
  ];
}
