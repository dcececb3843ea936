import type { Benchmark, Figure } from '../../bench/benchmark.ts';
import { inTemporaryDir } from '../../bench/children.ts';
import { forbiddenAddresses } from '../outbound/addresses.ts';
import { features, goesAnywhere } from '../outbound/features.ts';
import { judgeGuard } from '../outbound/judge-guard.ts';
import { judgeInterpreter } from '../outbound/judge-interpreter.ts';
import { openScene } from '../outbound/scene.ts';

/** The short form tries each address with some features and each feature with some addresses. */
const SHORT_SHARE = 5;

export const outbound: Benchmark = {
  name: 'outbound',
  summary: 'every feature that could be led to an address × every spelling of an address that is not public',
  run: ({ quick, progress }) =>
    inTemporaryDir(async (directory) => {
      const scene = await openScene(directory);
      const letThrough: string[] = [];
      let tried = 0;
      try {
        const addresses = forbiddenAddresses(scene.victim.port);
        for (const [number, feature] of features.entries()) {
          progress(`outbound: ${feature.name}`);
          for (const [at, forbidden] of addresses.entries()) {
            if (quick && (at + number) % SHORT_SHARE !== 0) continue;
            tried++;
            if (!(await feature.refuses(scene, forbidden, at)))
              letThrough.push(`${feature.name}: ${forbidden.what}, ${forbidden.address}`);
          }
        }
        const idle: string[] = [];
        for (const feature of features)
          if (!feature.neverFollows && !(await goesAnywhere(scene, feature))) idle.push(feature.name);
        const guard = await judgeGuard();
        const escapes = quick ? [] : await judgeInterpreter(scene);
        return [
          {
            name: 'addresses tried',
            value: tried + guard.tried,
            unit: '',
            note: `${features.length} features, ${addresses.length} addresses, and names that turn`,
          },
          zero('addresses that were not refused', letThrough),
          zero('features that go nowhere at all, so that refusing proves nothing', idle),
          zero('programs of a model that reached the network', escapes),
          zero('names that led the guard astray', guard.reached),
          {
            name: 'visits to somebody who must not be visited',
            value: scene.victim.visits(),
            unit: '',
            target: { at: '≤', value: 0 },
          },
        ];
      } finally {
        await scene.close();
      }
    }),
};

function zero(name: string, list: readonly string[]): Figure {
  return {
    name,
    value: list.length,
    unit: '',
    target: { at: '≤', value: 0 },
    note: list.slice(0, 20).join('\n') || 'none',
  };
}
