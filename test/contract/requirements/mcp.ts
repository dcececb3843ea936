import { requirementsOf } from './requirement.ts';

export const mcpRequirements = requirementsOf('mcp', {
  'Endpoints: Tool server': {
    'MCP-POST': 'POST /mcp takes a JSON-RPC 2.0 request and answers its reply',
    'MCP-STREAMABLE': 'a client of the official package connects over streamable HTTP',
    'MCP-TOOLS-LIST': 'tools/list names the tools that the key may use, each with its arguments',
    'MCP-TOOLS-PER-KEY': 'two keys of different access are shown different tools',
    'MCP-BROWSE': 'a tool browses the skills of the workspace',
    'MCP-READ': 'a tool reads a skill and its files',
    'MCP-CREATE-VERSION': 'a tool creates a version of a skill',
    'MCP-SHARE': 'a tool changes with whom a skill is shared',
    'MCP-DELETE': 'a tool deletes a skill',
    'MCP-WRITES-APPEAR': 'a skill written by a tool appears in the registry',
    'MCP-READS-REGISTRY': 'a skill written through the registry appears in the tools',
  },
  'Authentication: table': {
    'MCP-BEARER': 'the tool server takes the API key as Authorization: Bearer',
  },
  'Authentication: rule 1': {
    'MCP-KEY-ACCESS': 'the tools give a caller exactly the access that the key has',
  },
  'Authentication: rule 7': {
    'MCP-401-MISSING': 'a missing key is 401',
    'MCP-401-MISSPELLED': 'a misspelled key is 401',
    'MCP-401-REVOKED': 'a revoked key is 401',
  },
  'Authentication: rule 8': {
    'MCP-PERMISSION': 'a call that needs more access than the key has returns a permission error',
  },
  'Events: 4': {
    'MCP-SSE': 'replies arrive as a stream of Server-Sent Events',
  },
  'design: Beyond the specification': {
    'MCP-ALIAS': 'a tool moves an alias of a skill, and takes it away',
    'MCP-LIST-CHANGED': 'an open stream tells of a changed list, whichever process changed it',
    'MCP-VANISH': 'a client that vanishes leaves nothing behind',
    'MCP-PROMPTS': 'the prompts of the registry are prompts of the protocol, their variables arguments',
    'MCP-SKILLS': 'skills/list and skills/get describe every file with its SHA-256, and resources/read reads it',
    'MCP-PYTHON': 'the official Python client connects, lists and calls every tool',
    'MCP-CONFORMANCE': 'the official conformance suite finds nothing wrong that is not written down with its reason',
    'MCP-PUBLISHED': 'what one workspace publishes is readable without a key, and nothing else is',
    'MCP-PARALLEL': '200 clients work at the same time',
  },
  'Model Context Protocol: transports': {
    'MCP-ERAS': 'clients of 2025-06-18, of 2025-11-25 and of the stateless 2026-07-28 are served at one address',
    'MCP-NO-SESSIONS': 'no session is ever needed: any process answers any request, and DELETE is 405',
    'MCP-ACCEPT': 'a client that does not accept both JSON and streams is answered 406',
    'MCP-CONTENT-TYPE': 'a body of another media type is answered 415',
    'MCP-RPC-ERRORS': 'broken JSON is -32700, no message -32600, an unknown method -32601, bad parameters -32602',
    'MCP-ORIGIN': 'a page or a host name of a stranger is answered 403',
  },
  'decisions: Error bodies, 401': {
    'MCP-401-BODY': 'the body of a 401 is {"detail": "Invalid API key"}',
  },
});
