import { expect, it } from 'vitest';
import { holderOf } from './holder-of.ts';

const place = { user_id: 'a-user', workspace_id: 'a-workspace' };

it('later work is for the key that asked, or for the user of a session, which may end before', () => {
  expect(holderOf({ ...place, key_id: 'a-key' })).toEqual({ ...place, key_id: 'a-key' });
  expect(holderOf({ ...place, key_id: 'a-user', session_id: 'a-session' })).toEqual({ ...place, key_id: null });
});
