import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ourName } from '../contract/problems.js';
import { Recorder } from '../measure/samples/recorder.js';
import { sumCounts } from '../measure/samples/sample-sum.js';
import { cleanName, FlowFigures } from './figures.js';

function figuring() {
  const lines: string[] = [];
  const clock = { ns: 0 };
  const figures = new FlowFigures(
    () => new Recorder(),
    () => clock.ns,
    (line) => lines.push(line),
  );
  return { figures, lines, clock };
}

describe('names of figures', () => {
  it('are ones that a shard may repeat', () => {
    const texts = fc.array(fc.nat(0xffff), { maxLength: 100 }).map((codes) => String.fromCharCode(...codes));
    fc.assert(
      fc.property(texts, (name) => {
        expect(ourName.safeParse(`check:${cleanName(name)}`).success).toBe(true);
      }),
    );
    expect(cleanName('joined in < 2 s\u001b[31m')).toBe('joined in - 2 s');
  });

  it('beyond the first 100 of a kind are one', () => {
    const { figures } = figuring();
    const names = Array.from({ length: 1000 }, (_, name) => figures.check(`check ${name}`, true));
    expect([new Set(names).size, names.at(-1), figures.check('check 3', true)]).toEqual([101, 'other', 'check 3']);
    const { counts, causes } = figures.report();
    expect([causes.checkKept?.other, counts.checksKept]).toEqual([900, 1001]);
  });
});

describe('checks', () => {
  it('are counted by name', () => {
    const { figures } = figuring();
    for (const isKept of [true, false, true]) figures.check('history came', isKept);
    figures.check('joined', false);
    figures.reached(['history came', 'joined']);
    expect(figures.report()).toMatchObject({
      counts: { checks: 4, checksKept: 2, checksBroken: 2 },
      causes: {
        checkKept: { 'history came': 2, joined: 0 },
        checkBroken: { 'history came': 1, joined: 1 },
        checkReached: { 'history came': 1, joined: 1 },
      },
    });
  });

  it('that clients did not reach add up over workers, however they are split', () => {
    const names = ['a', 'b', 'c'];
    const lifeOf = fc.subarray(names);
    fc.assert(
      fc.property(
        fc.array(lifeOf, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 5 }),
        (lives, workers) => {
          const all = Array.from({ length: workers }, () => figuring().figures);
          for (const [index, life] of lives.entries()) {
            const figures = all[index % workers]!;
            figures.reached(new Set(life.map((name) => figures.check(name, index % 2 === 0))));
          }
          const reachedByAny = names.filter((name) => lives.some((life) => life.includes(name)));
          const missing = lives.flatMap((life) => reachedByAny.filter((name) => !life.includes(name)));
          const reached = sumCounts(all.map((figures) => figures.report().causes.checkReached ?? {}));
          const notReached = Object.values(reached).reduce((sum, clients) => sum + lives.length - clients, 0);
          expect(notReached).toBe(missing.length);
        },
      ),
    );
  });
});

describe('the log', () => {
  it('has the client and its words, bounded and without control characters', () => {
    const { figures, lines } = figuring();
    figures.log(7, ['joined', { room: 3, list: [1, 2] }, undefined, '\u001b[31mred\n']);
    figures.log(7, ['x'.repeat(9999)]);
    expect(lines[0]).toBe('client 7: joined { room: 3, list: [ 1, 2 ] } undefined red');
    expect(lines[1]?.length).toBe(256);
  });

  it('has 20 lines of a second, and the others are counted', () => {
    const { figures, lines, clock } = figuring();
    for (let line = 0; line < 70; line++) {
      clock.ns = line * 20e6;
      figures.log(1, [line]);
    }
    expect([lines.length, figures.of('droppedLines')]).toEqual([40, 30]);
  });
});
