import { nearest } from '../../config/nearest.ts';
import { type Arguments, type Command, type Option, UsageError } from './command.ts';
import { optionsOf } from './shared-options.ts';

/** Parses and checks the arguments of a command against its declaration. */
export function parseArguments(command: Command, path: string, words: string[]): Arguments | 'help' {
  const options = optionsOf(command);
  const see = `See: tramontane ${path} --help`;
  const { values, positionals } = parse(words, options, see);
  if (values.help) return 'help';
  const parameters = command.parameters ?? [];
  const missing = parameters[positionals.length];
  if (missing && !missing.optional)
    throw new UsageError(`tramontane ${path} needs <${missing.name}>: ${missing.summary}. ${see}`);
  const [extra] = parameters.at(-1)?.isRepeated ? [] : positionals.slice(parameters.length);
  if (extra !== undefined) throw new UsageError(`Unexpected argument '${extra}' after tramontane ${path}. ${see}`);

  for (const [name, { choices }] of Object.entries(options)) checkChoice(`--${name}`, values[name], choices);
  for (const [index, { name, choices }] of parameters.entries()) checkChoice(`<${name}>`, positionals[index], choices);

  const given = (name: string) => {
    const at = parameters.findIndex((parameter) => parameter.name === name);
    if (at === -1) throw new Error(`The command has no parameter '${name}'.`);
    return positionals[at];
  };
  return {
    flag: (name) => declared(options, name) && values[name] === true,
    text(name) {
      declared(options, name);
      const value = values[name];
      return typeof value === 'string' ? value : undefined;
    },
    parameter(name) {
      const value = given(name);
      if (value === undefined) throw new Error(`The parameter '${name}' is optional.`);
      return value;
    },
    optionalParameter: given,
    parameters: (name) => (given(name) === undefined ? [] : positionals.slice(parameters.length - 1)),
  };
}

function parse(words: string[], options: Record<string, Option>, see: string) {
  const config = Object.fromEntries([
    ...Object.entries(options).map(([name, { value, short }]) => [
      name,
      { type: value ? 'string' : 'boolean', ...(short && { short }) } as const,
    ]),
    ['help', { type: 'boolean', short: 'h' } as const],
  ]);
  // An import of node:util would load all of it, which takes several milliseconds.
  const { parseArgs } = process.getBuiltinModule('node:util');
  const { tokens } = parseArgs({ args: words, options: config, strict: false, tokens: true, allowPositionals: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (!option) throw unknownOption(token.rawName, Object.keys(options), see);
    const isGiven = typeof token.value === 'string' && (token.inlineValue === true || !token.value.startsWith('-'));
    if (option.value && !isGiven)
      throw new UsageError(`${token.rawName} needs a value: ${token.rawName} ${option.value}`);
    if (!option.value && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value.`);
  }
  const { values, positionals } = parseArgs({ args: words, options: config, strict: true, allowPositionals: true });
  return { values: values as Record<string, string | boolean | undefined>, positionals };
}

function unknownOption(given: string, known: string[], see: string): UsageError {
  const suggestion = nearest(given.replace(/^-+/, ''), known);
  return new UsageError(
    `${given} is not an option of this command. ${suggestion ? `Did you mean --${suggestion}?` : see}`,
  );
}

function checkChoice(name: string, value: string | boolean | undefined, choices?: readonly string[]): void {
  if (typeof value !== 'string' || !choices || choices.includes(value)) return;
  const suggestion = nearest(value, choices);
  const hint = suggestion ? ` Did you mean ${suggestion}?` : '';
  throw new UsageError(`${name} must be one of ${choices.join(', ')}, not '${value}'.${hint}`);
}

function declared(options: Record<string, Option>, name: string): true {
  if (!Object.hasOwn(options, name)) throw new Error(`The command has no option '${name}'.`);
  return true;
}
