import { runsDownload } from './find-network-to-shell.ts';
import type { LineRule, LogicalLine } from './finding.ts';
import { commandsOf } from './logical-lines.ts';
import { isNativeProgram } from './native-programs.ts';
import { flowsIntoShell, HEAD_CHARACTERS } from './pipelines.ts';

const DECODE =
  /(?<![\w.-])(?:g?base(?:64|32)\b.*\s(?:-d|-D|-di|-id|--decode)\b|xxd\b.*\s-r|openssl\s.*\s-d\b|uudecode\b|rev\s*$|tr\s.*n-z)|::FromBase64String\s*\(|(?:\\x[0-9a-f]{2}){8}|(?:\\[0-3]?[0-7]{2}){8}/i;
const QUICK =
  /base64|base32|b64|xxd|openssl|uudecode|\brev\b|\btr\s|atob|fromhex|unhexlify|fromcharcode|marshal|decompress|\\x|\\[0-7]{2}|-e/i;

const PATTERNS = [
  // bash -c "$(echo … | base64 -d)", eval "$(base64 -d <<< …)"
  /(?<![\w./-])(?:(?:ba|z|k|da)?sh|eval|source|exec|\.)\s+(?:-\w+\s+){0,4}(?:["']\s*)?(?:\$\(|`|<\()[^)\n]{0,500}\bbase(?:64|32)\s+(?:-d|-D|-di|--decode)\b/i,
  // exec(base64.b64decode(…)), eval(atob(…)), eval(base64_decode(…)), eval(Buffer.from('…', 'base64')…)
  /(?<![.\w])(?:(?:window|globalThis|builtins)\.)?(?:exec|eval|Function|assert)\s*\([^;\n]{0,160}(?:b64decode|base64_decode|\batob\s*\(|fromhex\s*\(|unhexlify|zlib\.decompress|codecs\.decode|marshal\.loads|gzinflate|String\.fromCharCode|Buffer\.from\s*\([^\n]{0,300}["'](?:base64|hex)["'])/,
  // powershell -EncodedCommand SQBFAFgA…
  /\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]{0,200}\s[-/]e(?:c|nc|ncodedcommand)?\s+["']?[A-Za-z0-9+/]{16,}/i,
];

const LITERAL_CHARACTERS_MIN = 48;
const BASE64 = /[A-Za-z0-9+/]{48,}={0,2}/g;
const BASE64_LINE = /^\s*[A-Za-z0-9+/]{32,}={0,2}\s*$/;
const HEX = /(?:\\x[0-9a-f]{2}){24,20000}|[0-9a-f]{64,}/gi;
const DECODED_BYTES_MAX = 256 * 1024;

/** Unreadable code: a payload decoded into a shell, or a long literal that decodes to a program. */
export const findEncodedPayload: LineRule = (lines) => [
  ...lines.filter(({ text }) => QUICK.test(text) && commandsOf(text).some(decodesIntoShell)).map(({ line }) => line),
  ...joinWrapped(lines)
    .filter(({ text }) => hidesProgram(text))
    .map(({ line }) => line),
];

function decodesIntoShell(text: string): boolean {
  return (
    flowsIntoShell(text, (command) => DECODE.test(command.slice(0, HEAD_CHARACTERS))) ||
    PATTERNS.some((pattern) => pattern.test(text))
  );
}

/** Base64 is often wrapped at 76 characters: joins such lines to one literal. */
function joinWrapped(lines: LogicalLine[]): LogicalLine[] {
  const joined: LogicalLine[] = [];
  let isOpen = false;
  for (const { text, line } of lines) {
    const isPart = BASE64_LINE.test(text);
    const before = joined.at(-1);
    if (isPart && isOpen && before) before.text += text.trim();
    else joined.push({ text: isPart ? text.trim() : text, line });
    isOpen = isPart;
  }
  return joined;
}

function hidesProgram(text: string): boolean {
  if (text.length < LITERAL_CHARACTERS_MIN) return false;
  for (const [literal] of text.matchAll(BASE64)) {
    if (isProgram(Buffer.from(literal.slice(0, DECODED_BYTES_MAX), 'base64'))) return true;
  }
  for (const [literal] of text.matchAll(HEX)) {
    if (isProgram(Buffer.from(literal.replaceAll('\\x', '').slice(0, DECODED_BYTES_MAX), 'hex'))) return true;
  }
  return false;
}

function isProgram(bytes: Buffer): boolean {
  if (isNativeProgram(bytes) || /^#!\s*\//.test(bytes.toString('latin1', 0, 8))) return true;
  // Every second byte of English text in UTF-16 is zero.
  const text = bytes.toString(bytes[1] === 0 ? 'utf16le' : 'utf8');
  return text.split('\n').some(runsDownload);
}
