import { groups, outputOf } from '../../../guide/pages.ts';
import type { IconName } from '../ui/icon.tsx';
import { areas } from './areas.ts';

/** A line of the palette. `to` is an address of the console, `href` one outside of it. */
export type Place = {
  label: string;
  icon: IconName;
  kind?: string;
  to?: string;
  search?: Record<string, unknown>;
  href?: string;
  words?: string;
};

const SETTINGS: readonly [label: string, to: string, icon: IconName, words: string][] = [
  ['Members and invitations', '/organization', 'people', 'invite user role'],
  ['Workspaces', '/organization/workspaces', 'people', 'settings'],
  ['Groups', '/organization/groups', 'people', 'settings role'],
  ['API keys', '/organization/api-keys', 'key', 'settings token secret'],
  ['Admin keys', '/organization/admin-keys', 'key', 'settings token secret'],
  ['Service accounts', '/organization/service-accounts', 'key', 'settings program'],
  ['Usage', '/organization/usage', 'chart', 'cost tokens money'],
  ['Limits', '/organization/limits', 'chart', 'budget rate settings'],
  ['Sign-in rules', '/organization/sign-in-rules', 'key', 'single sign-on second factor settings'],
  ['Audit log', '/organization/audit-log', 'list', 'who did what'],
  ['Account', '/account', 'person', 'password second factor sessions profile settings'],
];

const ACTIONS: readonly [label: string, to: string, icon: IconName][] = [
  ['New agent', '/agents/new', 'plus'],
  ['New skill', '/skills/new', 'plus'],
  ['New conversation', '/conversations/new', 'plus'],
];

/** Pages, settings, actions, and the pages of the guide. */
export const places: readonly Place[] = [
  ...areas.flatMap(({ entries }) => entries.map(({ label, to, icon }) => ({ label, to, icon }))),
  ...SETTINGS.map(([label, to, icon, words]) => ({ label, to, icon, words, kind: 'Settings' })),
  ...ACTIONS.map(([label, to, icon]) => ({ label, to, icon, kind: 'Action' })),
];

export const docs: readonly Place[] = groups.flatMap(({ pages }) =>
  pages.map(({ title, about, source }) => ({
    ...{ label: title, words: about, kind: 'Documentation', icon: 'book' as const },
    href: `/docs/guide/${outputOf(source)}`,
  })),
);
