import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { COMMANDS } from '../../src/cli/commands.ts';
import { loadConfig } from '../../src/config/config.ts';
import { FileConfig } from '../../src/config/schema.ts';
import { sqliteForTests } from '../support/databases.ts';
import { startTestServer, type TestServer } from '../support/server.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8');
const defaults = loadConfig({ TRAMONTANE_DATA_DIR: '/nowhere' });
const PORT = String(defaults.port);
const GATEWAY_PORT = String(defaults.temporalGateway.port);
/** Seconds that a process manager must allow beyond the drain, to close open connections. */
const LEAST_DRAIN_MARGIN_S = 5;
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

/** `node bin/tramontane.js` with an existing command, and flags for Node before it. */
function isOurCommand([node, ...args]: string[]): boolean {
  const [script, command = ''] = args.slice(args.findIndex((arg) => !arg.startsWith('--')));
  return node === 'node' && script === 'bin/tramontane.js' && isCommand(command);
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

  const pods = manifests
    .filter(({ kind }) => kind === 'Deployment')
    .map(({ metadata, spec }) => ({ name: metadata.name, pod: spec.template.spec }));

  it('sets only variables that the program knows, from keys that are there', () => {
    const secret = Object.keys(find('Secret', 'tramontane')?.stringData);
    const config = find('ConfigMap', 'tramontane')?.data as Record<string, string>;
    for (const { pod } of pods) {
      const named = pod.containers[0].env as {
        name: string;
        valueFrom?: Record<string, { name: string; key: string }>;
      }[];
      expect(unknownVariables([...secret, ...named.map(({ name }) => name)])).toEqual([]);
      for (const { valueFrom: { configMapKeyRef, secretKeyRef } = {} } of named) {
        if (configMapKeyRef) expect(config).toHaveProperty([configMapKeyRef.key]);
        if (secretKeyRef) expect(secret).toContain(secretKeyRef.key);
      }
    }
    const file = parse((config['tramontane.yaml'] ?? '').replace('${UPSTREAM_API_KEY}', 'x'));
    expect(() => FileConfig.parse(file)).not.toThrow();
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
    expect(policy.podSelector.matchLabels).toEqual(server?.spec.template.metadata.labels);
    const opened = policy.ingress.flatMap((rule: { ports: { port: string }[] }) => rule.ports.map(({ port }) => port));
    expect(opened).toEqual([...ports.keys()]);
    const workers = find('Deployment', 'tramontane-worker')?.spec.template;
    expect(policy.ingress[1].from[0].podSelector.matchLabels).toEqual(workers.metadata.labels);
    const config = find('ConfigMap', 'tramontane')?.data as Record<string, string>;
    const gateway = new URL(config.TRAMONTANE_TEMPORAL_GATEWAY_URL ?? '');
    const [name = '', namespace] = gateway.hostname.split('.');
    expect(find('Service', name)?.metadata.namespace).toBe(namespace);
    expect(find('Service', name)?.spec.ports).toContainEqual(
      expect.objectContaining({ port: Number(gateway.port), targetPort: 'gateway' }),
    );
    const { command } = workers.spec.containers[0];
    expect(isOurCommand(command)).toBe(true);
  });

  it('asks the port of the program whether it is alive and ready, and gives it the time to drain', () => {
    const config = find('ConfigMap', 'tramontane')?.data as Record<string, string>;
    const drain = FileConfig.parse(parse((config['tramontane.yaml'] ?? '').replace('${', '$ {'))).server.drain_seconds;
    for (const probe of PROBES) expect(container[probe].httpGet.port).toBe('http');
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect(container.livenessProbe.httpGet.path).toBe('/healthz');
    const pause = Number(container.lifecycle.preStop.exec.command[1]);
    expect(server?.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(
      drain + pause + LEAST_DRAIN_MARGIN_S,
    );
  });

  describe('and a real server', () => {
    let running: TestServer;
    beforeAll(async () => {
      running = await startTestServer(sqliteForTests());
    });

    it('answers where it is asked for its health and its metrics', async () => {
      const { annotations } = server?.spec.template.metadata ?? {};
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
  const manifest = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

  it('copies only what is there and what the context holds', () => {
    const copied = lines.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
    expect(copied.length).toBeGreaterThan(5);
    for (const path of copied) {
      expect([path, existsSync(`${root}/${path}`)]).toEqual([path, true]);
      expect(ignored).toContain(`!${path.split('/')[0]}`);
    }
  });

  it('takes from stages that there are', () => {
    const stages = lines.flatMap((line) => / AS (\S+)$/.exec(line)?.[1] ?? []);
    const taken = lines.flatMap((line) => /^(?:COPY --from=|FROM )([\w-]+)(?: |$)/.exec(line)?.[1] ?? []);
    expect(taken.length).toBeGreaterThan(2);
    for (const stage of taken) expect(stages).toContain(stage);
  });

  it('sets variables that the program knows, and runs what npm runs', () => {
    const environment = /^ENV ((?:.*\\\n)*.*)/m.exec(lines.join('\n'))?.[1] ?? '';
    const names = [...environment.matchAll(/(\w+)=/g)].map(([, name = '']) => name);
    expect(names).toContain('TRAMONTANE_PORT');
    expect(unknownVariables(names)).toEqual([]);
    const run = lines.flatMap((line) => (line.startsWith('CMD [') ? [JSON.parse(line.slice(4)) as string[]] : []));
    expect(run.every(isOurCommand)).toBe(true);
    expect(run[0]?.join(' ')).toBe(manifest.scripts.start);
    for (const [, command = ''] of lines.join('\n').matchAll(/^RUN node bin\/tramontane\.js (\w+)/gm))
      expect([command, isCommand(command)]).toEqual([command, true]);
  });

  it('installs what workers on Temporal need, though it is not installed for a package of its own', () => {
    expect(lines.join('\n')).toContain('npm ci --omit=dev');
    const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { dev?: boolean }> };
    const { peerDependencies } = JSON.parse(read('packages/workflows/package.json')) as Record<string, object>;
    const needed = Object.keys(peerDependencies ?? {}).map((name) => packages[`node_modules/${name}`]);
    expect(needed.length).toBeGreaterThan(2);
    // `--omit=dev` skips development dependencies; these are also optional peers of our own package.
    for (const found of needed) expect(found).not.toMatchObject({ dev: true });
  });

  it('runs as a user without rights, on the port that is asked for its health, with the code of workers', () => {
    const text = lines.join('\n');
    expect(text).toMatch(/^USER node$/m);
    expect(text).toContain(`EXPOSE ${PORT} ${GATEWAY_PORT}\n`);
    expect(text).toContain('/readyz');
    // `tramontane worker` needs it.
    expect(text).toContain('COPY packages ./packages');
  });
});
