import type { Benchmark } from '../benchmark.ts';
import { CONNECTIONS, endure, growthFigure } from '../endure.ts';

const REQUESTS = { quick: 60_000, full: 1_000_000 };

export const endurance: Benchmark = {
  name: 'endurance',
  summary: 'a million chats, half of them failing in every way: the memory of the server afterwards',
  async run({ quick, progress }) {
    const total = quick ? REQUESTS.quick : REQUESTS.full;
    const endured = await endure({ mix: 'chats', total, progress });
    return [
      growthFigure(endured, quick),
      {
        // No client that left may still hold a connection to the model server.
        name: 'upstream connections left open',
        value: endured.upstreamConnections,
        unit: '',
        target: { at: '≤', value: CONNECTIONS },
        note: 'idle ones of the keep-alive pool; one for each client at most',
      },
    ];
  },
};
