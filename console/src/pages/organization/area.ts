import { createRoute } from '@tanstack/react-router';
import { shellRoute } from '../../shell/root-route.tsx';

const below = { getParentRoute: () => shellRoute };
const pages = () => import('./routes.tsx');

export const organizationRoutes = [
  createRoute({ ...below, path: '/organization', staticData: { title: 'Members' } }).lazy(() =>
    pages().then((all) => all.members),
  ),
  createRoute({ ...below, path: '/organization/workspaces', staticData: { title: 'Workspaces' } }).lazy(() =>
    pages().then((all) => all.workspaces),
  ),
  createRoute({ ...below, path: '/organization/groups', staticData: { title: 'Groups' } }).lazy(() =>
    pages().then((all) => all.groups),
  ),
  createRoute({ ...below, path: '/organization/api-keys', staticData: { title: 'API keys' } }).lazy(() =>
    pages().then((all) => all.apiKeys),
  ),
  createRoute({ ...below, path: '/organization/admin-keys', staticData: { title: 'Admin keys' } }).lazy(() =>
    pages().then((all) => all.adminKeys),
  ),
  createRoute({ ...below, path: '/organization/service-accounts', staticData: { title: 'Service accounts' } }).lazy(
    () => pages().then((all) => all.serviceAccounts),
  ),
  createRoute({ ...below, path: '/organization/sign-in', staticData: { title: 'Sign-in' } }).lazy(() =>
    pages().then((all) => all.signInRules),
  ),
  createRoute({ ...below, path: '/organization/usage', staticData: { title: 'Usage' } }).lazy(() =>
    pages().then((all) => all.usage),
  ),
  createRoute({ ...below, path: '/organization/limits', staticData: { title: 'Limits' } }).lazy(() =>
    pages().then((all) => all.limits),
  ),
  createRoute({ ...below, path: '/organization/audit-log', staticData: { title: 'Audit log' } }).lazy(() =>
    pages().then((all) => all.auditLog),
  ),
] as const;
