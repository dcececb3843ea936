import { ValidationFailed } from '../../kit/http/index.ts';
import { skillErrors } from '../errors.ts';
import type { Finding } from './finding.ts';

const HEADER = 'tramontane-intake-findings';
const SHOWN_MAX = 20;
const RECORDED_MAX = 100;

/** `network-to-shell assets/install.sh:3, hidden-unicode body:12`. */
function describe(findings: readonly Finding[], shownMax: number, encode: (file: string) => string): string {
  const words = findings.slice(0, shownMax).map(({ rule, file, line }) => `${rule} ${encode(file)}:${line}`);
  return [...words, ...(findings.length > shownMax ? ['...'] : [])].join(', ');
}

/** Headers are ASCII, and have a length limit. */
export function findingHeaders(findings: readonly Finding[]): Record<string, string> {
  return findings.length === 0 ? {} : { [HEADER]: describe(findings, SHOWN_MAX, encodeURI) };
}

/** For the audit log. */
export function findingDetails(findings: readonly Finding[]): Record<string, string> {
  if (findings.length === 0) return {};
  return { findings: describe(findings, RECORDED_MAX, (file) => file), findings_count: String(findings.length) };
}

/** For a workspace whose policy is `refuse`. */
export function refuseFindings(findings: readonly Finding[]): ValidationFailed {
  return new ValidationFailed(
    findings.slice(0, RECORDED_MAX).map(({ rule, file, line }) => {
      const path = file.startsWith('assets/') ? ['assets', file.slice('assets/'.length)] : [file];
      const where = line === 0 ? '' : ` on line ${line}`;
      const msg = `${rule}: the intake scan of this workspace refuses what it found${where}`;
      return skillErrors.skill_intake_refused.item(['body', 'definition', ...path], msg, undefined, { rule, line });
    }),
  );
}
