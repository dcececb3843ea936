import { commandsOf } from './logical-lines.ts';

/** Only the start of a long command is checked: the program and its options come first. */
export const HEAD_CHARACTERS = 400;

const WRAPPERS = String.raw`(?:(?:sudo|doas|exec|nohup|command|time|env|xargs)\b(?:\s+(?:-\S*|\w+=\S*|\d+|\{\}))*\s+)*`;
const SHELLS = '(?:busybox\\s+sh|(?:ba|z|k|da|a|fi|c|tc)?sh|pwsh|powershell)(?:\\.exe)?';
const INTERPRETERS = '(?:python[\\d.]*|perl|ruby|node|nodejs|php|deno|bun|lua|osascript)';
const OPENING = '^[\\s`"\'({]*';
const PATH = '(?:[\\w.]*/(?:[\\w.-]+/)*)?';

const RUNS_SHELL = new RegExp(`${OPENING}${WRAPPERS}${PATH}${SHELLS}(?![\\w./-])`, 'i');
// `| python3 -m json.tool` and `| node script.js` read data; an interpreter without a script runs its input.
const RUNS_STDIN = new RegExp(`${OPENING}${WRAPPERS}${PATH}${INTERPRETERS}(?:\\s+-(?=\\s|$).*)?[\\s\`"')}]*$`, 'i');
const RUNS_EXPRESSION = /^\s*(?:[&.]\s*)?(?:iex|invoke-expression)\b/i;

/** The pipelines of a line: `a | b; c | d` is [[a, b], [c, d]]. */
export function pipelinesOf(line: string): string[][] {
  if (!line.includes('|')) return [];
  return commandsOf(line)
    .flatMap((command) => command.split(/;|&&|\|\|/))
    .map((command) => command.split(/\|&?/))
    .filter((segments) => segments.length > 1);
}

/** Whether the command runs its standard input as a program. */
export function runsItsInput(command: string): boolean {
  const head = command.slice(0, HEAD_CHARACTERS).trimEnd();
  return RUNS_SHELL.test(head) || RUNS_STDIN.test(head) || RUNS_EXPRESSION.test(head);
}

/** Whether the output of a source is piped into a command that runs it. */
export function flowsIntoShell(line: string, isSource: (command: string) => boolean): boolean {
  return pipelinesOf(line).some((segments) => {
    const source = segments.findIndex(isSource);
    return source >= 0 && segments.slice(source + 1).some(runsItsInput);
  });
}
