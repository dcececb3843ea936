import { compareSchemas, type Difference, type Placed, place } from './compare-schemas.ts';
import type { Content, OpenApiDocument, Operation, Parameter } from './json-schema.ts';

const methods = ['get', 'put', 'post', 'delete', 'patch'] as const;

interface Found {
  document: OpenApiDocument;
  path: string;
  operation: Operation;
}

/** Compares every operation of ours with the one at the same method and path in the other document. */
export function compareOperations(ours: OpenApiDocument, theirs: OpenApiDocument): Difference[] {
  return pairOperations(ours, theirs).flatMap(([mine, twin, at]) => [
    ...compareIds(mine, twin, at),
    ...compareParameters(mine, twin, at),
    ...compareRequestBodies(mine, twin, at),
    ...compareAnswers(mine, twin, at),
  ]);
}

export function sharedOperations(ours: OpenApiDocument, theirs: OpenApiDocument): string[] {
  return pairOperations(ours, theirs).map(([, , at]) => at);
}

function pairOperations(ours: OpenApiDocument, theirs: OpenApiDocument): [Found, Found, string][] {
  const twins = operationsOf(theirs);
  return [...operationsOf(ours)].flatMap(([key, mine]) => {
    const twin = twins.get(key);
    const method = key.slice(0, key.indexOf(' '));
    return twin ? [[mine, twin, `${method} ${mine.path}`] as [Found, Found, string]] : [];
  });
}

/** Operations by method and path template; the names of path parameters never reach the wire. */
function operationsOf(document: OpenApiDocument): Map<string, Found> {
  const found = new Map<string, Found>();
  const isMarked = ([key]: [string, unknown]) => Number(key.includes('#'));
  const paths = Object.entries(document.paths ?? {}).sort((left, right) => isMarked(left) - isMarked(right));
  for (const [key, item] of paths) {
    const path = key.replace(/#.*$/, '');
    for (const method of methods) {
      const operation = item[method];
      if (!operation) continue;
      const name = `${method.toUpperCase()} ${path.replace(/\{[^}]*\}/g, '{}')}`;
      const before = found.get(name);
      found.set(name, { document, path, operation: before ? joinStream(before.operation, operation) : operation });
    }
  }
  return found;
}

/**
 * The twin describes one URL as two operations, distinguished by `stream` in the body; the second adds only a content
 * type.
 */
function joinStream(whole: Operation, streamed: Operation): Operation {
  const responses = { ...whole.responses };
  for (const [status, answer] of Object.entries(streamed.responses ?? {})) {
    responses[status] = { content: { ...answer.content, ...responses[status]?.content } };
  }
  return { ...whole, responses };
}

function compareIds(ours: Found, theirs: Found, at: string): Difference[] {
  const [mine, twin] = [ours.operation.operationId, theirs.operation.operationId];
  return mine === twin ? [] : [{ at, kind: 'operation-id', ours: mine, theirs: twin }];
}

function compareParameters(ours: Found, theirs: Found, at: string): Difference[] {
  const [mine, twin] = [parametersOf(ours), parametersOf(theirs)];
  const differences: Difference[] = [];
  for (const key of new Set([...twin.keys(), ...mine.keys()])) {
    const [own, other, inside] = [mine.get(key), twin.get(key), `${at} ${key}`];
    if (!own || !other) {
      const kind = own ? 'added-parameter' : 'missing-parameter';
      differences.push({ at: inside, kind, ours: own?.name, theirs: other?.name });
      continue;
    }
    const [needed, neededThere] = [own.required ?? false, other.required ?? false];
    if (needed !== neededThere) {
      differences.push({ at: inside, kind: 'required', ours: needed, theirs: neededThere });
    }
    const found = compareSchemas(schemaOf(own, ours), schemaOf(other, theirs), inside);
    // A URL cannot carry null, so a nullable parameter is an optional one.
    differences.push(...found.filter((difference) => difference.at !== inside || difference.kind !== 'nullable'));
  }
  return differences;
}

/** Parameters by location and name; path parameters by their position, and headers case-insensitively. */
function parametersOf({ operation, path }: Found): Map<string, Parameter> {
  const positions = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
  return new Map(
    (operation.parameters ?? []).map((parameter) => {
      if (parameter.in === 'path') return [`path.${positions.indexOf(parameter.name) + 1}`, parameter];
      return [
        `${parameter.in}.${parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name}`,
        parameter,
      ];
    }),
  );
}

function schemaOf(parameter: Parameter, { document }: Found): Placed {
  const [json] = Object.values(parameter.content ?? {});
  return place(parameter.schema ?? json?.schema ?? true, document);
}

function compareRequestBodies(ours: Found, theirs: Found, at: string): Difference[] {
  const [mine, twin] = [ours.operation.requestBody, theirs.operation.requestBody];
  const [needed, neededThere] = [mine?.required ?? false, twin?.required ?? false];
  const differences = compareContents(mine?.content, twin?.content, ours, theirs, `${at} body`);
  if (mine && twin && needed !== neededThere) {
    differences.push({ at: `${at} body`, kind: 'required', ours: needed, theirs: neededThere });
  }
  return differences;
}

function compareAnswers(ours: Found, theirs: Found, at: string): Difference[] {
  const successes = ({ operation }: Found) => Object.keys(operation.responses ?? {}).filter((it) => it.startsWith('2'));
  const [mine, twin] = [successes(ours).sort(), successes(theirs).sort()];
  const differences = twin
    .filter((status) => mine.includes(status))
    .flatMap((status) => {
      const content = ({ operation }: Found) => operation.responses?.[status]?.content;
      return compareContents(content(ours), content(theirs), ours, theirs, `${at} ${status}`);
    });
  if (mine.join() !== twin.join()) differences.push({ at, kind: 'status', ours: mine, theirs: twin });
  return differences;
}

function compareContents(
  mine: Content | undefined,
  twin: Content | undefined,
  ours: Found,
  theirs: Found,
  at: string,
): Difference[] {
  const [types, typesThere] = [Object.keys(mine ?? {}).sort(), Object.keys(twin ?? {}).sort()];
  const differences = types
    .filter((type) => typesThere.includes(type))
    .flatMap((type) => {
      const [own, other] = [mine?.[type]?.schema ?? true, twin?.[type]?.schema ?? true];
      const inside = type === 'application/json' ? at : `${at} ${type}`;
      return compareSchemas(place(own, ours.document), place(other, theirs.document), inside);
    });
  if (types.join() !== typesThere.join()) {
    differences.push({ at, kind: 'content-type', ours: types, theirs: typesThere });
  }
  return differences;
}
