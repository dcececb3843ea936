import { z } from 'zod';
import type { NpmRegistry } from '../config/npm-registry.ts';
import { createOutbound, OutboundError } from '../kit/outbound/index.ts';
import { CommandFailure } from './command-failure.ts';

const PACKAGE = 'tramontane';
const TIMEOUT_MS = 10_000;
const BODY_BYTES_MAX = 4 * 1024 * 1024;

const Packument = z.object({ 'dist-tags': z.object({ latest: z.string().regex(/^\d+\.\d+\.\d+[\w.+-]*$/) }) });

/** Asks the registry for the newest version; nothing but the name of the package is sent. */
export async function findLatestVersion({ url, token }: NpmRegistry, timeoutMs = TIMEOUT_MS): Promise<string> {
  const { host } = new URL(url);
  // The operator chose the registry, which may be inside the company; where it redirects to is checked.
  const outbound = createOutbound({ allow: [host], timeoutMs, bodyBytesMax: BODY_BYTES_MAX });
  try {
    const response = await outbound.fetch(`${url}${PACKAGE}`, {
      headers: {
        accept: 'application/vnd.npm.install-v1+json, application/json;q=0.8',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
    });
    const text = await response.text();
    if (response.status === 404) throw new CommandFailure(`The registry ${host} has no package '${PACKAGE}'.`);
    if (response.status !== 200) throw new CommandFailure(`The registry ${host} responded with ${response.status}.`);
    return parseAnswer(text, host);
  } catch (error) {
    if (error instanceof OutboundError)
      throw new CommandFailure(
        `${error.message} Check the network, or set TRAMONTANE_NPM_REGISTRY to a registry that this machine can reach.`,
      );
    throw error;
  } finally {
    await outbound.close();
  }
}

function parseAnswer(text: string, host: string): string {
  try {
    return Packument.parse(JSON.parse(text))['dist-tags'].latest;
  } catch {
    throw new CommandFailure(`What the registry ${host} sent is not the description of a package.`);
  }
}

/** Whether `other` is newer, by the rules of semantic versioning; a pre-release is older than its release. */
export function isNewer(other: string, than: string): boolean {
  const [left, right] = [parseVersion(other), parseVersion(than)];
  for (const [index, number] of left.numbers.entries()) {
    const difference = number - (right.numbers[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  if (left.pre === right.pre || left.pre !== '') return left.pre > right.pre && right.pre !== '';
  return true;
}

function parseVersion(text: string): { numbers: number[]; pre: string } {
  const [core = '', ...pre] = text.replace(/\+.*$/, '').split('-');
  return { numbers: core.split('.').map(Number), pre: pre.join('-') };
}
