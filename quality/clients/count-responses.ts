/** Responses from 400 on, by `method route status`. */
export type Responses = Record<string, number>;

/** Reads the server's own metrics, so that nothing stands between it and the client. */
export async function countResponses(url: string): Promise<Responses> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts: Responses = {};
  for (const [, labels = '', count = ''] of text.matchAll(/^http_request_duration_seconds_count\{(.*)\} (\d+)$/gm)) {
    const { method, route, status } = Object.fromEntries(
      [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
    );
    // A client of MCP asks for a stream of notifications, and 405 is how a server has none.
    if (method === 'GET' && status === '405') continue;
    if (Number(status) >= 400) counts[`${method} ${route} ${status}`] = Number(count);
  }
  return counts;
}

export function subtract(after: Responses, before: Responses): Responses {
  const grown = Object.entries(after).map(([key, count]): [string, number] => [key, count - (before[key] ?? 0)]);
  return Object.fromEntries(grown.filter(([, count]) => count > 0));
}
