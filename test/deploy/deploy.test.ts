import { existsSync, readFileSync } from 'node:fs';
import { dirname, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readSiteMap } from '../../guide/site-map.ts';
import { ALWAYS_PACKED } from '../../quality/build/layout.ts';
import { COMMANDS } from '../../src/cli/commands.ts';
import { loadConfig } from '../../src/config/config.ts';
import { FileConfig } from '../../src/config/schema.ts';
import { version } from '../../src/config/version.ts';
import { relativeLinks } from '../docs/read-markdown.ts';
import { sqliteForTests } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';
import { type Manifest, renderOverlay } from './render-overlay.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8');
const defaults = loadConfig({ TRAMONTANE_DATA_DIR: '/nowhere' });
const PORT = String(defaults.port);
const GATEWAY_PORT = String(defaults.temporalGateway.port);
/** Seconds that a process manager must allow beyond the drain, to close open connections. */
const LEAST_DRAIN_MARGIN_S = 5;
const composeSchema = new Ajv2019({ strict: false, validateFormats: false }).compile(
  JSON.parse(read('test/deploy/compose.schema.json')),
);
const PROBES = ['startupProbe', 'readinessProbe', 'livenessProbe'] as const;
const DATA_DIR = /TRAMONTANE_DATA_DIR=(\S+)/.exec(read('Dockerfile'))?.[1] ?? '';

type Service = {
  image?: string;
  build?: string;
  command?: string[];
  read_only?: boolean;
  tmpfs?: string[];
  mem_limit?: string;
  cap_drop?: string[];
  security_opt?: string[];
  environment?: Record<string, string>;
  volumes?: string[];
  depends_on?: string[] | Record<string, unknown>;
  ports?: string[];
  stop_grace_period?: string;
};
type Compose = { services: Record<string, Service>; volumes: Record<string, unknown> };

/** The program with an existing command. */
function isOurCommand([program, command = '']: string[]): boolean {
  return program === 'tramontane' && isCommand(command);
}

const isCommand = (name: string) => COMMANDS.some((command) => command.name === name);

/** Variables that the program warns about are unknown to it. */
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
  const ours = named.filter(([, { image }]) => image?.startsWith('tramontane'));

  it('is what the schema of compose files allows', () => {
    expect([composeSchema(parse(read(path), { merge: true })), composeSchema.errors]).toEqual([true, null]);
    expect(composeSchema({ services: { server: { imag: 'tramontane' } } })).toBe(false);
  });

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
    expect(ours.length).toBeGreaterThan(0);
    for (const [, { environment = {}, stop_grace_period = '0s' }] of ours) {
      expect(unknownVariables(Object.keys(environment))).toEqual([]);
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThanOrEqual(drain + LEAST_DRAIN_MARGIN_S);
    }
  });

  it('gives the program no right and no place to write that it does not need', () => {
    for (const [name, service] of ours)
      expect([name, service]).toEqual([
        name,
        expect.objectContaining({
          read_only: true,
          tmpfs: ['/tmp'],
          mem_limit: expect.any(String),
          cap_drop: ['ALL'],
          security_opt: ['no-new-privileges:true'],
        }),
      ]);
  });

  it('runs commands that there are', () => {
    for (const [, { command }] of ours) if (command) expect(isOurCommand(command)).toBe(true);
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

  it('lets the balancer check which servers are ready, and call them by a host name that they accept', () => {
    expect(read('deploy/Caddyfile')).toMatch(/health_uri \/readyz/);
    expect(read('deploy/Caddyfile')).not.toMatch(/^\s*flush_interval/m);
    expect(read('deploy/Caddyfile').match(/^:\d+/gm)).toEqual([`:${PORT}`, `:${GATEWAY_PORT}`]);
    const gateway = new URL(services[servers[0] ?? '']?.environment?.TRAMONTANE_TEMPORAL_GATEWAY_URL ?? '');
    expect([services[gateway.hostname]?.image, gateway.port]).toEqual(['caddy:2', GATEWAY_PORT]);
    for (const name of servers) expect(read('deploy/Caddyfile')).toContain(`h2c://${name}:${GATEWAY_PORT}`);
    const worker = services.worker?.environment?.TRAMONTANE_URL ?? '';
    expect(services[servers[0] ?? '']?.environment?.TRAMONTANE_ALLOWED_HOSTS?.split(',')).toContain(
      new URL(worker).hostname,
    );
  });
});

const KUBERNETES = `${root}/deploy/kubernetes`;
const WORKERS = { components: ['../../components/workers'] };
const schemas = JSON.parse(read('test/deploy/kubernetes.schema.json')) as { kinds: object; definitions: object };
const ajv = new Ajv({ strict: false, validateFormats: false });
ajv.addSchema({ ...schemas, $id: 'kubernetes' });

/** What Kubernetes itself would refuse, by its published schemas; a property that it does not know counts. */
function kubernetesMistakes(manifest: Manifest): string[] {
  const validate = ajv.getSchema(`kubernetes#/kinds/${manifest.kind}`);
  if (!validate) return [`no schema for ${manifest.kind}`];
  return validate(manifest)
    ? []
    : (validate.errors ?? []).map((error) => `${manifest.kind}${error.instancePath} ${error.message}`);
}

describe.each([
  ['single', {}],
  ['cluster', {}],
  ['cluster', WORKERS],
])('deploy/kubernetes/overlays/%s %j', (overlay, more) => {
  const manifests = renderOverlay(`${KUBERNETES}/overlays/${overlay}`, more);
  const find = (kind: string, name: string) =>
    manifests.find((each) => each.kind === kind && each.metadata.name === name);
  const server = find('Deployment', 'tramontane');
  const container = server?.spec.template.spec.containers[0];
  const pods = manifests
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ metadata, spec }) => ({ name: metadata.name, pod: spec.template.spec }));
  const settings = find('ConfigMap', 'tramontane-settings')?.data as Record<string, string>;
  const config = find('ConfigMap', 'tramontane-config')?.data as Record<string, string>;
  const file = parse((config['tramontane.yaml'] ?? '').replaceAll(/\$\{\w+\}/g, 'x'));

  it('is what the schemas of Kubernetes allow, in one namespace', () => {
    expect(manifests.flatMap(kubernetesMistakes)).toEqual([]);
    const namespaces = manifests.filter(({ kind }) => kind !== 'Namespace').map(({ metadata }) => metadata.namespace);
    expect([...new Set(namespaces)]).toEqual(['tramontane']);
    expect(find('Namespace', 'tramontane')).toBeDefined();
  });

  it('sets only variables and keys that the program knows, and uses only objects that are there', () => {
    const secret = Object.keys(find('Secret', 'tramontane')?.stringData ?? {});
    const named = pods.flatMap(({ pod }) => (pod.containers[0].env as { name: string }[]).map(({ name }) => name));
    expect(unknownVariables([...secret, ...named, ...Object.keys(settings)])).toEqual([]);
    expect(() => FileConfig.parse(file)).not.toThrow();
    expect(() => loadConfig({ ...settings, TRAMONTANE_DATA_DIR: '/nowhere' })).not.toThrow();
    for (const { configMapRef, secretRef } of container.envFrom) {
      if (configMapRef) expect(find('ConfigMap', configMapRef.name)).toBeDefined();
      if (secretRef) expect(secretRef.optional || find('Secret', secretRef.name)).toBeTruthy();
    }
    for (const { persistentVolumeClaim, configMap } of server?.spec.template.spec.volumes ?? []) {
      if (persistentVolumeClaim) expect(find('PersistentVolumeClaim', persistentVolumeClaim.claimName)).toBeDefined();
      if (configMap) expect(find('ConfigMap', configMap.name)).toBeDefined();
    }
    for (const { name } of container.volumeMounts)
      expect(server?.spec.template.spec.volumes).toContainEqual(expect.objectContaining({ name }));
  });

  it('runs the image of this version', () => {
    expect(container.image).toBe(`registry.example.com/tramontane:${version}`);
  });

  it('takes no variable from the names of services, which would be TRAMONTANE_PORT', () => {
    for (const { pod } of pods) expect(pod.enableServiceLinks).toBe(false);
  });

  it('gives the program no right and no place to write that it does not need, and bounds its memory', () => {
    for (const { name, pod } of pods) {
      const [{ securityContext, resources }] = pod.containers;
      expect([name, pod.securityContext.runAsNonRoot, pod.automountServiceAccountToken]).toEqual([name, true, false]);
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: name === 'tramontane',
        capabilities: { drop: ['ALL'] },
      });
      expect(resources).toMatchObject({
        requests: { cpu: expect.any(String) },
        limits: { memory: expect.any(String) },
      });
    }
    const places = (container.volumeMounts as { mountPath: string }[]).map(({ mountPath }) => mountPath);
    expect(places).toEqual(expect.arrayContaining([DATA_DIR, '/tmp']));
  });

  it('opens the ports of the program, by names that services, probes and policies use', () => {
    const ports = new Map(
      (container.ports as { name: string; containerPort: number }[]).map((p) => [p.name, p.containerPort]),
    );
    expect([...ports]).toEqual([
      ['http', Number(PORT)],
      ['gateway', Number(GATEWAY_PORT)],
    ]);
    for (const service of manifests.filter(({ kind }) => kind === 'Service'))
      for (const { targetPort } of service.spec.ports) expect([...ports.keys()]).toContain(targetPort);
    const policy = find('NetworkPolicy', 'tramontane')?.spec;
    const labels = server?.spec.template.metadata.labels;
    expect(policy.podSelector.matchLabels).toEqual(labels);
    expect(find('Service', 'tramontane')?.spec.selector).toEqual(labels);
    const opened = policy.ingress.flatMap((rule: { ports: { port: string }[] }) => rule.ports.map(({ port }) => port));
    expect(opened).toEqual([...ports.keys()]);
    for (const probe of PROBES) expect(container[probe].httpGet.port).toBe('http');
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect(container.livenessProbe.httpGet.path).toBe('/healthz');
  });

  it('gives the program the time to drain', () => {
    const drain = FileConfig.parse(file).server.drain_seconds;
    const pause = Number(container.lifecycle.preStop.exec.command[1]);
    expect(server?.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      drain + pause + LEAST_DRAIN_MARGIN_S,
    );
  });
});

describe('deploy/kubernetes', () => {
  it('has one server where the database is a file, which goes before the next one comes', () => {
    const [server] = renderOverlay(`${KUBERNETES}/overlays/single`).filter(({ kind }) => kind === 'Deployment');
    expect(server?.spec).toMatchObject({ replicas: 1, strategy: { type: 'Recreate' } });
  });

  it('points budgets, the autoscaler, the ingress and workers of a cluster at what is there', () => {
    const manifests = renderOverlay(`${KUBERNETES}/overlays/cluster`, WORKERS);
    const find = (kind: string, name = 'tramontane') =>
      manifests.find((each) => each.kind === kind && each.metadata.name === name);
    const server = find('Deployment');
    expect(find('PodDisruptionBudget')?.spec.selector.matchLabels).toEqual(server?.spec.template.metadata.labels);
    const { minReplicas, scaleTargetRef } = find('HorizontalPodAutoscaler')?.spec ?? {};
    expect(find('PodDisruptionBudget')?.spec.minAvailable).toBeLessThan(minReplicas);
    expect([scaleTargetRef.name, server?.spec.replicas]).toEqual([server?.metadata.name, undefined]);
    const paths = find('Ingress')?.spec.rules[0].http.paths as { backend: { service: { name: string } } }[];
    for (const { backend } of paths) expect(find('Service', backend.service.name)).toBeDefined();
    expect(find('PersistentVolumeClaim', 'tramontane-data')?.spec.accessModes).toEqual(['ReadWriteMany']);
    const workers = find('Deployment', 'tramontane-worker')?.spec.template;
    expect(isOurCommand(workers.spec.containers[0].command)).toBe(true);
    expect(find('NetworkPolicy')?.spec.ingress[1].from[0].podSelector.matchLabels).toEqual(workers.metadata.labels);
    const settings = find('ConfigMap', 'tramontane-settings')?.data as Record<string, string>;
    const gateway = new URL(settings.TRAMONTANE_TEMPORAL_GATEWAY_URL ?? '');
    const [name = '', namespace] = gateway.hostname.split('.');
    expect(find('Service', name)?.metadata.namespace).toBe(namespace);
    expect(find('Service', name)?.spec.ports).toContainEqual(
      expect.objectContaining({ port: Number(gateway.port), targetPort: 'gateway' }),
    );
    const secret = Object.keys(find('Secret')?.stringData);
    const fromSecret = (workers.spec.containers[0].env as { valueFrom?: { secretKeyRef: { key: string } } }[]).flatMap(
      ({ valueFrom }) => valueFrom?.secretKeyRef.key ?? [],
    );
    for (const key of fromSecret) expect(secret).toContain(key);
  });

  it('is checked by schemas that notice a wrong name, a wrong type and a missing field', () => {
    const [server] = renderOverlay(`${KUBERNETES}/overlays/single`).filter(({ kind }) => kind === 'Deployment');
    const spoiled = structuredClone(server) as Manifest;
    spoiled.spec.template.spec.containers[0].volumeMount = [];
    spoiled.spec.template.spec.terminationGracePeriodSeconds = 'long';
    delete spoiled.spec.selector;
    expect(kubernetesMistakes(spoiled).length).toBeGreaterThan(0);
    for (const spoil of [
      (pod: Manifest['spec']) => (pod.containers[0].volumeMount = []),
      (pod: Manifest['spec']) => (pod.terminationGracePeriodSeconds = 'long'),
      (pod: Manifest['spec']) => delete pod.containers[0].name,
    ]) {
      const copy = structuredClone(server) as Manifest;
      spoil(copy.spec.template.spec);
      expect(kubernetesMistakes(copy)).not.toEqual([]);
    }
  });

  describe('and a real server', () => {
    let running: TestServer;
    beforeAll(async () => {
      running = await startTestServer(sqliteForTests());
    });

    it('answers where it is asked for its health and its metrics', async () => {
      const [server] = renderOverlay(`${KUBERNETES}/overlays/cluster`).filter(({ kind }) => kind === 'Deployment');
      const { annotations } = server?.spec.template.metadata ?? {};
      const [container] = server?.spec.template.spec.containers ?? [];
      const asked = [
        ...PROBES.map((probe) => container[probe].httpGet.path as string),
        annotations['prometheus.io/path'],
        /health_uri (\S+)/.exec(read('deploy/Caddyfile'))?.[1],
        /\+ '(\/\w+)'/.exec(read('Dockerfile'))?.[1],
      ];
      expect(asked).toHaveLength(6);
      for (const path of asked) expect([path, (await fetch(running.url + path)).status]).toEqual([path, 200]);
      expect(annotations['prometheus.io/port']).toBe(PORT);
    });
  });
});

describe('Dockerfile', () => {
  const lines = read('Dockerfile').split('\n');
  const ignored = read('.dockerignore').split('\n');

  it('copies only what is there and what the context holds', () => {
    const copied = lines.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
    expect(copied).toContain('.');
    for (const path of copied.filter((name) => name !== '.')) {
      expect([path, existsSync(`${root}/${path}`)]).toEqual([path, true]);
      expect(ignored).toContain(`!${path.split('/')[0]}`);
    }
  });

  it('lets everything into the build that the build reads: what is packed, the pages, and what they link to', () => {
    const { files } = JSON.parse(read('package.json')) as { files: string[] };
    const pages = readSiteMap(root).pages.map(({ source }) => source);
    const links = pages.flatMap((page) => relativeLinks(read(page)).map((link) => posix.join(dirname(page), link)));
    const needed = [...files, ...ALWAYS_PACKED, ...pages, ...links, 'guide', 'src', 'console', 'migrations', 'quality'];
    const tops = new Set(needed.map((path) => path.split(/[/#]/, 1).join()).filter((name) => name !== 'dist'));
    expect(tops).toContain('docs');
    const isLetIn = (name: string) =>
      ignored.includes(`!${name}`) || (name.endsWith('.md') && ignored.includes('!*.md')) || name === '';
    expect([...tops].filter((name) => !isLetIn(name))).toEqual([]);
  });

  it('takes from stages that there are', () => {
    const stages = lines.flatMap((line) => / AS (\S+)$/.exec(line)?.[1] ?? []);
    const taken = lines.flatMap((line) => /^(?:COPY --from=|FROM )([\w-]+)(?: |$)/.exec(line)?.[1] ?? []);
    expect(taken.length).toBeGreaterThan(0);
    for (const stage of taken) expect(stages).toContain(stage);
  });

  it('sets variables that the program knows, and starts it', () => {
    const environment = /^ENV ((?:.*\\\n)*.*)/m.exec(lines.join('\n'))?.[1] ?? '';
    const names = [...environment.matchAll(/(\w+)=/g)].map(([, name = '']) => name);
    expect(names).toContain('TRAMONTANE_PORT');
    expect(unknownVariables(names)).toEqual([]);
    const run = lines.flatMap((line) => (line.startsWith('CMD [') ? [JSON.parse(line.slice(4)) as string[]] : []));
    expect(run).toEqual([['tramontane', 'start']]);
    expect(isOurCommand(run[0] ?? [])).toBe(true);
  });

  it('runs as a user without rights, on the port that is asked for its health', () => {
    const text = lines.join('\n');
    expect(text).toMatch(/^USER 1000:1000$/m);
    expect(text).toContain(`EXPOSE ${PORT} ${GATEWAY_PORT}\n`);
    expect(text).toContain('/readyz');
  });
});
