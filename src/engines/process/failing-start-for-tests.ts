import { serveParent } from './serve-parent.ts';

/** Ends while it loads, as a driver may end a process, as long as it is told to use the GPU. */
serveParent<{ gpu: boolean; how: 'dies' | 'reports' }, string, string>(async ({ gpu, how }, host) => {
  if (gpu) {
    host.loading({ usesGpu: true });
    if (how === 'reports') throw new Error('no memory');
    // The message leaves first.
    await new Promise((resolve) => setImmediate(resolve));
    process.kill(process.pid, 'SIGKILL');
  }
  return { facts: { gpu }, serve: (request, give) => give(`${request}, too`) };
});
