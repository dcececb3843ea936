import { openPlatform } from '../../../src/compose/open-platform.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { startServer } from '../../../src/main.ts';
import { answer } from '../../bench/processes/answer.ts';
import { stayOnLoopback } from './stay-on-loopback.ts';

// The real server as it is shipped, on the data dir and the configuration in its environment. The admin key is of
// another organization than the standard key: random administration would soon delete the standard key.
stayOnLoopback();
const config = loadConfig();
const platform = await openPlatform(config);
const { tenants } = platform;
const first = await tenants.bootstrap(config.bootstrap);
if (!first.created) throw new Error('the data dir is not new');
const ownerEmail = 'administrator@fuzz.example';
const administered = await tenants.createOrganization({ name: 'Administered', plan: 'enterprise', ownerEmail });
const { value: adminKey } = await tenants.keys.create({ kind: 'admin', organization: administered.id });
const workspace = await tenants.chooseWorkspace({ organization: first.organization.id, workspace: undefined });
await platform.close();

const server = await startServer({ ...config, file: { ...config.file, published_workspace: workspace.id } });

answer({ opened: () => ({ url: server.url, standardKey: first.apiKey, adminKey }) });
