const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * Guards against DNS rebinding. A server on loopback accepts loopback names and what the operator adds; a server on the
 * network accepts every name until the operator lists its own.
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
