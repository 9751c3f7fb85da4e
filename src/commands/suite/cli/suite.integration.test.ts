import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { asJson, named, refusal } from '../../../../test/refusal.js';
import { begin, env, place, results, suiteFile } from '../../../../test/runs/suite.js';
import { keptDirectory } from '../../../../test/workplace.js';
import { doubtfulAgain, type SuiteResult, suiteResult } from '../book.js';

describe('a suite', () => {
  it('is compared with the night before, and writes an issue for what got worse in both nights', () =>
    place.fleet.lend(1, async (fleet) => {
      const issue = join(place.folder, 'issue.md');
      const night = async (more: string, ...flags: string[]): Promise<SuiteResult['entries'][number]> => {
        const path = join(place.folder, 'night.yml');
        const entry = `scenario: latency, targets: [metronome], thresholds: [lost==0], repeat: 1`;
        const options = `subscribers: 7, broadcasts: 11, rate: 20/s, warmUp: 0, rampRate: 500/s, drain: 5s${more}`;
        writeFileSync(path, `name: night\nseed: 7\nentries: [{ ${entry}, options: { ${options} } }]\n`);
        const ended = await begin(path, [...flags, '--json'], { ...fleet }).ended;
        await place.run(['suite', 'report', keptDirectory(ended), '--issue', issue], env);
        const [entryOfNight] = suiteResult.parse(JSON.parse(ended.stdout)).entries;
        if (!entryOfNight) throw new Error('a night has an entry');
        return entryOfNight;
      };
      const hasIssue = (): boolean => readdirSync(place.folder).includes('issue.md');
      const lossy = ', targetOption: [drop=0.5]';

      expect(await night('')).toMatchObject({ baseline: null, rows: [{ changes: null }] });
      const one = await night(lossy, '--previous', results);
      expect(one).toMatchObject({ baseline: { isCarried: false }, again: [] });
      // No figure of a run that took too long is compared; its losses are.
      expect(one.rows[0]?.changes?.map(({ name, judgement }) => `${name} ${judgement}`)).toContain('lost==0 worse');
      expect(hasIssue()).toBe(false);

      const two = await night(lossy, '--previous', results);
      expect(two.baseline?.isCarried).toBe(true);
      expect([...two.again, ...doubtfulAgain(two)]).toContain('metronome  lost==0');
      // A busy machine limits nights, and of limited ones no issue is written.
      const isReported = [one, two].some(({ rows }) => rows[0]?.isDoubtful === false);
      expect([two.again.length > 0, hasIssue()]).toEqual([isReported, isReported]);
      if (isReported) expect(readFileSync(issue, 'utf8')).toMatch(/\*\*metronome\*\* lost==0\b.*100 %.*0\.00 %/);
    }));

  it('is refused before any load where its file is wrong', async () => {
    const file = suiteFile('wrong', '  - { scenario: latency, options: { drain: 5 } }\n');
    const refused = await refusal(begin(file, [], asJson));
    expect(refused).toContainEqual(named('badFile', 'entries[2].options.drain'));
    expect(refused).toContainEqual(named('badFile', 'name'));
    expect(readdirSync(results).filter((each) => each.includes('-suite-wrong-'))).toEqual([]);
  });
});
