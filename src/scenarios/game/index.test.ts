import { describe, expect, it } from 'vitest';
import { naming } from '../../../test/refusal.js';
import { loadOptions } from '../load-options.js';
import { game } from './index.js';

const load = loadOptions.parse({});

describe('the demand of a game', () => {
  it('is that of all clients of its stages, each of whom types and pings', () => {
    const options = game.options.parse({ stages: '825s:3300,10s:3300' });
    expect(game.demand(options, load)).toEqual({
      clients: 3300,
      publishesPerSecond: 0,
      sends: { perSecond: 3300 * 6, deliveriesPerSecond: 3300 * (5 * 6 + 1) },
      payloadBytes: options.payloadBytes,
      broadcasts: 1,
      durationMs: 835_000 + 5000,
    });
    // Nobody is there when traffic begins.
    expect(game.arriving?.(options)).toBe(3300);
    expect(game.contradictions?.(options)).toEqual([]);
  });

  it('is refused where clients would leave, or have more keys than there are numbers', () => {
    const refused = (stages: string) => game.contradictions?.(game.options.parse({ stages }));
    expect(refused('5s:20,5s:10')).toEqual([naming('--stages', '5s:20,5s:10')]);
    expect(refused('2h:10000')).toEqual([naming('--stages', '2h:10000')]);
  });
});
