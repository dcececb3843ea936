import { Histogram, Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { DurationHistogram } from './duration-histogram.ts';

const NAME = 'http_request_duration_seconds';
const HELP = 'Time from the request to the end of its answer';

describe('the histogram of requests', () => {
  it("tells a scraper exactly what prom-client's own would", async () => {
    const ours = new Registry();
    const histogram = new DurationHistogram(NAME, HELP);
    ours.registerMetric(histogram.asMetric());
    const theirs = new Registry();
    const reference = new Histogram({
      name: NAME,
      help: HELP,
      labelNames: ['method', 'route', 'status'],
      buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60],
      registers: [theirs],
    });
    const seen = [
      ['GET', '/v1/models', 200, 0.0005],
      ['GET', '/v1/models', 200, 0.001],
      ['GET', '/v1/models', 404, 0.25],
      ['POST', '/v1/chat/completions', 200, 3],
      ['POST', '/v1/chat/completions', 200, 61],
      ['HEAD', '/v1/models', 200, 0],
    ] as const;
    for (const [method, route, status, seconds] of seen) {
      histogram.observe(method, route, status, seconds);
      reference.observe({ method, route, status: String(status) }, seconds);
    }
    const linesOf = async (registry: Registry) => (await registry.metrics()).trim().split('\n').sort();
    expect(await linesOf(ours)).toEqual(await linesOf(theirs));
  });
});
