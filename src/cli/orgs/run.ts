import { CommandFailure } from '../../operator/command-failure.ts';
import { OPERATOR, type Plan, plans } from '../../tenants/index.ts';
import { type Context, UsageError } from '../shell/command.ts';
import { baseUrlOf, describePendingLink } from '../shell/describe-link.ts';
import { formatTable, formatTime } from '../shell/format-table.ts';
import { withPlatform } from '../shell/with-platform.ts';

export async function createOrganization(context: Context): Promise<undefined> {
  const { args, output } = context;
  const name = args.text('name');
  if (name === undefined) throw new UsageError('An organization needs a name: tramontane orgs create --name <text>');
  const plan = parsePlan(args.text('plan') ?? 'enterprise');
  const given = args.text('owner-email');
  const { organization, ownerEmail, link } = await withPlatform(context, async ({ tenants }, config) => {
    const ownerEmail = given ?? config.bootstrap.ownerEmail;
    // The configured owner is the operator's own word.
    const joinsExisting = given === undefined || args.flag('existing-account');
    const organization = await tenants.createOrganization({ name, plan, ownerEmail, joinsExisting });
    const by = { organization_id: organization.id, actor: OPERATOR };
    const owner = await tenants.members.choose(organization.id, ownerEmail);
    const pending = await tenants.links.createForPending(by, owner.id);
    return { organization, ownerEmail, link: pending && `${baseUrlOf(context, config)}${pending.path}` };
  });
  output.result(
    { ...organization, owner_email: ownerEmail, ...(link !== undefined && { link }) },
    [
      `Created the organization ${organization.name} (${organization.id}) on the ${plan} plan, owned by ${ownerEmail}.`,
      ...(link === undefined ? [] : describePendingLink(ownerEmail, link)),
      `Create a key for it with: npx tramontane keys create --organization ${organization.id}`,
    ].join('\n'),
  );
}

export async function listOrganizations(context: Context): Promise<undefined> {
  const organizations = await withPlatform(context, ({ tenants }) => tenants.listOrganizations());
  const rows = organizations.map(({ id, name, plan, created_at }) => [id, name, plan, formatTime(created_at)]);
  context.output.result(
    { organizations: organizations.map(shown) },
    formatTable(['ID', 'NAME', 'PLAN', 'CREATED'], rows),
  );
}

export async function setPlan(context: Context): Promise<undefined> {
  const wanted = context.args.parameter('id|name');
  const plan = parsePlan(context.args.parameter('plan'));
  const organization = await withPlatform(context, async ({ tenants }) => {
    const { id } = await tenants.chooseOrganization(wanted);
    return tenants.setPlan(id, plan);
  });
  if (!organization) throw new CommandFailure(`The organization '${wanted}' was deleted in the meantime.`);
  context.output.result(shown(organization), `The organization ${organization.name} is now on the ${plan} plan.`);
}

export async function setSignIn(context: Context): Promise<undefined> {
  const { args, output } = context;
  const rules = { secondFactor: args.flag('second-factor'), provider: args.text('provider') ?? null };
  const organization = await withPlatform(context, async ({ tenants }, { file }) => {
    const known = file.sign_in.providers.map(({ id }) => id);
    if (rules.provider !== null && !known.includes(rules.provider))
      throw new UsageError(
        `The configuration has no provider '${rules.provider}'. It has: ${known.join(', ') || 'none'}.`,
      );
    const found = await tenants.chooseOrganization(args.parameter('id|name'));
    await tenants.setSignInRules({ organization_id: found.id, actor: OPERATOR }, rules);
    return found;
  });
  const asked = [
    ...(rules.provider === null ? [] : [`the provider '${rules.provider}'`]),
    ...(rules.secondFactor ? ['a second factor'] : []),
  ];
  output.result(
    { id: organization.id, second_factor: rules.secondFactor, provider: rules.provider },
    `${organization.name} now requires ${asked.join(' and ') || 'nothing beyond a password'}.`,
  );
}

/** Its sign-in rules are told by `set-sign-in`. */
function shown({ id, name, plan, created_at }: { id: string; name: string; plan: Plan; created_at: string }) {
  return { id, name, plan, created_at };
}

function parsePlan(text: string): Plan {
  const plan = plans.find((known) => known === text);
  if (!plan) throw new UsageError(`The plan must be one of ${plans.join(', ')}, not '${text}'.`);
  return plan;
}
