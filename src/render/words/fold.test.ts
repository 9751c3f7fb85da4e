import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fold } from './fold.js';

describe('folding', () => {
  it('breaks between words and hangs below the last column that leaves room', () => {
    expect(fold('anycable-pro  –  –  not available: ANYCABLE_GO_PRO_BIN names no binary', 50)).toBe(
      [
        'anycable-pro  –  –  not available:',
        '                    ANYCABLE_GO_PRO_BIN names no',
        '                    binary',
      ].join('\n'),
    );
  });

  it('hangs two further than a line without columns', () => {
    expect(fold(' one two three four five six seven eight nine ten', 40)).toBe(
      ' one two three four five six seven eight\n   nine ten',
    );
  });

  it('counts no colours', () => {
    const red = '\x1b[31mworse\x1b[39m by more than the noise, and more'; // 40 characters
    expect(fold(red, 40)).toBe(red);
  });

  it('leaves a pipe alone, and what fits', () => {
    const long = 'word '.repeat(100);
    expect(fold(long, Number.POSITIVE_INFINITY)).toBe(long);
    expect(fold('a  b\n\n  c', 40)).toBe('a  b\n\n  c');
  });

  it('loses no word, and makes no line wider unless a word is', () => {
    const words = fc.array(fc.stringMatching(/^[a-z]{1,12}( {1,3}[a-z]{1,12})*$/), { maxLength: 20 });
    fc.assert(
      fc.property(words, fc.integer({ min: 40, max: 90 }), (lines, width) => {
        const text = lines.join('\n');
        const folded = fold(text, width);
        expect(folded.split(/\s+/)).toEqual(text.split(/\s+/));
        expect(Math.max(0, ...folded.split('\n').map((line) => line.length))).toBeLessThanOrEqual(width);
      }),
    );
  });
});
