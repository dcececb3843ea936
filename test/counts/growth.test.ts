import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { families } from '../../quality/bench/growth/families.ts';
import { notGrown } from '../../quality/bench/growth/not-grown.ts';

type Operation = {
  parameters?: { name: string; in: string }[];
  responses?: Record<string, { content?: Record<string, unknown> }>;
};
type Document = { paths: Record<string, Record<string, Operation>> };

const document: Document = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8'));
/** Lists that come whole, as published. */
const WHOLE = ['/v2/prompts/{}/versions'];
const PAGES = /^(page|limit|cursor|offset|after|page_size|pageSize|page_token|pageToken|next_page_token)$/;

/** Names of parameters differ between the document and the benchmark. */
const shapeOf = (path: string) =>
  path
    .replace(/^(POST|STREAM) /, '')
    .replace(/\?.*/, '')
    .replaceAll(/\{[^}]*\}/g, '{}');

/** What is read in pages is a list, by whatever method; a stream has no pages. */
function listsOf({ paths }: Document): string[] {
  return Object.entries(paths).flatMap(([path, operations]) => {
    const isPaged = ({ parameters = [] }: Operation) =>
      parameters.some((parameter) => parameter.in === 'query' && PAGES.test(parameter.name));
    const isStream = ({ responses = {} }: Operation) =>
      Object.values(responses).some(({ content = {} }) => 'text/event-stream' in content);
    const reading = [operations.get, operations.post].filter((operation) => operation !== undefined);
    return reading.some(isPaged) || (operations.get && isStream(operations.get)) ? [path] : [];
  });
}

const grown = new Set(
  Object.values(families).flatMap(({ reads, growing = {} }) => [...reads, ...Object.keys(growing)].map(shapeOf)),
);
const unmeasured = (paths: string[]) => paths.filter((path) => !grown.has(shapeOf(path)) && !(path in notGrown));

describe('the benchmark growth', () => {
  it('reads every list and stream of the route table, or says why not: a new one joins a family', () => {
    const lists = listsOf(document);
    expect(lists.length).toBeGreaterThan(50);
    expect(unmeasured(lists)).toEqual([]);
  });

  it('misses a list that nobody has added', () => {
    const parameters = [{ name: 'page', in: 'query' }];
    expect(unmeasured(listsOf({ paths: { '/v1/new-things': { get: { parameters } } } }))).toEqual(['/v1/new-things']);
    const responses = { '200': { content: { 'text/event-stream': {} } } };
    expect(unmeasured(listsOf({ paths: { '/v1/new-streams': { get: { responses } } } }))).toEqual(['/v1/new-streams']);
  });

  it('has a bar for every list and stream, also for those of which one question grows by nature', () => {
    const bars = new Set(Object.values(families).flatMap(({ reads }) => reads.map(shapeOf)));
    const growing = Object.values(families).flatMap((family) => Object.entries(family.growing ?? {}));
    expect(growing.filter(([, reason]) => reason.length < 10)).toEqual([]);
    expect(growing.map(([read]) => shapeOf(read)).filter((path) => !bars.has(path))).toEqual(WHOLE);
  });

  it('excuses only what is there and is not read', () => {
    expect(Object.keys(notGrown).filter((path) => !(path in document.paths) || grown.has(shapeOf(path)))).toEqual([]);
  });
});
