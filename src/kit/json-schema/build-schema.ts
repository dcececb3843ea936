import { SPENT } from './budget.ts';
import { type Draft, KEYWORDS } from './keywords/index.ts';
import { type Building, type Holds, isNames, isObject } from './keywords/keyword.ts';
import { addInPlace, addStep, createNode, type JsonObject, type Node, type Resource, TYPE } from './node.ts';
import { type Pattern, preparePattern } from './pattern/index.ts';
import { InvalidSchema, TooExpensive } from './refusals.ts';
import { refuse } from './visit.ts';

export type Schema = {
  root: Node;
  /** Whether a reference depends on the way that led to it. */
  isDynamic: boolean;
  nodes: number;
  /** What building it has cost. */
  steps: number;
  /** A rough number of bytes, for the cache. */
  bytes: number;
};

const DEPTH_MAX = 256;
/** Schemas that are applied to one value: a few for most, hundreds for a large union. */
const WEIGHT_MAX = 10_000;
const HEIGHT_MAX = 200;
const PATTERN_SIZE_MAX = 100_000;
const NODE_STEPS = 100;
const PATTERN_STEPS = 400;
const CHARACTER_STEPS = 8;
const NODE_BYTES = 400;
const STATE_BYTES = 40;
/** Any address will do: it only has to be absolute. */
const NO_ADDRESS = 'schema:/';

/** The published descriptions of schemas, to which a schema may refer. */
const META_SCHEMA = /^https?:\/\/json-schema\.org\/(?:draft-0[467]|draft\/2019-09|draft\/2020-12)\/schema$/;
const FORM_STEPS = 80;

const ACCEPT = createNode(true, undefined);
const REFUSE = createNode(false, undefined);

/** Checks the form of a schema and links its references, in time linear in its length. Generates no code. */
export function buildSchema(raw: JsonObject): Schema {
  return build(raw, draftOf(raw.$schema), true);
}

function build(raw: JsonObject, draft: Draft, links: boolean): Schema {
  const keywords = KEYWORDS[draft];
  const nodes = new Map<object, Node>();
  const resources = new Map<string, Resource>();
  const patterns = new Map<string, Pattern>();
  const unlinked: Node[] = [];
  let patternSize = 0;
  let patternCharacters = 0;
  let isDynamic = false;

  const root = scan(raw, createResource(NO_ADDRESS), 0);
  if (links) linkFrom(root);
  return {
    root,
    isDynamic,
    nodes: nodes.size,
    steps: nodes.size * NODE_STEPS + patterns.size * PATTERN_STEPS + patternCharacters * CHARACTER_STEPS,
    bytes: nodes.size * NODE_BYTES + patternSize * STATE_BYTES,
  };

  // Linking a node reaches others; what nothing reaches is never linked, so it may refer to what is missing.
  function linkFrom(start: Node): void {
    reach(start);
    for (let node = unlinked.pop(); node; node = unlinked.pop()) {
      link(node);
      if (unlinked.length === 0 && isDynamic) reachDynamic();
    }
    for (const node of nodes.values()) if (node.isLinked) countInPlace(node, 0);
  }

  function reachDynamic(): void {
    for (const { root: outermost, dynamicAnchors, isRecursive } of resources.values()) {
      for (const node of dynamicAnchors.values()) reach(node);
      if (isRecursive && outermost) reach(outermost);
    }
  }

  /** Makes the nodes of a schema and of all schemas in it, and checks their form. */
  function scan(schema: unknown, outer: Resource, depth: number): Node {
    if (typeof schema === 'boolean') return schema ? ACCEPT : REFUSE;
    if (!isObject(schema)) throw new InvalidSchema();
    const known = nodes.get(schema);
    if (known) return known;
    if (depth > DEPTH_MAX) throw new TooExpensive();
    const resource = resourceOf(schema, outer, depth);
    const node = createNode(schema, resource);
    nodes.set(schema, node);
    resource.root ??= node;
    addAnchors(schema, node, resource);
    for (const key of Object.keys(schema)) {
      const keyword = keywords.get(key);
      if (!keyword) continue;
      const value = schema[key];
      if (keyword.accepts && !keyword.accepts(value)) throw new InvalidSchema();
      if (keyword.holds === 'schema') scan(value, resource, depth + 1);
      else if (keyword.holds) for (const inner of schemasIn(keyword.holds, value)) scan(inner, resource, depth + 1);
    }
    return node;
  }

  function resourceOf(schema: JsonObject, outer: Resource, depth: number): Resource {
    const { $id } = schema;
    if (typeof $id !== 'string') return outer;
    // In older drafts a fragment names a place, as $anchor does later.
    if ($id.startsWith('#') && $id.length > 1) return outer;
    const uri = resolve($id, outer.uri).replace(/#.*$/s, '');
    if (depth > 0 || uri !== outer.uri) {
      if (resources.has(uri)) throw new InvalidSchema();
      return createResource(uri);
    }
    return outer;
  }

  function addAnchors(schema: JsonObject, node: Node, resource: Resource): void {
    const { $id, $anchor, $dynamicAnchor, $recursiveAnchor } = schema;
    const { anchors, dynamicAnchors } = resource;
    const names =
      draft === '7' ? [typeof $id === 'string' && $id.startsWith('#') ? $id.slice(1) : undefined] : [$anchor];
    if (draft === '2020-12') names.push($dynamicAnchor as string | undefined);
    for (const name of names) {
      if (typeof name !== 'string' || name === '') continue;
      if (anchors.has(name)) throw new InvalidSchema();
      anchors.set(name, node);
    }
    if (draft === '2020-12' && typeof $dynamicAnchor === 'string') dynamicAnchors.set($dynamicAnchor, node);
    if (draft === '2019-09' && $recursiveAnchor === true && resource.root === node) resource.isRecursive = true;
  }

  function createResource(uri: string): Resource {
    const resource = { uri, root: undefined, anchors: new Map(), dynamicAnchors: new Map(), isRecursive: false };
    resources.set(uri, resource);
    return resource;
  }

  function reach(node: Node): Node {
    if (!node.isLinked && node.resource) {
      node.isLinked = true;
      unlinked.push(node);
    }
    return node;
  }

  /** Turns the keywords of a node into steps. */
  function link(node: Node): void {
    if (typeof node.raw === 'boolean' || !node.resource) return;
    const { raw: beside, resource } = node;
    const keys = Object.keys(beside).filter((key) => keywords.get(key)?.build !== undefined);
    if (keys.length > 1) keys.sort((a, b) => (keywords.get(a)?.rank ?? 0) - (keywords.get(b)?.rank ?? 0));
    const building = createBuilding(node, beside, resource);
    for (const key of keys) {
      if (key === '$dynamicRef' || key === '$recursiveRef') isDynamic = true;
      keywords.get(key)?.build?.(building, beside[key] as never);
    }
  }

  function createBuilding(node: Node, beside: JsonObject, resource: Resource): Building {
    const child = (schema: unknown): Node => reach(scan(schema, resource, 0));
    return {
      node,
      beside,
      isNewest: draft === '2020-12',
      child,
      inPlace(schema) {
        const inner = child(schema);
        addInPlace(node, inner);
        return inner;
      },
      refer: (reference) => reach(find(reference, resource)),
      pattern,
    };
  }

  function find(reference: string, from: Resource): Node {
    const hash = reference.indexOf('#');
    const address = hash < 0 ? reference : reference.slice(0, hash);
    const fragment = hash < 0 ? '' : decode(reference.slice(hash + 1));
    const uri = address === '' ? from.uri : resolve(address, from.uri);
    const resource = address === '' ? from : resources.get(uri);
    if (!resource && fragment === '' && META_SCHEMA.test(uri)) return createMetaNode(uri, from);
    if (!resource?.root) throw new InvalidSchema();
    if (fragment === '') return resource.root;
    if (fragment.startsWith('/')) return scan(findByPointer(resource.root.raw, fragment), resource, 0);
    const anchored = resource.anchors.get(fragment);
    if (!anchored) throw new InvalidSchema();
    return anchored;
  }

  function pattern(source: string): Pattern {
    const known = patterns.get(source);
    if (known) return known;
    const made = preparePattern(source);
    patternSize += made.size;
    patternCharacters += source.length;
    if (patternSize > PATTERN_SIZE_MAX) throw new TooExpensive();
    patterns.set(source, made);
    return made;
  }
}

/** Stands for a whole meta-schema: whether a value has the form of a schema. */
function createMetaNode(uri: string, resource: Resource): Node {
  const node = createNode({}, resource);
  node.isLinked = true;
  node.types = TYPE.object | TYPE.boolean;
  addStep(node, 'objects', (run, value) => {
    try {
      run.budget.spend(build(value, draftOf(uri), false).nodes * FORM_STEPS);
      return true;
    } catch (error) {
      if (error instanceof TooExpensive) throw SPENT;
      if (!(error instanceof InvalidSchema)) throw error;
      return refuse(run, '$ref', 'must be a JSON schema');
    }
  });
  return node;
}

function draftOf($schema: unknown): Draft {
  if (typeof $schema !== 'string') return '2020-12';
  if (/draft-0[467]/.test($schema)) return '7';
  return $schema.includes('2019-09') ? '2019-09' : '2020-12';
}

function schemasIn(holds: Holds, value: unknown): unknown[] {
  switch (holds) {
    case 'schema':
      return [value];
    case 'schema or list':
      return Array.isArray(value) ? schemasIn('list', value) : [value];
    case 'list':
      if (!Array.isArray(value) || value.length === 0) throw new InvalidSchema();
      return value;
    case 'map':
      if (!isObject(value)) throw new InvalidSchema();
      return Object.values(value);
    case 'map of schemas or names':
      if (!isObject(value)) throw new InvalidSchema();
      return Object.values(value).filter((entry) => {
        if (Array.isArray(entry) && !isNames(entry)) throw new InvalidSchema();
        return !Array.isArray(entry);
      });
  }
}

function resolve(reference: string, base: string): string {
  const url = URL.parse(reference, base);
  if (!url) throw new InvalidSchema();
  return url.href;
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    throw new InvalidSchema();
  }
}

function findByPointer(root: unknown, pointer: string): unknown {
  let found = root;
  for (const part of pointer.slice(1).split('/')) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) throw new InvalidSchema();
    found = found[key as never];
  }
  return found;
}

/**
 * How many schemas are applied to one value, counted before any value comes: references that double at each level, or
 * that lead back to themselves without going into the value, are refused when the schema is sent.
 */
function countInPlace(node: Node, depth: number): Node {
  if (node.weight > 0) return node;
  if (depth > HEIGHT_MAX) throw new TooExpensive();
  let weight = 1;
  let height = 1;
  for (const inner of node.inPlace) {
    const counted = countInPlace(inner, depth + 1);
    weight += counted.weight;
    height = Math.max(height, counted.height + 1);
  }
  if (weight > WEIGHT_MAX || height > HEIGHT_MAX) throw new TooExpensive();
  node.weight = weight;
  node.height = height;
  return node;
}
