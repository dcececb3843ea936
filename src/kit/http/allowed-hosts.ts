const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Guards against DNS rebinding: a page of a stranger may make the browser send requests here under its own host
 * name. A server bound to loopback answers to loopback names and to what the operator adds; one that is bound to
 * the network answers to everything until the operator says which names it has.
 */
export function createHostCheck(boundHost: string, allowed: string[]): (host: string | undefined) => boolean {
  const names = new Set(allowed.map((name) => name.toLowerCase()));
  const isLocal = LOOPBACK.test(boundHost) || boundHost === '::1';
  if (!isLocal && names.size === 0) return () => true;
  return (host) => {
    const name = (host ?? '').toLowerCase().replace(/:\d+$/, '');
    return LOOPBACK.test(name) || name === boundHost.toLowerCase() || names.has(name);
  };
}
