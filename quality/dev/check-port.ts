import { createServer } from 'node:net';

const PORT_MAX = 65_535;

/** The port as a number, if it is free; otherwise exits with an error message. */
export async function checkPort(host: string, given: string, flag: string): Promise<number> {
  const port = Number(given);
  if (!/^\d+$/.test(given) || port < 1 || port > PORT_MAX) fail(`${flag} must be a number from 1 to ${PORT_MAX}.`);
  const probe = createServer();
  const error = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    probe.once('error', resolve);
    probe.listen(port, host, () => probe.close(() => resolve(undefined)));
  });
  if (error?.code === 'EADDRINUSE')
    fail(`Port ${port} is taken. End what uses it, or choose another: npm run dev -- ${flag} ${suggest(port)}`);
  if (error) fail(`Port ${port} cannot be used (${error.code}). Choose another: npm run dev -- ${flag} <number>`);
  return port;
}

const suggest = (port: number) => (port + 100 > PORT_MAX ? port - 100 : port + 100);

function fail(sentence: string): never {
  console.error(sentence);
  process.exit(1);
}
