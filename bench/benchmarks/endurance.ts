import type { Benchmark } from '../benchmark.ts';
import { CONNECTIONS, endure, tellStatuses } from '../endure.ts';

const REQUESTS = { quick: 60_000, full: 1_000_000 };
const SLOPE_MIB_MAX = 1;

export const endurance: Benchmark = {
  name: 'endurance',
  summary: 'a million chats, half of them failing in every way: the memory of the server afterwards',
  async run({ quick, progress }) {
    const total = quick ? REQUESTS.quick : REQUESTS.full;
    const { growth, memory, statuses, upstreamConnections } = await endure({ mix: 'chats', total, progress });
    return [
      {
        name: 'RSS per 100,000 requests after warm-up',
        value: growth,
        unit: 'MiB',
        // After few requests the server is still warming up, so the slope of the quick form has no target.
        ...(quick ? {} : { target: { at: '<', value: SLOPE_MIB_MAX } }),
        note: `${memory}; ${tellStatuses(statuses)}`,
      },
      {
        // Of the clients that left, none may still hold a connection to the model server.
        name: 'upstream connections left open',
        value: upstreamConnections,
        unit: '',
        target: { at: '≤', value: CONNECTIONS },
        note: 'idle ones of the keep-alive pool; one for each client at most',
      },
    ];
  },
};
