import { type Outbound, OutboundError, OutboundTooLarge } from '../../kit/outbound/index.ts';
import { libraryErrors } from '../errors.ts';

const SITE_MAPS_MAX = 20;
const LOCATION = /<loc>\s*(?:<!\[CDATA\[)?\s*([^<\]\s]{1,4096})/gi;

export type WebPorts = { outbound: Pick<Outbound, 'fetch'> };

type Fetched = { bytes: Uint8Array; mimetype: string | null };

/** The content of an address, or, of a site, the addresses of at most `site` of its pages. */
export async function fetchPages(
  ports: WebPorts,
  url: string,
  site: number | undefined,
  signal: AbortSignal,
): Promise<Fetched | { pages: string[] }> {
  if (site === undefined) return fetchOne(ports, url, signal);
  return { pages: await listPages(ports, url, site, signal) };
}

async function fetchOne({ outbound }: WebPorts, url: string, signal: AbortSignal): Promise<Fetched> {
  try {
    const response = await outbound.fetch(url, { signal, headers: { accept: 'text/html,application/xhtml+xml,*/*' } });
    if (response.status !== 200) {
      response.discard();
      throw libraryErrors.web_page_unreadable(`The address answered ${response.status}.`);
    }
    const [type] = [response.headers['content-type']].flat();
    return { bytes: await response.bytes(), mimetype: type?.split(';')[0]?.trim().toLowerCase() ?? null };
  } catch (error) {
    if (error instanceof OutboundTooLarge) throw libraryErrors.web_page_unreadable('The page is too large.');
    if (error instanceof OutboundError) throw libraryErrors.web_page_unreadable(error.message, { cause: error });
    throw error;
  }
}

/** Of the map at the address, or of that of its host; maps may list other maps. Only pages of the same host count. */
async function listPages(ports: WebPorts, url: string, max: number, signal: AbortSignal): Promise<string[]> {
  const { host } = new URL(url);
  const maps = [/\.xml$/i.test(new URL(url).pathname) ? url : new URL('/sitemap.xml', url).href];
  const pages = new Set<string>();
  for (let at = 0; at < Math.min(maps.length, SITE_MAPS_MAX) && pages.size < max; at++) {
    const text = Buffer.from((await fetchOne(ports, maps[at] ?? '', signal)).bytes).toString('utf8');
    const isIndex = /<sitemapindex/i.test(text);
    for (const [, found = ''] of text.matchAll(LOCATION)) {
      const address = URL.parse(found.replaceAll('&amp;', '&'));
      if (address?.host !== host || !/^https?:$/.test(address.protocol)) continue;
      if (isIndex) maps.push(address.href);
      else if (pages.size < max) pages.add(address.href);
    }
  }
  if (pages.size === 0) throw libraryErrors.web_page_unreadable('The site map lists no page of this host.');
  return [...pages];
}
