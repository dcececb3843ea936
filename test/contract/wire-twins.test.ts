import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { inFull } from '../support/in-full.ts';
import { compareOperations, sharedOperations } from './compare-operations.ts';
import { compareComponents, type Difference, sharedComponents } from './compare-schemas.ts';
import { differences } from './differences.ts';
import type { OpenApiDocument } from './json-schema.ts';
import { reconcile } from './reconcile-differences.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const contractDir = process.env.TRAMONTANE_TEST_CONTRACT_DIR ?? `${root}../shared/contract`;
const oursPath = `${root}openapi/openapi.json`;
const theirsPath = `${contractDir}/wire.json`;

const twinIsMissing = 'wire.json was not found; set TRAMONTANE_TEST_CONTRACT_DIR to the folder that holds it';

const ours = read(oursPath);
const theirs = read(theirsPath);

function read(path: string): OpenApiDocument | undefined {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

function whatIsMissing(): string | undefined {
  if (!ours) return 'openapi/openapi.json does not exist yet, so there is nothing to compare';
  if (!theirs) return twinIsMissing;
  return undefined;
}

function describeDifference({ at, kind, ours, theirs }: Difference): string {
  const text = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 160);
  return `  { at: '${at}', kind: '${kind}' }  ours ${text(ours)}, theirs ${text(theirs)}`;
}

describe('our interface description and its published twin', () => {
  const found = ours && theirs ? [...compareComponents(ours, theirs), ...compareOperations(ours, theirs)] : [];
  const { unlisted, gone } = reconcile(found, differences);

  beforeEach((context) => {
    const missing = whatIsMissing();
    if (missing) context.skip(missing);
  });

  it('have something in common to compare', () => {
    if (!ours || !theirs) return;
    expect([...sharedComponents(ours, theirs), ...sharedOperations(ours, theirs)]).not.toEqual([]);
  });

  it('differ only where a difference is listed with its reason', () => {
    const lines = unlisted.map(describeDifference);
    expect(lines, `${lines.length} unlisted differences:\n${lines.join('\n')}\n`).toHaveLength(0);
  });

  it('still differ wherever a difference is listed', () => {
    expect(gone).toEqual([]);
  });
});

describe('the published twin', () => {
  it('is read whole: it does not differ from itself', (context) => {
    if (!theirs) return context.skip(twinIsMissing);
    expect([...compareComponents(theirs, theirs), ...compareOperations(theirs, theirs)]).toEqual([]);
  });

  inFull.it('does not differ from itself either when no component is known by its name', (context) => {
    if (!theirs) return context.skip(twinIsMissing);
    const prefix = '#/components/schemas/';
    const renamed: OpenApiDocument = JSON.parse(JSON.stringify(theirs).replaceAll(prefix, `${prefix}Renamed`));
    const schemas = Object.entries(renamed.components?.schemas ?? {});
    const both = schemas.flatMap(([name, schema]) => [[name, schema] as const, [`Renamed${name}`, schema] as const]);
    const ours = { ...renamed, components: { schemas: Object.fromEntries(both) } };
    expect([...compareComponents(ours, theirs), ...compareOperations(ours, theirs)]).toEqual([]);
  });
});

describe('the list of differences', () => {
  it('gives a reason for every entry and names no place twice', () => {
    const places = differences.map(({ at, kind }) => `${kind} ${at}`);
    expect(differences.filter(({ reason }) => reason.trim().length < 15)).toEqual([]);
    expect(new Set(places).size).toBe(places.length);
  });
});
