import { expect, it } from 'vitest';
import { run, runJson } from '../run-for-tests.ts';

const KEY = 'tmk_secret_for_this_test_only_0123456789';
const environment = { TRAMONTANE_API_KEY: KEY };

it.each([
  ['claude', '.mcp.json', `Bearer \${TRAMONTANE_API_KEY}`],
  ['cursor', '.cursor/mcp.json', `Bearer \${env:TRAMONTANE_API_KEY}`],
  ['vscode', '.vscode/mcp.json', `Bearer \${input:tramontane-key}`],
])(
  'mcp config %s prints what that client reads, and says where the key is instead of the key',
  async (client, file, header) => {
    const { code, data } = await runJson(['mcp', 'config', client], environment);
    expect({ code, data }).toMatchObject({ code: 0, data: { client, file } });
    expect(data.snippet).not.toContain(KEY);
    const { mcpServers, servers } = JSON.parse(data.snippet);
    const { tramontane } = mcpServers ?? servers;
    expect(tramontane).toMatchObject({ url: 'http://127.0.0.1:4747/mcp', headers: { Authorization: header } });
  },
);

it('mcp config vibe prints a table for its config.toml', async () => {
  const { stdout, stderr } = await run(['mcp', 'config', 'vibe', '--url', 'https://ai.example.com/'], environment);
  expect(stderr).toContain('~/.vibe/config.toml');
  expect(stdout.split('\n')).toEqual(
    expect.arrayContaining([
      '[[mcp_servers]]',
      'transport = "streamable-http"',
      'url = "https://ai.example.com/mcp"',
      'api_key_env = "TRAMONTANE_API_KEY"',
    ]),
  );
  expect(stdout).not.toContain(KEY);
});

it('mcp config writes the key down only when it is asked to, and says so', async () => {
  for (const client of ['claude', 'cursor', 'vscode', 'vibe']) {
    const { stdout, stderr } = await run(['mcp', 'config', client, '--with-key'], environment);
    expect(stdout).toContain(`Bearer ${KEY}`);
    expect(stderr).toContain('keep it out of git');
  }
  expect(await run(['mcp', 'config', 'claude', '--with-key'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('TRAMONTANE_API_KEY'),
  });
  expect(await run(['mcp', 'config', 'emacs'])).toMatchObject({ code: 2, stderr: expect.stringContaining('claude') });
});
