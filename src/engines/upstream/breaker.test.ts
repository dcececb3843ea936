import { expect, it } from 'vitest';
import { createBreaker } from './breaker.ts';

function create() {
  const clock = { now: 0 };
  return { clock, breaker: createBreaker({ failuresMax: 3, openMs: 1000 }, () => clock.now) };
}

function trip(breaker: ReturnType<typeof createBreaker>): void {
  for (let failure = 0; failure < 3; failure++) {
    breaker.admit();
    breaker.failed();
  }
}

it('opens after failures in a row, and a success in between starts the count anew', () => {
  const { breaker } = create();
  breaker.failed();
  breaker.failed();
  breaker.succeeded();
  breaker.failed();
  breaker.failed();
  expect(breaker.admit()).toBe(true);
  breaker.failed();
  expect(breaker.admit()).toBe(false);
  expect(breaker.waitMs()).toBe(1000);
});

it('lets one probe through when its time has come, and closes when that succeeds', () => {
  const { breaker, clock } = create();
  trip(breaker);
  clock.now = 1000;
  expect([breaker.admit(), breaker.admit()]).toEqual([true, false]);
  breaker.succeeded();
  expect([breaker.admit(), breaker.admit()]).toEqual([true, true]);
  expect(breaker.waitMs()).toBe(0);
});

it('opens again when the probe fails', () => {
  const { breaker, clock } = create();
  trip(breaker);
  clock.now = 1000;
  breaker.admit();
  breaker.failed();
  expect(breaker.admit()).toBe(false);
  expect(breaker.waitMs()).toBe(1000);
});

it('lets another probe through when the client of the first one left', () => {
  const { breaker, clock } = create();
  trip(breaker);
  clock.now = 1000;
  breaker.admit();
  breaker.released();
  expect(breaker.admit()).toBe(true);
});
