import { readFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http2';
import { temporal } from '@temporalio/proto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../kit/base/log.ts';
import type { Scope } from '../../kit/http/index.ts';
import { createGateway, type Gateway } from './create-gateway.ts';
import { callUnary, dial, framed, startFakeCluster, statusOf } from './gateway-for-tests.ts';

const {
  PollWorkflowTaskQueueRequest,
  RespondWorkflowTaskCompletedRequest,
  RespondWorkflowTaskFailedRequest,
  StartWorkflowExecutionRequest,
} = temporal.api.workflowservice.v1;
const SERVICE = '/temporal.api.workflowservice.v1.WorkflowService';
const POLL = `${SERVICE}/PollWorkflowTaskQueue`;
const OWN = 'tramontane-own';

const scopes = new Map<string, Partial<Scope>>();
let cluster: Awaited<ReturnType<typeof startFakeCluster>>;
let gateway: Gateway;
let session: ReturnType<typeof dial>;

beforeAll(async () => {
  const permissions = new Set(['workflows:work', 'workflows:execute', 'workflows:read']);
  scopes.set('Bearer own', { workspace_id: 'own', permissions });
  scopes.set('Bearer reader', { workspace_id: 'own', permissions: new Set(['workflows:read']) });
  cluster = await startFakeCluster();
  gateway = createGateway({
    temporal: { address: cluster.address },
    authenticate: ({ authorization }) => scopes.get(authorization ?? '') as Scope | undefined,
    namespaceOf: (workspaceId) => `tramontane-${workspaceId}`,
    log: createLog('silent'),
  });
  const { port } = await gateway.listen({ host: '127.0.0.1', port: 0 });
  session = dial(port);
});

afterAll(async () => {
  session.destroy();
  await gateway.close();
  await cluster.close();
});

const poll = (namespace = OWN) => framed(PollWorkflowTaskQueueRequest.encode({ namespace }).finish());
const ask = (path: string, body: Buffer, headers: OutgoingHttpHeaders = { authorization: 'Bearer own' }) =>
  callUnary(session, { ':path': path, ...headers }, body);

describe('the way to Temporal', () => {
  it('passes a call on as it is, and its answer with metadata and trailers', async () => {
    const taken = cluster.next();
    const metadata = { authorization: 'Bearer own', 'client-name': 'temporal-python', 'grpc-timeout': '70S' };
    const { answer } = ask(POLL, poll(), { ...metadata, 'temporal-namespace': 'tramontane-foreign' });
    const { headers, body, stream } = await taken;
    expect(body).toEqual(poll());
    expect(headers).toMatchObject({
      'client-name': 'temporal-python',
      'grpc-timeout': '70S',
      'temporal-namespace': OWN,
      te: 'trailers',
    });
    expect(headers).not.toHaveProperty('authorization');
    const message = framed(Buffer.alloc(3_000_000, 7));
    stream.respond({ 'content-type': 'application/grpc', 'x-shard': '4' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0', 'x-cost': '9' }));
    stream.end(message);
    const got = await answer;
    expect(got.body.equals(message)).toBe(true);
    expect(got.headers).toMatchObject({ ':status': 200, 'x-shard': '4' });
    expect(got.trailers).toMatchObject({ 'grpc-status': '0', 'x-cost': '9' });
  });

  it('passes on an error that has no body, with its details', async () => {
    const taken = cluster.next();
    const { answer } = ask(POLL, poll());
    const { stream } = await taken;
    stream.respond(
      { 'grpc-status': '5', 'grpc-message': 'gone', 'grpc-status-details-bin': 'AAA' },
      { endStream: true },
    );
    expect((await answer).headers).toMatchObject({ 'grpc-status': '5', 'grpc-status-details-bin': 'AAA' });
  });

  it('asks for a key, before it says what it knows', async () => {
    for (const authorization of ['Bearer wrong', 'own', ''])
      for (const path of [POLL, '/temporal.api.operatorservice.v1.OperatorService/DeleteNamespace', '/nowhere'])
        expect(statusOf(await ask(path, poll(), { authorization }).answer)).toBe(16);
  });

  it('refuses a foreign namespace with the words that a missing one gets', async () => {
    const foreign = await ask(POLL, poll('tramontane-foreign')).answer;
    const missing = await ask(POLL, poll('nobody')).answer;
    expect(statusOf(foreign)).toBe(7);
    expect(foreign.headers['grpc-message']).toBe(missing.headers['grpc-message']);
  });

  it.each([
    '/temporal.api.operatorservice.v1.OperatorService/DeleteNamespace',
    '/temporal.api.cloud.cloudservice.v1.CloudService/GetUsers',
    '/temporal.server.api.adminservice.v1.AdminService/DescribeCluster',
    `${SERVICE}/RegisterNamespace`,
    `${SERVICE}/UpdateNamespace`,
    `${SERVICE}/ListNamespaces`,
    `${SERVICE}/StartBatchOperation`,
    `${SERVICE}/DeleteWorkflowExecution`,
    `${SERVICE}/PollNexusTaskQueue`,
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  ])('does not pass on %s', async (path) => {
    expect(statusOf(await ask(path, poll()).answer)).toBe(12);
  });

  it('asks for the permission of the deed', async () => {
    const authorization = 'Bearer reader';
    expect(statusOf(await ask(POLL, poll(), { authorization }).answer)).toBe(7);
    const start = framed(StartWorkflowExecutionRequest.encode({ namespace: OWN }).finish());
    expect(statusOf(await ask(`${SERVICE}/StartWorkflowExecution`, start, { authorization }).answer)).toBe(7);
  });

  it('refuses a message over the limit in the words by which workers know it', async () => {
    const { answer } = ask(POLL, framed(Buffer.alloc(5 * 1024 * 1024)));
    const got = await answer;
    expect(statusOf(got)).toBe(8);
    expect(got.headers['grpc-message']).toMatch(/^grpc: received message larger than max \(/);
  });

  it('leaves the call on the other side when its caller leaves', async () => {
    const taken = cluster.next();
    const { abort } = ask(POLL, poll());
    const { stream } = await taken;
    const closed = new Promise<number>((resolve) => stream.on('close', () => resolve(stream.rstCode)));
    abort();
    expect(await closed).toBe(8);
  });

  it('ends a poll whose key was revoked meanwhile', async () => {
    scopes.set('Bearer leaving', { ...scopes.get('Bearer own') });
    const taken = cluster.next();
    const { answer } = ask(POLL, poll(), { authorization: 'Bearer leaving' });
    const { stream } = await taken;
    const closed = new Promise<void>((resolve) => stream.on('close', resolve));
    scopes.delete('Bearer leaving');
    expect(statusOf(await answer)).toBe(16);
    await closed;
  });

  it('says that Temporal is away when it goes in the middle, and finds it again', async () => {
    const taken = cluster.next();
    const { answer } = ask(POLL, poll());
    await taken;
    cluster.drop();
    expect(statusOf(await answer)).toBe(14);
    const again = cluster.next();
    const second = ask(POLL, poll());
    (await again).stream.respond({ 'grpc-status': '0' }, { endStream: true });
    expect(statusOf(await second.answer)).toBe(0);
  });

  it('has a turn taken again that failed because the server was away, and says so to the worker', async () => {
    const activity = { activity_type: '__internal__register_execution' };
    const details = { data: { payloads: [{ data: Buffer.from(JSON.stringify(activity)) }] } };
    const failure = { message: 'refused', applicationFailureInfo: { type: 'ConnectError' } };
    const commands = [{ recordMarkerCommandAttributes: { markerName: 'core_local_activity', details, failure } }];
    const token = { taskToken: Buffer.from('token'), namespace: OWN };
    const completed = framed(RespondWorkflowTaskCompletedRequest.encode({ ...token, commands } as never).finish());
    const respond = async (status: string) => {
      const taken = cluster.next();
      const { answer } = ask(`${SERVICE}/RespondWorkflowTaskCompleted`, completed);
      const { headers, body, stream } = await taken;
      expect(headers[':path']).toBe(`${SERVICE}/RespondWorkflowTaskFailed`);
      expect(RespondWorkflowTaskFailedRequest.decode(body.subarray(5))).toMatchObject(token);
      stream.respond({ 'content-type': 'application/grpc', 'grpc-status': status }, { endStream: true });
      return statusOf(await answer);
    };
    const [notFound, unavailable] = [5, 14];
    expect(await respond('0')).toBe(notFound);
    expect(await respond(String(unavailable))).toBe(unavailable);
  });

  it('speaks nothing but gRPC', async () => {
    const answer = await ask('/', Buffer.from('{}'), { 'content-type': 'application/json' }).answer;
    expect(answer.headers[':status']).toBe(415);
  });

  it('speaks TLS on both sides where it is told to', async () => {
    const read = (name: string) =>
      readFileSync(new URL(`../../../test/fixtures/tls/localhost.${name}`, import.meta.url), 'utf8');
    const tls = { cert: read('pem'), key: read('key') };
    const secured = await startFakeCluster(tls);
    const own = createGateway({
      temporal: { address: secured.address.replace('127.0.0.1', 'localhost'), tls: { ca: tls.cert } },
      authenticate: () => scopes.get('Bearer own') as Scope,
      namespaceOf: (workspaceId) => `tramontane-${workspaceId}`,
      tls,
      log: createLog('silent'),
    });
    const { port } = await own.listen({ host: 'localhost', port: 0 });
    const client = dial(port, tls.cert);
    const taken = secured.next();
    const { answer } = callUnary(client, { ':path': POLL, authorization: 'Bearer own' }, poll());
    (await taken).stream.respond({ 'grpc-status': '0' }, { endStream: true });
    expect(statusOf(await answer)).toBe(0);
    client.destroy();
    await own.close();
    await secured.close();
  });

  it('lets polls go at once when it stops', async () => {
    const own = createGateway({
      temporal: { address: cluster.address },
      authenticate: () => scopes.get('Bearer own') as Scope,
      namespaceOf: (workspaceId) => `tramontane-${workspaceId}`,
      log: createLog('silent'),
    });
    const { port } = await own.listen({ host: '127.0.0.1', port: 0 });
    const client = dial(port);
    const taken = cluster.next();
    const { answer } = callUnary(client, { ':path': POLL, authorization: 'Bearer own' }, poll());
    await taken;
    await own.close();
    expect(statusOf(await answer)).toBe(14);
    client.destroy();
  });
});
