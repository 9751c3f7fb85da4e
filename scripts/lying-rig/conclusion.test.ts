import { describe, expect, it } from 'vitest';
import type { Verdict } from '../../src/results/result.js';
import { conclude } from './conclusion.js';
import { roomyReading, starvedReading } from './readings.js';

const marked = (rig: Verdict['rig']): { verdict: Verdict } => ({ verdict: { rig, evidence: [] } });
const saying = (...readings: Parameters<typeof conclude>): string => conclude(...readings).sentences.join('\n');

describe('conclude', () => {
  it('says how much of the p99 was the rig’s', () => {
    const { isShown, sentences } = conclude(starvedReading(), roomyReading());
    expect(isShown).toBe(true);
    expect(sentences[0]).toContain('from 239 ms to 59.0 ms: 180 ms (75 %) of what the one loop called');
    expect(sentences).toHaveLength(3);
    expect(sentences[2]).toMatch(/calls the second one clean\.$/);
  });

  it.each([
    ['limited', 59_000, 'clean', true],
    ['limited', 59_000, 'limited', true],
    ['limited', 239_001, 'clean', true],
    ['limited', 239_000, 'limited', false],
    ['limited', 239_001, 'limited', false],
    ['limited', 59_000, 'void', false],
    ['clean', 59_000, 'clean', false],
    ['void', 59_000, 'clean', false],
  ] as const)('of one loop %s with 239 ms, and %d us %s: %s', (starved, p99, roomy, isShown) => {
    const concluded = conclude(starvedReading(marked(starved)), roomyReading({ p99, ...marked(roomy) }));
    expect(concluded.isShown).toBe(isShown);
    expect(concluded.sentences.join().startsWith('The reversal did not show: ')).toBe(!isShown);
  });

  it('ascribes nothing to the rig that chance may have made', () => {
    const said = saying(starvedReading(), roomyReading({ p99Interval: [53_000, 223_000] }));
    expect(said).toContain('180 ms (75 %) less, which the differences between broadcasts may have made');
    expect(said).not.toContain('was the rig’s');
    expect(saying(starvedReading({ p99Interval: undefined }), roomyReading())).toContain('of too few broadcasts');
  });

  it.each([
    [60_999, 'found it below'],
    [61_000, 'there the second rig found it.'],
    [239_000, 'there the second rig found it.'],
    [239_001, 'found it above'],
  ])('holds the second rig’s p99 of %d us against the bracket of the one loop: %s', (p99, words) => {
    expect(saying(starvedReading(), roomyReading({ p99 }))).toContain(words);
  });

  it('gives the bracket of a second rig that is limited itself', () => {
    const said = saying(starvedReading(), roomyReading(marked('limited')));
    expect(said).toMatch(/marked limited: its p99 lies between 53\.0 ms and 59\.0 ms\.$/);
    expect(saying(starvedReading(), roomyReading({ atLeastP99: null, ...marked('limited') }))).toMatch(/limited\.$/);
  });

  it('claims no lower p99 where there is none, or none to be had', () => {
    expect(saying(starvedReading(), roomyReading({ p99: 241_000 }))).toContain(
      'no lower (from 239 ms to 241 ms), but nothing speaks against it',
    );
    expect(saying(starvedReading({ p99: null }), roomyReading())).toContain('too few samples for a p99');
    expect(conclude(starvedReading({ p99: null }), roomyReading(marked('limited'))).isShown).toBe(false);
  });

  it('names what kept the reversal from showing', () => {
    const limited = roomyReading({ p99: 241_000, ...marked('limited') });
    expect(saying(starvedReading(), limited)).toBe(
      'The reversal did not show: p99 241 ms on the second rig, 239 ms on the one loop, and both are limited: this machine had no room to give.',
    );
    expect(saying(starvedReading(marked('clean')), limited)).toContain('one loop had time enough');
    expect(saying(starvedReading(marked('void')), limited)).toContain('the run of the one loop is void');
    expect(saying(starvedReading(), roomyReading(marked('void')))).toContain('the run of the second rig is void');
  });
});
