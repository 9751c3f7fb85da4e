import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { asJson, named, refusal } from '../../../test/refusal.js';
import { begin, place, results, suiteFile } from '../../../test/runs/suite.js';
import { type SuiteResult, suiteResult } from '../../results/suite.js';

it('a suite is compared with the newest night of its shape', () =>
  place.fleet.lend(1, async (fleet) => {
    const night = async (more: string, ...flags: string[]): Promise<SuiteResult['entries'][number]> => {
      const path = join(place.folder, 'night.yml');
      const entry = `scenario: latency, targets: [metronome], thresholds: [lost==0], repeat: 1`;
      const options = `clients: 7, broadcasts: 11, rate: 20/s, warmUp: 0, rampRate: 500/s, drain: 5s${more}`;
      writeFileSync(path, `name: night\nseed: 7\nentries: [{ ${entry}, options: { ${options} } }]\n`);
      const ended = await begin(path, [...flags, '--json'], { ...fleet }).ended;
      const [found] = suiteResult.parse(JSON.parse(ended.stdout)).entries;
      if (!found) throw new Error('a night has an entry');
      return found;
    };
    const thresholdOf = ({ rows }: SuiteResult['entries'][number]) =>
      rows[0]?.changes?.filter(({ kind }) => kind === 'threshold').map(({ relation }) => relation);
    const lossy = ', targetOption: [drop=0.5]';

    const first = await night('');
    expect(first).toMatchObject({ baseline: null, rows: [{ changes: null }] });
    const second = await night(lossy, '--baseline', results);
    expect(thresholdOf(second)).toEqual(['worse']);
    const third = await night(lossy, '--baseline', results);
    expect(thresholdOf(third)).toEqual([]);
    expect(third.baseline?.startedAt).not.toBe(second.baseline?.startedAt);
    const other = await night(', payload: 97b', '--baseline', results);
    expect(other).toMatchObject({ baseline: null, notHeld: expect.stringContaining('payload') });
  }));

it('a suite is refused before any load if its file is wrong', async () => {
  const file = suiteFile('wrong', '  - { scenario: latency, options: { drain: 5 } }\n');
  const refused = await refusal(begin(file, [], asJson));
  expect(refused).toContainEqual(named('badFile', 'entries[2].options.drain'));
  expect(refused).toContainEqual(named('badFile', 'name'));
  expect(readdirSync(results).filter((each) => each.includes('-suite-wrong-'))).toEqual([]);
});
