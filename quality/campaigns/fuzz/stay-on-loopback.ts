import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
import { BlockList, isIP, Socket } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Generated requests name servers of strangers, as connectors. None of them is looked up or connected to. */
export function stayOnLoopback(): void {
  const refuse = () => Promise.reject(new Error('The campaign looks up no names.'));
  Object.assign(dns, { lookup: refuse });
  syncBuiltinESMExports();
  const { connect } = Socket.prototype;
  Socket.prototype.connect = function (this: Socket, ...given: unknown[]) {
    // Node itself passes its arguments as one list.
    const [options] = (Array.isArray(given[0]) ? given[0] : given) as [{ host?: string } | undefined];
    const host = options?.host ?? 'localhost';
    const isHere = host === 'localhost' || (isIP(host) > 0 && loopback.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'));
    if (isHere) return Reflect.apply(connect, this, given);
    // As late as the system says so, when somebody listens for it.
    setImmediate(() => this.destroy(new Error('The campaign connects to this machine only.')));
    return this;
  } as typeof connect;
}
