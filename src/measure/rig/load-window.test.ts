import { expect, it } from 'vitest';
import { LoadWindow } from './load-window.js';

interface Look {
  atMs: number;
  busyMs: number;
  received: number;
}

/** What of the looks is counted, the first at 0. */
function counted(...looks: Look[]): { windowMs: number; busyMs: number } {
  const window = new LoadWindow({ windowMs: 0, busyMs: 0 }, { received: 0 });
  for (const { atMs, busyMs, received } of looks) window.look({ windowMs: atMs, busyMs }, { received });
  return window.sums;
}

/** Four looks in a second, `busy` of the time between them busy, and deliveries only where there is a load. */
function stretch(fromMs: number, toMs: number, busyFromMs: number, busy: number): Look[] {
  const looks: Look[] = [];
  for (let atMs = fromMs + 250; atMs <= toMs; atMs += 250)
    looks.push({ atMs, busyMs: busyFromMs + (atMs - fromMs) * busy, received: busy > 0 ? atMs : fromMs });
  return looks;
}

it('is all of a load, and nothing of the wait for a lost delivery behind it', () => {
  const load = stretch(0, 10_000, 0, 1);
  expect(counted(...load, ...stretch(10_000, 40_000, 10_000, 0))).toEqual({ windowMs: 10_000, busyMs: 10_000 });
});

it('leaves out gates before, between and behind', () => {
  const looks = [
    ...stretch(0, 2000, 0, 0),
    ...stretch(2000, 5000, 0, 0.5),
    ...stretch(5000, 7000, 1500, 0),
    ...stretch(7000, 8000, 1500, 0.5),
    ...stretch(8000, 9000, 2000, 0),
  ];
  expect(counted(...looks)).toEqual({ windowMs: 4000, busyMs: 2000 });
});

it('counts the time between the broadcasts of a slow schedule', () => {
  const looks = [1000, 2000, 3000].flatMap((toMs) => [
    ...stretch(toMs - 1000, toMs - 250, toMs / 100 - 10, 0),
    { atMs: toMs, busyMs: toMs / 100, received: toMs },
  ]);
  expect(counted(...looks)).toEqual({ windowMs: 3000, busyMs: 30 });
});

it('counts a stall that kept both looks and deliveries back', () => {
  expect(
    counted(
      { atMs: 250, busyMs: 250, received: 7 },
      { atMs: 3250, busyMs: 3250, received: 7 },
      { atMs: 3500, busyMs: 3300, received: 97 },
    ),
  ).toEqual({ windowMs: 3500, busyMs: 3300 });
});

it('goes on after a break, of which it counts nothing', () => {
  const window = new LoadWindow({ windowMs: 0 }, { received: 0 });
  window.look({ windowMs: 250 }, { received: 1 });
  window.resume({ windowMs: 5000 }, { received: 1 });
  window.look({ windowMs: 5250 }, { received: 2 });
  expect(window.sums).toEqual({ windowMs: 500 });
});

it('says what became of each stretch', () => {
  const window = new LoadWindow({ windowMs: 0 }, { received: 0 });
  const said = [250, 500, 750, 1000, 1250, 1500, 1750].map((windowMs) =>
    window.look({ windowMs }, { received: windowMs < 250 ? 0 : windowMs < 1750 ? 1 : 2 }),
  );
  expect(said).toEqual(['load', 'open', 'open', 'open', 'rest', 'rest', 'load']);
  expect(window.sums).toEqual({ windowMs: 500 });
  // Held up.
  expect(window.look({ windowMs: 2750 }, { received: 2 })).toBe('load');
});
