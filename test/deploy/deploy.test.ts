import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { FileConfig } from '../../src/config/schema.ts';
import { loadConfig } from '../../src/config.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8');
const PORT = '4747';
/** Seconds that a process manager must give beyond the drain, for the closing of what is open. */
const LEAST_DRAIN_MARGIN_S = 5;

type Service = {
  image?: string;
  build?: string;
  command?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: string[] | Record<string, unknown>;
  ports?: string[];
  stop_grace_period?: string;
};
type Compose = { services: Record<string, Service>; volumes: Record<string, unknown> };

/** Variables that the program warns of are not known to it. */
function unknownVariables(names: string[]): string[] {
  const ours = names.filter((name) => name.startsWith('TRAMONTANE_'));
  const { warnings } = loadConfig({
    TRAMONTANE_DATA_DIR: '/nowhere',
    ...Object.fromEntries(ours.map((name) => [name, ''])),
  });
  return warnings;
}

describe.each(['deploy/compose.yaml', 'deploy/compose.cluster.yaml'])('%s', (path) => {
  const { services, volumes } = parse(read(path), { merge: true }) as Compose;
  const named = Object.entries(services);

  it('names only services, volumes and files that are there', () => {
    for (const [name, { depends_on = [], volumes: mounts = [], build, image }] of named) {
      const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
      expect([name, needed.filter((other) => !(other in services))]).toEqual([name, []]);
      expect([name, image ?? build]).not.toEqual([name, undefined]);
      for (const source of mounts.map((mount) => mount.split(':', 1).join()))
        if (!source.startsWith('.')) expect(volumes).toHaveProperty(source);
        else if (source !== './workflows')
          expect([source, existsSync(`${root}/deploy/${source}`)]).toEqual([source, true]);
    }
  });

  it('sets only variables that the program knows, and gives it more time to stop than it takes', () => {
    const drain = FileConfig.parse({}).server.drain_seconds;
    const ours = named.filter(([, { image }]) => image === 'tramontane');
    expect(ours.length).toBeGreaterThan(0);
    for (const [, { environment = {}, stop_grace_period = '0s' }] of ours) {
      expect(unknownVariables(Object.keys(environment))).toEqual([]);
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThanOrEqual(drain + LEAST_DRAIN_MARGIN_S);
    }
  });

  it('publishes the port of the program to this machine only', () => {
    const published = named.flatMap(([, { ports = [] }]) => ports);
    expect(published).toEqual([`127.0.0.1:${PORT}:${PORT}`]);
  });
});

describe('deploy/compose.cluster.yaml', () => {
  const { services } = parse(read('deploy/compose.cluster.yaml'), { merge: true }) as Compose;
  const servers = Object.keys(services).filter((name) => name.startsWith('server-'));

  it('has three servers that share their database and their files, all of them behind the balancer', () => {
    expect(servers).toHaveLength(3);
    const [first] = servers.map((name) => services[name]);
    for (const name of servers) {
      expect(services[name]?.environment?.TRAMONTANE_DATABASE_URL).toBe(first?.environment?.TRAMONTANE_DATABASE_URL);
      expect(services[name]?.volumes).toContain('data:/srv/tramontane/data');
      expect(read('deploy/Caddyfile')).toContain(`${name}:${PORT}`);
    }
  });

  it('lets the balancer ask who is ready, and call the servers by a name that they answer to', () => {
    expect(read('deploy/Caddyfile')).toMatch(/health_uri \/readyz/);
    expect(read('deploy/Caddyfile')).not.toMatch(/^\s*flush_interval/m);
    const worker = services.worker?.environment?.TRAMONTANE_URL ?? '';
    expect(services[servers[0] ?? '']?.environment?.TRAMONTANE_ALLOWED_HOSTS?.split(',')).toContain(
      new URL(worker).hostname,
    );
  });
});

type Manifest = {
  kind: string;
  metadata: { name: string; namespace?: string };
  // biome-ignore lint/suspicious/noExplicitAny: manifests of many kinds; what is read of them is checked by the test.
  [field: string]: any;
};

describe('deploy/kubernetes/tramontane.yaml', () => {
  const documents = parseAllDocuments(read('deploy/kubernetes/tramontane.yaml'));
  const manifests = documents.map((document) => document.toJS() as Manifest);
  const find = (kind: string, name: string) =>
    manifests.find((each) => each.kind === kind && each.metadata.name === name);
  const server = find('Deployment', 'tramontane');
  const container = server?.spec.template.spec.containers[0];

  it('parses, and everything but the namespace is in the namespace', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    for (const { kind, metadata } of manifests)
      if (kind !== 'Namespace')
        expect([kind, metadata.name, metadata.namespace]).toEqual([kind, metadata.name, 'tramontane']);
    expect(manifests.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['Deployment', 'Service', 'Ingress', 'HorizontalPodAutoscaler', 'PodDisruptionBudget']),
    );
  });

  it('sets only variables that the program knows, from keys that are there', () => {
    const secret = Object.keys(find('Secret', 'tramontane')?.stringData);
    const config = find('ConfigMap', 'tramontane')?.data as Record<string, string>;
    const named = container.env as { name: string; valueFrom: { configMapKeyRef: { key: string } } }[];
    expect(unknownVariables([...secret, ...named.map(({ name }) => name)])).toEqual([]);
    for (const { valueFrom } of named) expect(config).toHaveProperty([valueFrom.configMapKeyRef.key]);
    const file = parse((config['tramontane.yaml'] ?? '').replace('${UPSTREAM_API_KEY}', 'x'));
    expect(() => FileConfig.parse(file)).not.toThrow();
  });

  it('asks the port of the program whether it is alive and ready, and gives it the time to drain', () => {
    const config = find('ConfigMap', 'tramontane')?.data as Record<string, string>;
    const drain = FileConfig.parse(parse((config['tramontane.yaml'] ?? '').replace('${', '$ {'))).server.drain_seconds;
    const [port] = container.ports;
    expect(port).toMatchObject({ name: 'http', containerPort: Number(PORT) });
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
      expect(container[probe].httpGet.port).toBe('http');
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect(container.livenessProbe.httpGet.path).toBe('/healthz');
    const pause = Number(container.lifecycle.preStop.exec.command[1]);
    expect(server?.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      drain + pause + LEAST_DRAIN_MARGIN_S,
    );
  });

  it('points services, budgets and the ingress at what is there', () => {
    const labels = server?.spec.template.metadata.labels;
    expect(find('Service', 'tramontane')?.spec.selector).toEqual(labels);
    expect(find('PodDisruptionBudget', 'tramontane')?.spec.selector.matchLabels).toEqual(labels);
    expect(find('PodDisruptionBudget', 'tramontane')?.spec.minAvailable).toBeLessThan(server?.spec.replicas);
    expect(find('HorizontalPodAutoscaler', 'tramontane')?.spec.scaleTargetRef.name).toBe(server?.metadata.name);
    const paths = find('Ingress', 'tramontane')?.spec.rules[0].http.paths as {
      backend: { service: { name: string } };
    }[];
    for (const { backend } of paths) expect(find('Service', backend.service.name)).toBeDefined();
    const volumes = server?.spec.template.spec.volumes;
    for (const { name } of container.volumeMounts) expect(volumes).toContainEqual(expect.objectContaining({ name }));
    expect(find('PersistentVolumeClaim', 'tramontane-data')?.spec.accessModes).toEqual(['ReadWriteMany']);
  });
});

describe('Dockerfile', () => {
  const lines = read('Dockerfile').split('\n');
  const ignored = read('.dockerignore').split('\n');

  it('copies only what is there and what the context holds', () => {
    const copied = lines.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
    expect(copied.length).toBeGreaterThan(5);
    for (const path of copied) {
      expect([path, existsSync(`${root}/${path}`)]).toEqual([path, true]);
      expect(ignored).toContain(`!${path.split('/')[0]}`);
    }
  });

  it('runs as a user without rights, on the port that is asked for its health, with the code of workers', () => {
    const text = lines.join('\n');
    expect(text).toMatch(/^USER node$/m);
    expect(text).toContain(`EXPOSE ${PORT}`);
    expect(text).toContain('/readyz');
    // `tramontane worker` is made of it.
    expect(text).toContain('COPY packages ./packages');
  });
});
