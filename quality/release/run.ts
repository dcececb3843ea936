import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pull } from '../../src/engines/weights/pull.ts';
import { packInto } from '../build/stage-package.ts';
import { createDebianRoot } from './debian-root.ts';
import { listEntries } from './list-entries.ts';
import { type Architecture, HELP, parseOptions, type ReleaseOptions, WrongUsage } from './options.ts';
import { planRelease, type ReleasePlan, WEIGHTS } from './plan-release.ts';
import { type Inside, readInside } from './read-inside.ts';
import { stageProgram } from './stage-program.ts';
import { writeImage } from './write-image.ts';
import { writeNotices } from './write-notices.ts';
import { writeSbom } from './write-sbom.ts';
import { type TarEntry, writeTarGz } from './write-tar.ts';

type Written = { file: string; bytes: number; sha256: string; unpackedBytes?: number };

const tell = (text: string) => void process.stderr.write(`release: ${text}\n`);
try {
  const options = parseOptions(process.argv.slice(2), process.env);
  if (options === 'help') process.stdout.write(HELP);
  else await release(options);
} catch (error) {
  if (!(error instanceof WrongUsage)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}

async function release(options: ReleaseOptions): Promise<void> {
  const plan = planRelease(options, process.env);
  for (const warning of plan.warnings) tell(`warning: ${warning}`);
  if (options.isDryRun) return showPlan(plan, options);
  const workDir = join(options.outDir, '.work');
  rmSync(workDir, { recursive: true, force: true });
  mkdirSync(workDir, { recursive: true });
  tell('building the package');
  const tarball = await packInto(workDir);
  const inside = readInside(join(workDir, 'stage/dist'));
  const weights = options.withWeights ? await fetchWeights(options.modelsDir) : [];
  const written: Written[] = [];
  for (const architecture of options.architectures)
    written.push(...(await releaseFor(architecture, { plan, options, workDir, tarball, inside, weights })));
  rmSync(workDir, { recursive: true });
  const sums = written
    .map(({ file, sha256 }) => `${sha256}  ${file}`)
    .sort((left, right) => (left.slice(66) < right.slice(66) ? -1 : 1));
  writeFileSync(join(options.outDir, 'SHA256SUMS'), `${sums.join('\n')}\n`);
  const lines = written.map(
    ({ file, bytes, unpackedBytes }) =>
      `${file.padEnd(52)} ${megabytes(bytes)}${unpackedBytes ? `, unpacked ${megabytes(unpackedBytes)}` : ''}`,
  );
  process.stdout.write(
    options.isJson
      ? `${JSON.stringify({ version: plan.version, out: options.outDir, written })}\n`
      : `${lines.join('\n')}\nin ${options.outDir}\n`,
  );
}

type Work = {
  plan: ReleasePlan;
  options: ReleaseOptions;
  workDir: string;
  tarball: string;
  inside: Inside;
  weights: string[];
};

async function releaseFor(
  architecture: Architecture,
  { plan, options, workDir, tarball, inside, weights }: Work,
): Promise<Written[]> {
  const { version, mtime } = plan;
  const name = `tramontane-${version}-linux-${architecture}`;
  const dir = join(workDir, name);
  const packages = stageProgram(dir, architecture, { tarball, omit: options.omit, tell });
  const notices = writeNotices(packages, dir, inside.notices);
  const sbomOf = (archive: string, ids: string[]) =>
    writeSbom({ name: archive, version, mtime, packages, inside: inside.components, weights: ids });
  writeFileSync(join(dir, 'THIRD-PARTY-NOTICES.txt'), notices);
  const written: Written[] = [];
  const beside = (file: string, text: string) => {
    writeFileSync(join(options.outDir, file), text);
    written.push(describe(options.outDir, file));
  };
  const archive = async (archiveName: string, ids: string[], files: string[]) => {
    tell(`writing ${archiveName}.tar.gz`);
    const sbom = sbomOf(archiveName, ids);
    beside(`${archiveName}.cdx.json`, sbom);
    // Both archives unpack into the same directory, so that one can replace the other.
    const entries: TarEntry[] = [
      ...listEntries(dir, name),
      { kind: 'file', path: `${name}/sbom.cdx.json`, mode: 0o644, source: Buffer.from(sbom) },
      ...(files.length > 0 ? [{ kind: 'dir', path: `${name}/models`, mode: 0o755 } as const] : []),
      ...files.map(
        (source) =>
          ({ kind: 'file', path: `${name}/models/${source.split('/').at(-1)}`, mode: 0o644, source }) as const,
      ),
    ];
    const { bytes, sha256, plainBytes } = await writeTarGz(
      join(options.outDir, `${archiveName}.tar.gz`),
      entries,
      mtime,
    );
    written.push({ file: `${archiveName}.tar.gz`, bytes, sha256, unpackedBytes: plainBytes });
  };
  await archive(name, [], []);
  if (weights.length > 0) await archive(`${name}-weights`, WEIGHTS, weights);
  beside(`${name}.THIRD-PARTY-NOTICES.txt`, notices);
  if (options.withImage) {
    tell(`linux-${architecture}: unpacking Debian packages`);
    const root = join(workDir, `root-${architecture}`);
    createDebianRoot(root, architecture, workDir);
    tell(`writing ${name}.oci.tar`);
    const file = `${name}.oci.tar`;
    const given = { root, program: dir, architecture, version, mtime, workDir };
    await writeImage({ file: join(options.outDir, file), ...given });
    written.push(describe(options.outDir, file));
  }
  return written;
}

async function fetchWeights(modelsDir: string): Promise<string[]> {
  const files: string[] = [];
  for (const model of WEIGHTS) {
    tell(`weights of ${model}`);
    const pulled = await pull({ model, modelsDir, environment: process.env });
    files.push(...pulled.files.map(({ file }) => file));
  }
  return files;
}

function describe(dir: string, file: string): Written {
  const content = readFileSync(join(dir, file));
  return { file, bytes: content.length, sha256: hash('sha256', content) };
}

function showPlan(plan: ReleasePlan, { outDir, isJson }: ReleaseOptions): void {
  if (isJson) return void process.stdout.write(`${JSON.stringify({ ...plan, out: outDir })}\n`);
  const native = Object.entries(plan.native).flatMap(([architecture, features]) =>
    Object.entries(features).map(
      ([feature, found]) => `  linux-${architecture}  ${feature.padEnd(10)} ${found ?? 'MISSING: no package'}`,
    ),
  );
  const lines = [
    `Tramontane ${plan.version}, nothing is written (--dry-run)`,
    ...['', `To ${outDir}:`, ...plan.outputs.map((file) => `  ${file}`)],
    ...['', 'Compiled code:', ...native],
    ...(plan.weights.length > 0 ? ['', 'Weights:', ...plan.weights.map((file) => `  ${file}`)] : []),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
