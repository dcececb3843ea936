import { isIP } from 'node:net';
import type { LineRule } from './finding.ts';

const URL_START =
  /\b(?:https?|ftps?|wss?|tftp|sftp|ssh|telnet):\/\/(?:[^\s/@"'<>`]{0,256}@)?(\[[0-9a-f:.%]{2,64}\]|[^\s/:?#"'<>`()[\]{}|\\,;]{1,256})/gi;
const SOCKET = /\/dev\/(?:tcp|udp)\/([^\s/"'`]{1,256})/gi;
const BARE =
  /(?<![\w./-])(?:curl|wget|iwr|irm|nc|ncat|netcat|telnet)(?:\.exe)?\s+(?:-[^\s]+\s+){0,6}["']?((?:\d{1,3}\.){3}\d{1,3})(?![\w.])/gi;
const LOCAL = /^(?:127(?:\.\d{1,3}){3}|0\.0\.0\.0|::1|::)$/;

/** An IP address instead of a host name: it does not show who runs the server. Loopback is allowed. */
export const findRawAddress: LineRule = (lines) =>
  lines
    .filter(({ text }) => /:\/\/|\/dev\/|\d\.\d/.test(text))
    .filter(({ text }) => hostsOf(text).some(isRawAddress))
    .map(({ line }) => line);

function hostsOf(text: string): string[] {
  return [URL_START, SOCKET, BARE].flatMap((pattern) => [...text.matchAll(pattern)].map(([, host = '']) => host));
}

function isRawAddress(host: string): boolean {
  const written = host.replace(/^\[|\]$/g, '');
  if (isIP(written)) return !LOCAL.test(written);
  // URL parsers also accept 2130706433, 0x7f.1 and 0177.0.0.1, which are written to hide an address.
  if (!/^(?:\d|0x)/i.test(written) || !URL.canParse(`http://${written}/`)) return false;
  return isIP(new URL(`http://${written}/`).hostname) > 0;
}
