import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import { answer } from './answer.ts';

// The baseline: the same response from Fastify alone.
const app = Fastify();
let body: unknown;
app.get('/', async () => body);
await app.listen({ host: '127.0.0.1', port: 0 });

answer({
  serve: (value: unknown) => {
    body = value;
    return { port: (app.server.address() as AddressInfo).port };
  },
  cpuMicros: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
});
