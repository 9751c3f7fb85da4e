import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { begin, env, place, results, suiteFile } from '../../../../test/runs/suite.js';
import { doubtfulAgain, type SuiteResult, suiteResult } from '../book.js';

describe('a suite', () => {
  it('is held against the night before, and writes an issue where something was worse twice and not by the rig alone', async () => {
    const issue = join(place.folder, 'issue.md');
    const night = async (more: string, ...flags: string[]): Promise<SuiteResult['entries'][number]> => {
      const path = join(place.folder, 'night.yml');
      const entry = `scenario: latency, targets: [metronome], thresholds: [lost==0], repeat: 1`;
      const options = `subscribers: 7, broadcasts: 11, rate: 20/s, warmUp: 0, rampRate: 500/s, drain: 5s${more}`;
      writeFileSync(path, `name: night\nseed: 7\nentries: [{ ${entry}, options: { ${options} } }]\n`);
      const ended = await begin(path, ...flags, '--json').ended;
      await place.run(['suite', 'report', /^kept in (.+)$/m.exec(ended.stderr)?.[1] ?? '', '--issue', issue], env);
      const [entryOfNight] = suiteResult.parse(JSON.parse(ended.stdout)).entries;
      if (!entryOfNight) throw new Error('a night has an entry');
      return entryOfNight;
    };
    const hasIssue = (): boolean => readdirSync(place.folder).includes('issue.md');
    const lossy = ', targetOption: [drop=0.5]';

    expect(await night('')).toMatchObject({ baseline: null, rows: [{ changes: null }] });
    const one = await night(lossy, '--previous', results);
    expect(one).toMatchObject({ baseline: { isCarried: false }, again: [] });
    // Of a run that took too long no figure is compared: what it lost stands.
    expect(one.rows[0]?.changes?.map(({ name, judgement }) => `${name} ${judgement}`)).toContain('lost==0 worse');
    expect(hasIssue()).toBe(false);

    const two = await night(lossy, '--previous', results);
    expect(two.baseline?.isCarried).toBe(true);
    expect([...two.again, ...doubtfulAgain(two)]).toContain('metronome  lost==0');
    // A busy machine limits its nights.
    const isTold = [one, two].some(({ rows }) => rows[0]?.isDoubtful === false);
    expect([two.again.length > 0, hasIssue()]).toEqual([isTold, isTold]);
    if (!isTold) return;
    expect(readFileSync(issue, 'utf8')).toContain('- **metronome** lost==0 kept by 100 % → 0.00 % of runs');
    expect(await night(lossy, '--previous', results)).toMatchObject({ again: [] });
  });

  it('is refused before any load where its file is wrong', async () => {
    const ended = await begin(suiteFile('wrong', '  - { scenario: latency, options: { drain: 5 } }\n')).ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('entries[2].options.drain: expected');
    expect(ended.stderr).toContain('expected a `name` of its own');
    expect(readdirSync(results).filter((each) => each.includes('-suite-wrong-'))).toEqual([]);
  });
});
