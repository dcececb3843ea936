import { expect, it } from 'vitest';
import { hashPassword, isPassword, lowerCostForTests } from './hash-password.ts';

it('a hash costs 46 MiB, and one of another cost is still checked after that changed', async () => {
  lowerCostForTests();
  const cheap = await hashPassword('correct horse');
  expect(cheap).toMatch(/^\$argon2id\$v=19\$m=64,t=1,p=1\$/);
  lowerCostForTests(false);
  const dear = await hashPassword('correct horse');
  expect(dear).toMatch(/^\$argon2id\$v=19\$m=47104,t=1,p=1\$/);
  for (const hash of [cheap, dear]) {
    expect(await isPassword('correct horse', hash)).toBe(true);
    expect(await isPassword('wrong horse', hash)).toBe(false);
  }
});
