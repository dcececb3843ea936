import { arrayKeywords, boundedContains, contains, newestArrayKeywords, olderArrayKeywords } from './arrays.ts';
import { combiningKeywords, dynamicKeywords, recursiveKeywords } from './combine.ts';
import { isBoolean, isObject, isString, type Keyword } from './keyword.ts';
import { newerObjectKeywords, objectKeywords } from './objects.ts';
import { valueKeywords } from './values.ts';

/** Draft 4, 6 and 7 are read alike. */
export type Draft = '7' | '2019-09' | '2020-12';

export type Keywords = ReadonlyMap<string, Keyword & { rank: number }>;

const ANCHOR = /^[A-Za-z_][-A-Za-z0-9._]*$/;
const text: Keyword = { accepts: isString };
const flag: Keyword = { accepts: isBoolean };
const anchor: Keyword = { accepts: (value) => isString(value) && ANCHOR.test(value) };

/** These have no effect on validity, but a meta-schema says what they look like. */
const described: Record<string, Keyword> = {
  $schema: text,
  $comment: text,
  title: text,
  description: text,
  format: text,
  contentMediaType: text,
  contentEncoding: text,
  readOnly: flag,
  examples: { accepts: Array.isArray },
  definitions: { holds: 'map' },
};

const describedNewer: Record<string, Keyword> = {
  $id: { accepts: (value) => isString(value) && /^[^#]*#?$/.test(value) },
  $anchor: anchor,
  $vocabulary: { accepts: (value) => isObject(value) && Object.values(value).every(isBoolean) },
  $defs: { holds: 'map' },
  deprecated: flag,
  writeOnly: flag,
  contentSchema: { holds: 'schema' },
};

const shared = { ...valueKeywords, ...arrayKeywords, ...combiningKeywords, ...objectKeywords, ...described };
const newer = { ...shared, ...describedNewer, ...boundedContains, ...newerObjectKeywords };

export const KEYWORDS: Record<Draft, Keywords> = {
  '7': ranked({ ...shared, $id: text, contains, ...olderArrayKeywords }),
  '2019-09': ranked({ ...newer, ...olderArrayKeywords, ...recursiveKeywords, $recursiveAnchor: flag }),
  '2020-12': ranked({ ...newer, ...newestArrayKeywords, ...dynamicKeywords, $dynamicAnchor: anchor }),
};

function ranked(keywords: Record<string, Keyword>): Keywords {
  return new Map(Object.entries(keywords).map(([name, keyword], rank) => [name, { ...keyword, rank }]));
}
