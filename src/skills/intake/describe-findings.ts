import { ValidationFailed, type ValidationItem } from '../../kit/http/index.ts';
import type { Finding } from './finding.ts';

const HEADER = 'tramontane-intake-findings';
const SHOWN_MAX = 20;
const RECORDED_MAX = 100;

/** `network-to-shell assets/install.sh:3, hidden-unicode body:12`. */
function describe(findings: readonly Finding[], shownMax: number, encode: (file: string) => string): string {
  const words = findings.slice(0, shownMax).map(({ rule, file, line }) => `${rule} ${encode(file)}:${line}`);
  return [...words, ...(findings.length > shownMax ? ['...'] : [])].join(', ');
}

/** For the answer; a header holds ASCII only, and not much of it. */
export function findingHeaders(findings: readonly Finding[]): Record<string, string> {
  return findings.length === 0 ? {} : { [HEADER]: describe(findings, SHOWN_MAX, encodeURI) };
}

/** For the audit log. */
export function findingDetails(findings: readonly Finding[]): Record<string, string> {
  if (findings.length === 0) return {};
  return { findings: describe(findings, RECORDED_MAX, (file) => file), findings_count: String(findings.length) };
}

/** For a workspace that takes no skill with findings. */
export function refuseFindings(findings: readonly Finding[]): ValidationFailed {
  return new ValidationFailed(
    findings.slice(0, RECORDED_MAX).map(({ rule, file, line }): ValidationItem => {
      const place = file.startsWith('assets/') ? ['assets', file.slice('assets/'.length)] : [file];
      const where = line === 0 ? '' : ` on line ${line}`;
      const msg = `Value error, ${rule}: the intake scan of this workspace refuses what it found${where}`;
      return { type: 'value_error', loc: ['body', 'definition', ...place], msg, ctx: { rule, line } };
    }),
  );
}
