import { badRequest } from '../../kit/http/index.ts';
import type { ServerTool } from '../run/tools.ts';

const NAME_CHARACTERS_MAX = 64;

/**
 * The tools under names that are each one's own. The names of connectors' tools are not the client's to choose, so where
 * one is taken it is told apart by its connector; any other clash is for the client to mend.
 */
export function nameTools(
  own: readonly ServerTool[],
  connected: readonly (ServerTool & { prefix: string })[],
  functions: readonly string[],
): ServerTool[] {
  const fixed = [...own.map(({ name }) => name), ...functions];
  const twice = fixed.find((name, index) => fixed.indexOf(name) !== index);
  if (twice !== undefined) throw badRequest(`More than one tool is named '${twice}'.`);
  const wanted = [...fixed, ...connected.map(({ name }) => name)];
  const taken = new Set(fixed);
  const named = connected.map(({ prefix, ...tool }) => {
    const isClear = wanted.filter((name) => name === tool.name).length === 1;
    const name = isClear
      ? tool.name
      : freeName(`${prefix}_${tool.name}`, (one) => taken.has(one) || wanted.includes(one));
    taken.add(name);
    return { ...tool, name };
  });
  return [...own, ...named];
}

function freeName(wanted: string, isTaken: (name: string) => boolean): string {
  let name = wanted.slice(0, NAME_CHARACTERS_MAX);
  for (let number = 2; isTaken(name); number++) {
    const suffix = `_${number}`;
    name = wanted.slice(0, NAME_CHARACTERS_MAX - suffix.length) + suffix;
  }
  return name;
}
