import type { LineRule } from './finding.ts';
import { commandsOf } from './logical-lines.ts';
import { flowsIntoShell } from './pipelines.ts';

const FETCH = /(?<![\w./-])(?:curl|wget|aria2c|lynx|iwr|irm|invoke-webrequest|invoke-restmethod)(?:\.exe)?\s+\S/i;
const FETCH_METHOD = /\.(?:downloadstring|downloaddata)\s*\(/i;
// A URL, a variable or a placeholder: `| curl | bash |` in a table of tools downloads nothing.
const TARGET = /:\/\/|[$<{%]|[\w-]\.[a-z]{2,}/i;

const OUTPUT = /\s(?:-o|-O|--output|--output-document|>)[\s=]*([^\s"'`]{1,200})/;
const RUN_FILE = /^\s*(?:sudo\s+)?(?:(?:ba|z|k|da)?sh|python[\d.]*|source|\.)\s+(?:-\w+\s+){0,4}([^\s"'`)]{1,200})/;

const FETCHER = '(?:curl|wget|iwr|irm|invoke-webrequest|invoke-restmethod)';
const SUBSTITUTION = '(?:\\$\\(|`|<\\(|@\\()\\s*(?:sudo\\s+)?';
const QUICK = /curl|wget|iwr|irm|invoke-|download|urlopen|urllib|requests|httpx|fetch|axios|http/i;

const PATTERNS = [
  // bash -c "$(curl …)", bash <(curl …), eval "$(wget …)", source <(curl …)
  new RegExp(
    `(?<![\\w./-])(?:(?:ba|z|k|da)?sh|eval|source|exec|\\.)\\s+(?:-\\w+\\s+){0,4}(?:["']\\s*)?${SUBSTITUTION}${FETCHER}\\b`,
    'i',
  ),
  // iex (iwr …), iex ((New-Object Net.WebClient).DownloadString('…'))
  /(?<![\w.-])(?:iex|invoke-expression)\b[^;|\n]{0,100}(?:\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|curl|wget)\b|downloadstring)/i,
  // exec(urlopen(…).read()), eval(await (await fetch(…)).text()), new Function(await (await fetch(…)).text())
  /(?<![.\w])(?:(?:window|globalThis|builtins)\.)?(?:exec|eval|Function)\s*\([^;\n]{0,100}(?:urlopen|urllib|requests\.get|httpx\.get|\bfetch\s*\(|axios|http\.get|file_get_contents\s*\(\s*["']https?|URI\.open|Net::HTTP)/,
];

/** A command that runs what it downloads. */
export const findNetworkToShell: LineRule = (lines) =>
  lines.filter(({ text }) => commandsOf(text).some(runsDownload)).map(({ line }) => line);

export function runsDownload(text: string): boolean {
  if (!QUICK.test(text)) return false;
  return flowsIntoShell(text, isFetch) || runsSavedFile(text) || PATTERNS.some((pattern) => pattern.test(text));
}

/** curl -o install.sh … && bash install.sh */
function runsSavedFile(text: string): boolean {
  const saved = new Set<string>();
  return text.split(/&&|;/).some((command) => {
    const file = RUN_FILE.exec(command)?.[1]?.replace(/^\.\//, '');
    const target = FETCH.test(command) ? OUTPUT.exec(command)?.[1] : undefined;
    if (target !== undefined) saved.add(target.replace(/^\.\//, ''));
    return file !== undefined && saved.has(file);
  });
}

function isFetch(command: string): boolean {
  return (FETCH.test(command) && TARGET.test(command)) || FETCH_METHOD.test(command);
}
