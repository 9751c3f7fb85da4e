import { describe, expect, it } from 'vitest';
import { roomyReading, starvedReading } from './readings.js';
import { sideBySide } from './side-by-side.js';

const load = { target: 'uws', subscribers: 10_007, broadcasts: 23 };
const style = { isColored: false, columns: 100 };
const show = (...[starved, roomy]: Parameters<typeof starvedReading>[]): string =>
  sideBySide(
    load,
    starvedReading(...(starved ?? [])),
    roomyReading(...(roomy ?? [])),
    { isShown: true, sentences: ['first', 'then'] },
    style,
  );

describe('sideBySide', () => {
  it('puts the figures of both rigs into a row each', () => {
    const text = show();
    expect(text).toMatch(/^23 broadcasts, one a second, to 10,007 subscribers of uws, measured by two rigs\n/);
    expect(text).toMatch(/1 loop, library clients +2 loops, wire clients\n/);
    expect(text).toMatch(/delivery p99 +239 ms +59\.0 ms\n/);
    expect(text).toMatch(/p99 at least +61\.0 ms +53\.0 ms\n/);
    expect(text).toMatch(/answered, the slowest +11\.3 ms +7\.01 ms\n/);
    expect(text).toMatch(/verdict +LIMITED +clean\n/);
  });

  it('gives each verdict with its evidence', () => {
    expect(show()).toContain(
      '1 loop, library clients: LIMITED\n  receive-lag: delivery p50 waited\n2 loops, wire clients: clean\n  no rule speaks\n',
    );
  });

  it('says what the one loop claims, what its own books make of it, and ends with what follows', () => {
    const text = show();
    expect(text).toContain('takes 127 ms for half of the deliveries, and 239 ms or more for one in a hundred.\n');
    expect(text).toContain('waited in the loop itself for up to 86.0 ms of the p50 and 178 ms of the p99.\n');
    expect(text).toContain('half of the publishes within 3.07 ms; that answer');
    expect(text.endsWith('\n\nfirst\nthen')).toBe(true);
  });

  it('makes no sentence of figures that there are not', () => {
    const none = { p50: null, p99: null, atLeastP50: null, atLeastP99: null, ackP50: null, ackMax: null };
    const text = show([none], [none]);
    expect(text).toMatch(/delivery p50 +– +–\n/);
    expect(text).toContain('too few deliveries for a p50 and a p99.\n\nfirst');
    expect(text).not.toMatch(/null|NaN/);
  });
});
