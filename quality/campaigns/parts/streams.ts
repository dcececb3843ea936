import { documentedRoutes } from '../../../src/app.ts';
import type { Benchmark, BenchmarkOptions, Figure } from '../../bench/benchmark.ts';
import { inTemporaryDir, withChildren } from '../../bench/children.ts';
import { cutDurable } from '../streams/cut-durable.ts';
import { type CutWork, cutWork, ENDING, judgeLedger } from '../streams/cut-work.ts';
import { durableStreams, startBusyWorker } from '../streams/durable.ts';
import { startUpstream, type Upstream } from '../streams/start-upstream.ts';
import { ask } from '../support/ask.ts';
import { createRandom } from '../support/random.ts';
import { type Served, startServed } from '../support/start-server.ts';

const SEED = 20_261_115;
const STOPPED_MS_MAX = 1000;

/** Streams that lose nothing when they break: their reader asks again. */
const ASKED_AGAIN: Record<string, string> = {
  mcp_post: 'the reply to one message of a protocol that has no way back',
  connectors_gateway_post: 'the same, for the tools of a connector',
  mcp_listen: 'says that a list has changed, and a new reader reads the list',
  console_models_pulls_stream: 'says how far a download is now, and the download goes on',
};

/** Cut by the tests of its room and its engine. */
const SAME_SERVICE: Record<string, string> = {
  audio_api_v1_transcriptions_post: 'windows of audio, cut by the tests of its room and its engine',
  openai_audio_transcriptions_create: 'the same windows',
};

export const streams: Benchmark = {
  name: 'streams',
  summary: 'every stream broken off at random: resumed byte for byte, or its work stopped and billed',
  run: (options) =>
    inTemporaryDir(async (directory) => {
      const upstream = await startUpstream();
      try {
        return await withChildren(directory, async (start) => {
          const served = await startServed(start, directory, { models: modelsOn(upstream) });
          return [...(await resume(served, options)), ...(await stopWork(served, upstream, options)), unlisted(served)];
        });
      } finally {
        upstream.close();
      }
    }),
};

function modelsOn({ url }: Upstream): object[] {
  const common = { engine: 'upstream', url, upstream_model: 'm' };
  return [
    { ...common, id: 'small', capabilities: { completion_chat: true, completion_fim: true } },
    { ...common, id: 'voice', capabilities: { audio_speech: true }, speech: { voices: ['ada'] } },
  ];
}

async function resume(served: Served, { quick, progress }: BenchmarkOptions): Promise<Figure[]> {
  const wanted = quick ? 40 : 500;
  const random = createRandom(SEED);
  const worker = await startBusyWorker(served);
  const faults: string[] = [];
  let cuts = 0;
  try {
    const kinds = durableStreams(served);
    for (let round = 0; cuts < wanted; round++) {
      progress(`streams: ${cuts} cuts of ${wanted}`);
      // All kinds at once, as on a server with many readers.
      const lives = await Promise.all(kinds.map((kind, index) => cutDurable(kind, `r${round}-${index}`, random)));
      for (const life of lives) {
        cuts += life.cuts;
        if (life.fault) faults.push(life.fault);
      }
    }
  } finally {
    await worker.stop(0);
  }
  return [
    {
      name: 'durable streams that came back otherwise',
      value: faults.length,
      unit: '',
      target: { at: '≤', value: 0 },
      note: faults.slice(0, 5).join('; ') || `${cuts} cuts`,
    },
  ];
}

async function stopWork(served: Served, upstream: Upstream, { quick, progress }: BenchmarkOptions): Promise<Figure[]> {
  const rounds = quick ? 3 : 50;
  const random = createRandom(SEED + 1);
  const agentId = await createAgent(served);
  const cuts: CutWork[] = [];
  for (let round = 0; round < rounds; round++) {
    progress(`streams: work cut off, round ${round + 1} of ${rounds}`);
    const asked = Object.entries(ENDING).map((entry, index) =>
      cutWork(served, upstream, entry, {
        mark: `w${round}-${index}`,
        agentId,
        bytes: 1 + Math.floor(random() * 5000),
      }),
    );
    cuts.push(...(await Promise.all(asked)));
  }
  const wrong = await judgeLedger(served, cuts);
  const slowest = cuts.reduce((one, other) => (other.stoppedMs > one.stoppedMs ? other : one));
  const goingOn = cuts.filter(({ given }) => !given.isBrokenOff);
  return [
    {
      name: 'cut streams whose work went on',
      value: goingOn.length,
      unit: '',
      target: { at: '≤', value: 0 },
      note: goingOn.map(({ operation }) => operation).join(', ') || `${cuts.length} streams`,
    },
    {
      name: 'time until the work of a cut stream stopped, at most',
      value: slowest.stoppedMs,
      unit: 'ms',
      target: { at: '≤', value: STOPPED_MS_MAX },
      note: slowest.operation,
    },
    {
      name: 'cut streams that were billed wrongly',
      value: wrong.length,
      unit: '',
      target: { at: '≤', value: 0 },
      note: wrong.slice(0, 5).join('; ') || 'one row each, as cancelled, with what was used',
    },
  ];
}

async function createAgent({ url, credentials }: Served): Promise<string> {
  const { text } = await ask(`${url}/v1/agents`, {
    method: 'POST',
    headers: { ...credentials.standard, 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ model: 'small', name: 'talker' })),
  });
  return (JSON.parse(text) as { id: string }).id;
}

/** Every operation that streams is cut above, or listed with the reason why not. */
function unlisted(served: Served): Figure {
  const known = new Set([
    ...durableStreams(served).flatMap(({ operations }) => operations),
    ...Object.keys(ENDING),
    ...Object.keys(ASKED_AGAIN),
    ...Object.keys(SAME_SERVICE),
  ]);
  const streaming = documentedRoutes().filter((route) => route.streams);
  const missing = streaming.filter(({ operationId }) => !known.has(operationId));
  return {
    name: 'operations with a stream that this part does not know',
    value: missing.length,
    unit: '',
    target: { at: '≤', value: 0 },
    note: missing.map(({ operationId }) => operationId).join(', ') || `${streaming.length} operations`,
  };
}
