import { isIP } from 'node:net';
import { isPublicAddress } from './is-public-address.ts';
import { bareHostname, parseAllow } from './parse-allow.ts';

/** Suffixes without public DNS; a name without a dot belongs to the local network, too. */
const LOCAL_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa|localdomain)$/;

/**
 * Checks the text of a URL that another server of the operator will fetch. What a name resolves to over there cannot be
 * checked here.
 */
export function createPublicUrlCheck(allow: readonly string[]): (url: URL) => boolean {
  const isAllowed = parseAllow(allow);
  return (url) => {
    const hostname = bareHostname(url);
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    const isAddress = isIP(hostname) !== 0;
    // Entries that are address ranges do not apply to names.
    if (isAllowed({ hostname, address: isAddress ? hostname : '0.0.0.0', port })) return true;
    if (isAddress) return isPublicAddress(hostname);
    const name = hostname.replace(/\.$/, '');
    return name.includes('.') && !LOCAL_NAME.test(name);
  };
}
