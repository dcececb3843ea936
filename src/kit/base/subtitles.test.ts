import { expect, it } from 'vitest';
import { writeSrt, writeVtt } from './subtitles.ts';

const cues = [
  { start: 0, end: 1.5, text: ' Hello --> there.' },
  { start: 3661.04, end: 3662, text: 'An hour\n\nlater.' },
];

it('writes SubRip with numbers, hours and commas, and no arrow or empty line of its own', () => {
  expect(writeSrt(cues)).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nHello → there.\n\n2\n01:01:01,040 --> 01:01:02,000\nAn hour\nlater.\n',
  );
});

it('writes WebVTT with its head and points', () => {
  expect(writeVtt(cues)).toMatch(/^WEBVTT\n\n00:00:00\.000 --> 00:00:01\.500\nHello → there\.\n\n01:01:01\.040/);
});
