import { OutboundBlocked } from './errors.ts';

/** The rules that need only the text. Messages do not repeat the URL: it may contain a password. */
export function parseUrl(text: string | URL, base?: URL): URL {
  const url = URL.parse(String(text), base?.href);
  if (!url) throw new OutboundBlocked('The address is not a valid URL.');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutboundBlocked('The address is not allowed. Only http and https addresses are.');
  }
  if (url.username || url.password) {
    throw new OutboundBlocked('The address is not allowed. Remove the user name and password from the URL.');
  }
  return url;
}
