import { Agent, request } from 'node:http';
import { answer } from './answer.ts';

// Readers of one execution, each on a connection of its own, until they see its end.
type Reading = { port: number; key: string; executionId: string; readers: number };
type Seen = { count: number; isAscending: boolean };

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY });
let reading: Promise<Seen[]> | undefined;

function read({ port, key, executionId }: Reading): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const path = `/v1/workflows/events/stream?workflow_exec_id=${executionId}`;
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
    const sent = request({ agent, port, host: '127.0.0.1', path, headers }, (response) => {
      const seen: Seen = { count: 0, isAscending: true };
      let rest = '';
      response.setEncoding('utf8');
      response.on('error', reject);
      response.on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          if (line.startsWith('id:')) seen.isAscending &&= Number(line.slice(3)) === ++seen.count;
          if (line.includes('"WORKFLOW_EXECUTION_COMPLETED"')) {
            sent.destroy();
            resolve(seen);
          }
        }
      });
    });
    sent.on('error', reject);
    sent.end();
  });
}

answer({
  begin: (options: Reading) => {
    reading = Promise.all(Array.from({ length: options.readers }, () => read(options)));
    reading.catch(() => undefined);
  },
  seen: () => reading,
});
