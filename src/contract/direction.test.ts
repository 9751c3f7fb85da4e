import { describe, expect, it } from 'vitest';
import { scenarios } from './catalog.js';
import { countKinds, directionOf, faultless, unitOf } from './direction.js';

describe.each(scenarios)('$name', (scenario) => {
  const { entries } = scenario.ledger({ counts: {}, causes: {}, series: {}, timeline: {} });
  const counts = Object.keys(entries).filter((name) => typeof entries[name] === 'number');

  it('has a kind for each count of its ledger', () => {
    expect(counts.filter((name) => !countKinds.has(name))).toEqual([]);
  });

  it('has a headline in which a better and a worse can be told', () => {
    const told = scenario.headline.filter((column) => directionOf(column, scenario) !== 'neither');
    expect(told.length).toBeGreaterThanOrEqual(scenario.headline.length - 1);
  });
});

it('has no kind for a count that no ledger has, but for those that depend on what came', () => {
  const none = { counts: {}, causes: {}, series: {}, timeline: {} };
  const names = new Set(scenarios.flatMap((scenario) => Object.keys(scenario.ledger(none).entries)));
  const unheard = [...countKinds.keys()].filter((name) => !names.has(name));
  expect(unheard.filter((name) => !/^(backAfterMs\d+|firstCutMs|lastCutMs|deadlineMs|batches)$/.test(name))).toEqual(
    [],
  );
});

it('knows the unit of each entry that says one in its name', () => {
  const said = (name: string): string => {
    if (/PerSecond$/.test(name)) return 'perSecond';
    if (/Ms\d*$/.test(name)) return 'ms';
    return /Seconds?$/.test(name) ? 'seconds' : 'count';
  };
  for (const name of countKinds.keys()) expect([name, unitOf(name)]).toEqual([name, said(name)]);
});

it('calls less of the target’s times better, and says nothing of the rig’s', () => {
  const metrics = {
    delivery: { kind: 'distribution', unit: 'us', of: 'target', meaning: 'a' },
    publishLag: { kind: 'distribution', unit: 'us', of: 'rig', meaning: 'b' },
  } as const;
  const p99 = (metric: string) => directionOf({ title: '', kind: 'figure', metric, figure: 'p99' }, { metrics });
  expect([p99('delivery'), p99('publishLag'), p99('nothing')]).toEqual(['lower', 'neither', 'neither']);
  const share = { title: '', kind: 'share', part: 'delivered', whole: 'expected' } as const;
  expect(directionOf(share, { metrics })).toBe('higher');
  expect(directionOf({ title: '', kind: 'count', entry: 'lost' }, { metrics })).toBe('lower');
  expect(directionOf({ title: '', kind: 'footprint' }, { metrics })).toBe('lower');
});

it('knows what a figure is where nothing went wrong', () => {
  const count = (entry: string) => faultless({ title: '', kind: 'count', entry });
  expect([count('lost'), count('backlogPeak'), count('delivered')]).toEqual([0, undefined, undefined]);
  expect(faultless({ title: '', kind: 'share', part: 'delivered', whole: 'expected' })).toBe(1);
  expect(faultless({ title: '', kind: 'figure', metric: 'delivery', figure: 'p99' })).toBeUndefined();
});
