import { findEncodedPayload } from './find-encoded-payload.ts';
import { findHiddenUnicode } from './find-hidden-unicode.ts';
import { findNetworkToShell } from './find-network-to-shell.ts';
import { findRawAddress } from './find-raw-address.ts';
import type { Finding, IntakeRule, LineRule } from './finding.ts';
import { LINE_END, logicalLines } from './logical-lines.ts';
import { isNativeProgram } from './native-programs.ts';

const LINE_RULES: Record<Exclude<IntakeRule, 'native-program'>, LineRule> = {
  'network-to-shell': findNetworkToShell,
  'encoded-payload': findEncodedPayload,
  'raw-address-url': findRawAddress,
  'hidden-unicode': findHiddenUnicode,
};
const FINDINGS_PER_FILE_MAX = 20;

/** The findings in one text, sorted by line. */
export function scanText(file: string, text: string): Finding[] {
  const lines = logicalLines(text);
  // On a joined line the number of the original line would be lost.
  const plain = text.split(LINE_END).map((line, index) => ({ text: line, line: index + 1 }));
  const findings = Object.entries(LINE_RULES).flatMap(([rule, find]) => {
    const found = find(find === findHiddenUnicode ? plain : lines);
    return [...new Set(found)].map((line) => ({ rule: rule as IntakeRule, file, line }));
  });
  return findings.sort((one, other) => one.line - other.line).slice(0, FINDINGS_PER_FILE_MAX);
}

/** The findings in any file. A shell may run a file that is not UTF-8 too, so that is scanned as Latin-1. */
export function scanFile(path: string, bytes: Buffer): Finding[] {
  const file = `assets/${path}`;
  const inName = findHiddenUnicode([{ text: path, line: 0 }]).map((line) => finding('hidden-unicode', file, line));
  if (isNativeProgram(bytes)) return [...inName, finding('native-program', file, 0)];
  const text = decodeText(bytes);
  const findings = scanText(file, text ?? bytes.toString('latin1'));
  // In binary data most findings of hidden characters would be false.
  return [...inName, ...findings.filter(({ rule }) => text !== undefined || rule !== 'hidden-unicode')];
}

function finding(rule: IntakeRule, file: string, line: number): Finding {
  return { rule, file, line };
}

function decodeText(bytes: Buffer): string | undefined {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
