import { beforeAll, expect, it } from 'vitest';
import type { Environment } from '../../config/environment.ts';
import { plans } from '../../tenants/index.ts';
import { preparePlatform, run, runJson } from '../run-for-tests.ts';
import { orgs } from './command.ts';

let environment: Environment;
beforeAll(async () => {
  ({ environment } = await preparePlatform());
});

it('create makes an organization that list shows [ADMIN-ORGANIZATIONS-CLI]', async () => {
  const created = await run(['orgs', 'create', '--name', 'Acme'], environment);
  expect(created).toMatchObject({
    code: 0,
    stderr: '',
    stdout: expect.stringContaining('on the enterprise plan, owned by owner@localhost'),
  });
  const { stdout } = await run(['orgs', 'list'], environment);
  expect(stdout).toMatch(/^ID +NAME +PLAN +CREATED\n\S+ +Default +enterprise .*\n\S+ +Acme +enterprise /);
});

it('create --json and list --json give the same organization', async () => {
  const args = ['orgs', 'create', '--name', 'Widgets', '--plan', 'free', '--owner-email', 'bo@example.com'];
  const { code, data } = await runJson(args, environment);
  expect(code).toBe(0);
  const { owner_email, ...organization } = data;
  expect(owner_email).toBe('bo@example.com');
  expect((await runJson(['orgs', 'list'], environment)).data.organizations).toContainEqual(organization);
});

it('set-plan takes an id or a name', async () => {
  const { data } = await runJson(['orgs', 'create', '--name', 'Planned', '--plan', 'free'], environment);
  expect(await run(['orgs', 'set-plan', 'Planned', 'team'], environment)).toMatchObject({
    code: 0,
    stdout: 'The organization Planned is now on the team plan.\n',
  });
  expect(await runJson(['orgs', 'set-plan', data.id, 'enterprise'], environment)).toMatchObject({
    code: 0,
    data: { id: data.id, plan: 'enterprise' },
  });
});

it('a name that two organizations have is refused, and their ids are listed', async () => {
  const ids = [];
  for (let i = 0; i < 2; i++) ids.push((await runJson(['orgs', 'create', '--name', 'Twin'], environment)).data.id);
  const { code, stderr } = await run(['orgs', 'set-plan', 'Twin', 'team'], environment);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `There is more than one organization named 'Twin'. Choose one by its id: Twin (${ids[0]}), Twin (${ids[1]}).\n`,
  });
});

it.each([
  [['create', '--name', ' '], 'An organization needs a name.'],
  [['create', '--name', 'A', '--owner-email', 'nobody'], "'nobody' is not an email address."],
  [['set-plan', 'Nowhere', 'team'], "There is no organization 'Nowhere'."],
])('%j is refused', async (args, message) => {
  const { code, stderr } = await run(['orgs', ...args], environment);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(message) });
});

it('the help names exactly the plans there are', () => {
  const setPlan = orgs.commands.find(({ name }) => name === 'set-plan')!;
  expect(setPlan.parameters?.at(-1)?.choices).toEqual([...plans]);
});
