import { deepEqual, equal, ok } from 'node:assert/strict';
import type { Chapter } from '../platform.ts';

const OAUTH = 'https://sign-in.example.com';

export const connectors: Chapter = async ({ beta: { connectors: room } }, { mcpServer }) => {
  const made = await room.create({
    name: 'swept',
    description: 'Pages',
    server: mcpServer,
    protocol: 'mcp',
    authData: { clientId: 'c', clientSecret: 's' },
    oauth2ServerMetadata: {
      issuer: OAUTH,
      authorizationEndpoint: `${OAUTH}/authorize`,
      tokenEndpoint: `${OAUTH}/token`,
      codeChallengeMethodsSupported: ['S256'],
    },
  });
  const { id: connectorId } = made as { id: string };
  const ref = { connectorIdOrName: 'swept' };
  const change = { protocol: 'mcp' as const, title: 'Wiki' };
  equal(((await room.update({ connectorId, requestBody: change })) as { title?: string }).title, 'Wiki');
  equal(((await room.get(ref)) as { id: string }).id, connectorId);
  ok(
    (await room.list({ queryFilters: { active: true } })).items.some(
      (one) => (one as { id: string }).id === connectorId,
    ),
  );
  for (const consumerScope of ['user', 'workspace', 'organization'] as const) {
    await room.deactivateForConsumer({ connectorId, consumerScope });
    await room.activateForConsumer({ connectorId, consumerScope });
    const named = { name: 'main', credentials: { bearerToken: 'a-token-of-the-sweep' } };
    await room.createCredentials({ ...ref, consumerScope, credentialsCreateOrUpdate: named });
    const titled = { name: 'main', title: 'Main', isDefault: true };
    await room.updateCredentials({ ...ref, consumerScope, credentialsCreateOrUpdate: titled });
  }
  const lists = [
    await room.listUserCredentials(ref),
    await room.listWorkspaceCredentials(ref),
    await room.listOrganizationCredentials(ref),
  ];
  deepEqual(
    lists.map(({ credentials }) => credentials.map(({ name, title, scope }) => [name, title, scope])),
    [[['main', 'Main', 'user']], [['main', 'Main', 'workspace']], [['main', 'Main', 'org']]],
  );
  equal(((await room.listTools(ref)) as { name: string }[])[0]?.name, 'echo');
  const given = { toolName: 'echo', connectorCallToolRequest: { arguments: { text: 'Hi' } } };
  equal(((await room.callTool({ ...ref, ...given })).content[0] as { text: string }).text, 'You said Hi');
  equal((await room.getAuthenticationMethods(ref))[0]?.methodType, 'oauth2');
  ok((await room.getAuthUrl(ref)).authUrl.startsWith(`${OAUTH}/authorize?`));
  const named = { ...ref, credentialsName: 'main' };
  await room.deleteUserCredentials(named);
  await room.deleteWorkspaceCredentials(named);
  await room.deleteOrganizationCredentials(named);
  await room.deleteAllUserCredentials(ref);
  await room.share({ connectorId });
  await room.shareToOrganization({ connectorId });
  await room.unshareFromOrganization({ connectorId });
  await room.unshare({ connectorId });
  await room.delete({ connectorId });
};
