import { expect, it } from 'vitest';
import { z } from 'zod';
import { documentedRoutes } from '../app.ts';
import {
  CONSOLE_ACCOUNT,
  CONSOLE_ADMINISTER,
  CONSOLE_JOIN,
  CONSOLE_OWNER,
  CONSOLE_USE,
  ORGANIZATION_ADMINISTER,
  permissions,
  permissionsOf,
} from './permissions.ts';
import { workspaceRoles } from './schema.ts';

it('every route asks for a permission that the matrix has', () => {
  const routes = documentedRoutes().filter(({ permission, surface }) => permission !== 'public' && surface !== 'admin');
  expect(routes.length).toBeGreaterThan(5);
  const consoles = [...permissions, CONSOLE_ACCOUNT, CONSOLE_OWNER, CONSOLE_USE, CONSOLE_JOIN, CONSOLE_ADMINISTER];
  for (const { path, permission, surface } of routes)
    expect([path, surface === 'console' ? consoles : permissions]).toEqual([
      path,
      expect.arrayContaining([permission]),
    ]);
});

it('admin keys open the administrative API and nothing else', () => {
  const routes = documentedRoutes().filter(({ surface }) => surface === 'admin');
  expect(routes.length).toBeGreaterThan(30);
  for (const { path, permission } of routes)
    expect([path, permission]).toEqual([expect.stringMatching('^/v1/admin/'), 'admin']);
});

it('no operation lets an organization change its plan [ADMIN-NOT-SELF-SERVE]', () => {
  const bodies = documentedRoutes().flatMap(({ body }) =>
    body ? [JSON.stringify(z.toJSONSchema(body, { unrepresentable: 'any', io: 'input' }))] : [],
  );
  expect(bodies.length).toBeGreaterThan(30);
  for (const body of bodies) expect(body).not.toMatch(/"(plan|organization_plan)":/);
});

it('only signed downloads, signed deliveries, callbacks with a state, invitations, the console sign-in and published objects are public', () => {
  const open = documentedRoutes().filter(({ permission }) => permission === 'public');
  expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([
    'GET /v1/files/:file_id/download',
    'GET /v1/libraries/:library_id/documents/:document_id/download',
    'GET /v1/connectors/oauth/callback',
    'GET /.well-known/agent-skills/index.json',
    'GET /.well-known/agent-skills/:skill/SKILL.md',
    'GET /.well-known/agent-skills/:skill/skill.zip',
    'GET /v1/invitations/:token',
    'POST /v1/invitations/:token',
    'POST /v1/webhooks/in/:token',
    'GET /v1/observability/datasets/:dataset_id/exports/download',
    'POST /console/api/session',
    'POST /console/api/links',
    'GET /console/api/links/:token',
    'POST /console/api/links/:token',
    'GET /console/api/sign-in',
    'POST /console/api/sign-in/:provider',
    'GET /console/api/sign-in/:provider/callback',
    'POST /console/api/sign-in/:provider/logout',
  ]);
});

it('admins of the workspace or the organization have all its permissions; no role means none', () => {
  expect(permissionsOf(['workspace_admin'], ['member'])).toEqual(new Set(permissions));
  expect(permissionsOf([], ['organization_admin'])).toEqual(new Set([...permissions, ORGANIZATION_ADMINISTER]));
  expect(permissionsOf([], ['member'])).toEqual(new Set());
});

it('every role can read its identity and the models', () => {
  for (const role of workspaceRoles) {
    expect([...permissionsOf([role], ['member'])]).toEqual(expect.arrayContaining(['identity:read', 'models:read']));
  }
});

it('billing and observability roles cannot spend tokens', () => {
  for (const role of ['billing', 'observability_viewer'] as const) {
    expect(permissionsOf([role], ['member']).has('chat:write')).toBe(false);
    expect(permissionsOf([role], ['member']).has('embeddings:write')).toBe(false);
  }
});
