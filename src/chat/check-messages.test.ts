import { describe, expect, it } from 'vitest';
import { ApiError } from '../kit/http/index.ts';
import { checkMessages } from './check-messages.ts';
import { Message } from './schema/messages.ts';

const system = { role: 'system', content: 'Be brief.' };
const user = { role: 'user', content: 'hi' };
const assistant = { role: 'assistant', content: 'hello' };
const prefix = { role: 'assistant', content: 'Once', prefix: true };
const calls = (...ids: string[]) => ({
  role: 'assistant',
  content: '',
  tool_calls: ids.map((id) => ({ id, function: { name: 'f', arguments: '{}' } })),
});
const tool = (tool_call_id: string) => ({ role: 'tool', content: 'ok', tool_call_id });

function check(messages: unknown[]): unknown {
  try {
    checkMessages(messages.map((message) => Message.parse(message)));
    return 'accepted';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: error.status, message: error.message, type: error.type, code: error.wireCode };
  }
}

const order = (message: string) => ({ status: 400, message, type: 'invalid_request_message_order', code: '3230' });
const refused = (code: string, message: unknown) => ({ status: 400, message, type: 'invalid_request_error', code });

describe('accepted', () => {
  it.each([
    [[user]],
    [[system, user]],
    [[system, system, user]],
    [[user, user]],
    [[user, system, user]],
    [[user, assistant, user]],
    [[user, assistant, assistant, user]],
    [[system, assistant, user]],
    [[user, prefix]],
    [[user, { role: 'assistant', content: '', prefix: true }]],
    [[user, calls('aaaaaaaa1'), tool('aaaaaaaa1')]],
    [[user, calls('aaaaaaaa1', 'aaaaaaaa2'), tool('aaaaaaaa2'), tool('aaaaaaaa1')]],
    [[user, calls('aaaaaaaa1'), tool('aaaaaaaa1'), assistant, user]],
    [[user, calls('aaaaaaaa1'), tool('aaaaaaaa1'), prefix]],
  ])('%j', (messages) => expect(check(messages)).toBe('accepted'));
});

describe('refused', () => {
  const rows: [string, unknown[], unknown][] = [
    ['no message', [], refused('messages_missing', 'A conversation needs at least one message.')],
    ['an assistant first', [assistant, user], order('Expected first role system or user but got assistant')],
    ['a tool first', [tool('aaaaaaaa1')], order('Expected first role system or user but got tool')],
    [
      'a user after a tool',
      [user, calls('aaaaaaaa1'), tool('aaaaaaaa1'), user],
      order("Unexpected role 'user' after role 'tool'"),
    ],
    [
      'a system message after an assistant',
      [user, assistant, system, user],
      order("Unexpected role 'system' after role 'assistant'"),
    ],
    ['a tool after a user', [user, tool('aaaaaaaa1')], order("Unexpected role 'tool' after role 'user'")],
    [
      'a tool result nobody asked for',
      [user, assistant, tool('aaaaaaaa1')],
      order('Unexpected tool call id aaaaaaaa1 in tool results'),
    ],
    [
      'a tool result given twice',
      [user, calls('aaaaaaaa1'), tool('aaaaaaaa1'), tool('aaaaaaaa1')],
      order('Unexpected tool call id aaaaaaaa1 in tool results'),
    ],
    [
      'a call without its result at the end',
      [user, calls('aaaaaaaa1', 'aaaaaaaa2'), tool('aaaaaaaa1')],
      order('Not the same number of function calls and responses'),
    ],
    [
      'a call without its result in the middle',
      [user, calls('aaaaaaaa1'), user],
      order('Not the same number of function calls and responses'),
    ],
    [
      'an assistant last',
      [user, assistant],
      refused(
        'last_role_invalid',
        'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant',
      ),
    ],
    [
      'a system message last',
      [user, system],
      refused(
        'last_role_invalid',
        'Expected last role User or Tool (or Assistant with prefix True) for serving but got system',
      ),
    ],
    [
      'a prefix in the middle',
      [user, prefix, user],
      refused('prefix_invalid', expect.stringContaining('Only the last message')),
    ],
    [
      'an assistant that says nothing',
      [user, { role: 'assistant' }, user],
      refused('message_content_missing', 'An assistant message must have content or tool_calls.'),
    ],
    [
      'an empty system message',
      [{ role: 'system', content: '' }, user],
      refused('message_content_missing', 'The content of a system message must not be empty.'),
    ],
    [
      'a call id of the wrong form',
      [user, calls('call_1'), tool('call_1')],
      refused('tool_call_id_invalid', 'Tool call id was call_1 but must be a-z, A-Z, 0-9, with a length of 9.'),
    ],
    [
      'a call without an id',
      [user, { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: {} } }] }, tool('aaaaaaaa1')],
      refused('tool_call_id_invalid', 'Tool call id was null but must be a-z, A-Z, 0-9, with a length of 9.'),
    ],
    [
      'two calls of one id',
      [user, calls('aaaaaaaa1', 'aaaaaaaa1'), tool('aaaaaaaa1')],
      refused('tool_call_id_invalid', 'Duplicate tool call id aaaaaaaa1 in one assistant message.'),
    ],
    [
      'a function name of the wrong form',
      [
        user,
        { role: 'assistant', tool_calls: [{ id: 'aaaaaaaa1', function: { name: 'a b', arguments: {} } }] },
        tool('aaaaaaaa1'),
      ],
      refused('function_name_invalid', expect.stringContaining('Function name was a b')),
    ],
  ];
  it.each(rows)('%s', (_name, messages, answer) => expect(check(messages)).toEqual(answer));
});
