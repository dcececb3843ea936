import { readFileSync } from 'node:fs';
import { cleanUp } from '../../../test/support/cleanup.ts';
import { python } from '../../../test/support/python.ts';
import type { Benchmark, Figure } from '../../bench/benchmark.ts';
import { inTemporaryDir } from '../../bench/children.ts';
import { callPython } from '../sdk-sweep/call-python.ts';
import { callTypescript, type Sweep } from '../sdk-sweep/call-typescript.ts';
import { judge, listUnserved, PAGE, renderCoverage } from '../sdk-sweep/coverage.ts';
import { compareFields, type OperationFields, pythonTypes, typescriptTypes } from '../sdk-sweep/fields.ts';
import { startSweepPlatform } from '../sdk-sweep/platform.ts';
import { type Surface, typescriptSurface } from '../sdk-sweep/surface.ts';
import { reconcileFields, unservedFields } from '../sdk-sweep/unserved-fields.ts';
import { reconcileOperations } from '../sdk-sweep/unserved-operations.ts';

export const sdkSweep: Benchmark = {
  name: 'sdk-sweep',
  summary: 'every function of the official SDKs whose operation is served is called, and its answer parsed',
  run: ({ quick, progress }) =>
    inTemporaryDir(async (directory) => {
      const platform = await startSweepPlatform(directory);
      try {
        // Takes seconds of another processor, so it runs beside the calls.
        const typed = python ? pythonTypes(python) : Promise.resolve([]);
        typed.catch(() => undefined);
        const typescript = typescriptSurface();
        const figures = figuresOf(typescript, await callTypescript(platform, progress));
        progress('sdk-sweep: Python');
        // The closing lines of a test run report that it is missing, and so does the page of figures.
        if (!python) return figures;
        const swept = await callPython(python, platform, { awaited: !quick });
        const called = quick ? withoutTwins(swept.surface) : swept.surface;
        const compared = compareFields([...(await typescriptTypes()), ...(await typed)]);
        const isTrue = readFileSync(PAGE, 'utf8') === renderCoverage(typescript, swept.surface, compared);
        const note = 'node quality/campaigns/sdk-sweep/write-coverage.ts writes it anew';
        return [
          ...figures,
          ...figuresOf(called, swept),
          { name: 'fields that both SDKs type, by operation', value: countFields(compared), unit: '' },
          zero('fields that are neither served nor explained', reconcileFields(compared, unservedFields)),
          zero(
            'operations that are neither served nor explained',
            reconcileOperations(listUnserved(typescript, swept.surface)),
          ),
          zero('tables of what is served that are out of date', isTrue ? [] : ['docs/sdk-coverage.md'], note),
        ];
      } finally {
        await platform.stop();
        await cleanUp();
      }
    }),
};

function countFields(rows: readonly OperationFields[]): number {
  return rows.reduce((sum, { fields }) => sum + fields.size, 0);
}

/** The short form calls the synchronous functions only: their async twins send the same. */
function withoutTwins({ functions, ...surface }: Surface): Surface {
  return { ...surface, functions: functions.filter(({ name }) => !name.endsWith('_async')) };
}

function figuresOf(surface: Surface, sweep: Sweep): Figure[] {
  const { functions, served, parsed, failing, uncalled } = judge(surface, sweep);
  const { language, version } = surface;
  const note =
    sweep.absent.length > 0 ? `not called here, for want of mistralai[agents]: ${sweep.absent.join(', ')}` : '';
  return [
    { name: `${language}: functions of the SDK`, value: functions, unit: '', note: version },
    { name: `${language}: functions whose operation is served`, value: served, unit: '', note },
    { name: `${language}: called and parsed`, value: parsed, unit: '', target: { at: '≥', value: served } },
    zero(`${language}: served but failing`, failing),
    zero(`${language}: served but not called`, uncalled),
  ];
}

function zero(name: string, found: string[], note = found.join('; ')): Figure {
  return { name, value: found.length, unit: '', target: { at: '≤', value: 0 }, note };
}
