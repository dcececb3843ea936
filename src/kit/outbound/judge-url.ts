import { isIP } from 'node:net';
import { isPublicAddress } from './judge-address.ts';
import { bareHostname, parseAllow } from './parse-allow.ts';

/** Suffixes that no public DNS answers for; a name without a dot is one of the local network, too. */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa|localdomain)$/;

/**
 * For an address that we do not fetch ourselves but hand to another server of the operator's, which will: whether its text
 * may stand for a public one. What a name resolves to over there cannot be judged from here.
 */
export function createUrlJudge(allow: readonly string[]): (url: URL) => boolean {
  const isAllowed = parseAllow(allow);
  return (url) => {
    const hostname = bareHostname(url);
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    const isAddress = isIP(hostname) !== 0;
    // An entry of addresses must not be asked about a name.
    if (isAllowed({ hostname, address: isAddress ? hostname : '0.0.0.0', port })) return true;
    if (isAddress) return isPublicAddress(hostname);
    const name = hostname.replace(/\.$/, '');
    return name.includes('.') && !LOCAL_NAME.test(name);
  };
}
