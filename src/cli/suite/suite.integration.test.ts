import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import { type Comparison, comparison } from '../../contract/comparison.js';
import { doubtfulAgain, isLimitedAtMost, type SuiteResult, suiteProgress, suiteResult } from '../../contract/suite.js';
import type { Command } from '../../testing/command.js';
import { workplace } from '../../testing/workplace.js';

const place = workplace();
const env = { RINGSIDE_RESULTS: join(place.folder, 'results') };
const results = join(place.folder, 'results');

/** Two entries, two targets that can be started and one that cannot, a few broadcasts. */
function suiteFile(name: string, more = ''): string {
  const path = join(place.folder, `${name}.yml`);
  const text = `name: ${name}
seed: 7
targets: [ws, anycable, uws]
repeat: 2
options: { rampRate: 500/s, drain: 5s }
entries:
  - scenario: latency
    options: { subscribers: 13, broadcasts: 11, rate: 20/s, warmUp: 3 }
    thresholds: [lost==0]
  - name: calls
    scenario: echo
    targets: [ws, uws]
    repeat: 1
    options: { clients: 17, rate: 5/s, duration: 1s }
    thresholds: [lost==0]
${more}`;
  writeFileSync(path, text);
  return path;
}

const nowhere = { ...env, ANYCABLE_GO_BIN: '/nowhere/anycable-go' };
const begin = (path: string, ...flags: string[]): Command => place.ringside(['suite', 'run', path, ...flags], nowhere);

function directoryOf(name: string): string {
  const [found, ...others] = readdirSync(results).filter((each) => each.includes(`-suite-${name}-`));
  if (found === undefined || others.length > 0)
    throw new Error(`expected one suite ${name}, found ${others.length + 1}`);
  return join(results, found);
}

const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'));

function kept(directory: string): { suite: SuiteResult; boards: Comparison[] } {
  const suite = suiteResult.parse(read(join(directory, 'suite.json')));
  return {
    suite,
    boards: suite.entries.map(({ name }) => comparison.parse(read(join(directory, name, 'comparison.json')))),
  };
}

/** What must come out however often it was interrupted. */
function expectWhole(directory: string): void {
  const { suite, boards } = kept(directory);
  expect(suite.isComplete).toBe(true);
  const rows = boards.map((board) => board.rows.map(({ target, state, runs }) => [target, state, runs.length]));
  expect(rows).toEqual([
    [
      ['ws', 'ran', 2],
      ['anycable', 'notAvailable', 0],
      ['uws', 'ran', 2],
    ],
    [
      ['ws', 'ran', 1],
      ['uws', 'ran', 1],
    ],
  ]);
  const [latency = [], calls = []] = boards.map((board) =>
    board.rows.flatMap(({ runs }) => runs.map(({ result }) => result)),
  );
  expect(latency.map(({ ledger }) => ledger.delivered)).toEqual([143, 143, 143, 143]);
  expect(calls.map(({ ledger }) => ledger.delivered)).toEqual([85, 85]);
  expect(new Set([...latency, ...calls].map(({ job }) => job.seed))).toEqual(new Set([7]));
  expect(new Set([...latency, ...calls].map(({ job }) => job.runId)).size).toBe(6);
  const order = latency.toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
  expect(order.map(({ target }) => target.name)).toEqual(['ws', 'uws', 'ws', 'uws']);
  expect(suite.entries.flatMap((entry) => entry.rows.map(({ promises }) => promises.kept))).toEqual([2, 0, 2, 1, 1]);
}

const runsIn = (directory: string): number => suiteProgress.parse(read(join(directory, 'progress.json'))).runs.length;

describe('a suite', () => {
  it('makes all its runs, prints and keeps one scoreboard', async () => {
    const path = suiteFile('whole');
    const ended = await begin(path, '--accept-limited').ended;
    const directory = directoryOf('whole');
    expect(ended.code).toBe(isLimitedAtMost(kept(directory).suite) ? 0 : 4);
    expectWhole(directory);
    expect(ended.stderr).toMatch(/^suite whole: 2 entries, 8 runs, \S+ at most$/m);
    expect(ended.stderr).toContain(`kept in ${directory}`);
    expect(ended.stdout).toMatch(/^latency +anycable .*not available: /m);
    expect(readFileSync(join(directory, 'suite.md'), 'utf8')).toMatch(/^## Suite whole$/m);
    expect(XMLValidator.validate(readFileSync(join(directory, 'suite.junit.xml'), 'utf8'))).toBe(true);

    const shown = await place.run(['show', directory], env);
    expect(shown).toMatchObject({ code: 0, stderr: '', stdout: ended.stdout });
    const issue = join(place.folder, 'issue.md');
    const told = await place.run(['suite', 'report', results, '--json', '--issue', issue], env);
    expect(JSON.parse(told.stdout)).toEqual(kept(directory).suite);
    expect(readdirSync(place.folder)).not.toContain('issue.md');
  }, 240_000);

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
    expect(one.rows[0]?.changes?.map(({ name, judgement }) => `${name} ${judgement}`)).toEqual(
      expect.arrayContaining(['delivered% worse', 'lost==0 worse']),
    );
    expect(hasIssue()).toBe(false);

    const two = await night(lossy, '--previous', results);
    expect(two.baseline?.isCarried).toBe(true);
    const twice = ['metronome  delivered%', 'metronome  lost==0'];
    expect([...two.again, ...doubtfulAgain(two)]).toEqual(expect.arrayContaining(twice));
    // A busy machine limits its nights.
    const isTold = [one, two].some(({ rows }) => rows[0]?.isDoubtful === false);
    expect([two.again.length > 0, hasIssue()]).toEqual([isTold, isTold]);
    if (!isTold) return;
    expect(readFileSync(issue, 'utf8')).toContain('- **metronome** lost==0 kept by 100 % → 0.00 % of runs');
    expect(await night(lossy, '--previous', results)).toMatchObject({ again: [] });
  }, 240_000);

  it('goes on where it was interrupted, by whatever, and comes to the same', async () => {
    const path = suiteFile('cut');
    const first = begin(path);
    await first.said('stderr', /^2\/6 latency uws .* publish/m);
    first.kill('SIGINT');
    const interrupted = await first.ended;
    const directory = directoryOf('cut');
    expect(interrupted).toMatchObject({ code: 130, stdout: expect.stringContaining('not run') });
    expect(interrupted.stderr).toContain(`go on with: ringside suite run ${path} --resume ${directory}`);
    expect(kept(directory).suite).toMatchObject({ isComplete: false, exit: 'interrupted' });
    const before = runsIn(directory);
    expect(before).toBe(1);

    const second = begin(path, '--resume');
    await second.said('stderr', /^5\/6 calls ws /m);
    second.kill('SIGKILL');
    expect((await second.ended).signal).toBe('SIGKILL');
    expect(runsIn(directory)).toBe(4);

    const changed = await begin(suiteFile('cut', '# changed\n'), '--resume', directory).ended;
    expect(changed).toMatchObject({ code: 2, stderr: expect.stringContaining('expected the file as it was begun') });
    expect(runsIn(directory)).toBe(4);

    const third = await begin(suiteFile('cut'), '--resume').ended;
    expect(third.stderr).toMatch(/^suite cut: 2 entries, 8 runs, 4 of them done, /m);
    expect([0, 4]).toContain(third.code);
    expectWhole(directory);

    const none = await begin(path, '--resume').ended;
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('expected a suite that was begun') });
  }, 240_000);

  it('goes on beside its runs alone, whatever place the results of others have', async () => {
    const path = join(place.folder, 'far.yml');
    const options = '{ clients: 3, rate: 5/s, duration: 1s, drain: 1s }';
    writeFileSync(
      path,
      `name: far\nseed: 7\ntargets: [ws]\nrepeat: 2\nentries: [{ scenario: echo, options: ${options} }]\n`,
    );
    const far = join(place.folder, 'far');
    const run = (...flags: string[]): Command =>
      place.ringside(['suite', 'run', path, ...flags], { RINGSIDE_RESULTS: undefined });
    const first = run('--results', far);
    await first.said('stderr', /^2\/2 echo ws /m);
    first.kill('SIGINT');
    expect((await first.ended).code).toBe(130);
    expect(readdirSync(first.folder)).not.toContain('results');

    const [begun = ''] = readdirSync(far);
    const second = run('--resume', join(far, begun));
    writeFileSync(join(second.folder, 'results'), 'no directory can be made here');
    expect([0, 4]).toContain((await second.ended).code);
    expect(kept(join(far, begun)).suite).toMatchObject({ isComplete: true, entries: [{ rows: [{ runs: 2 }] }] });
  }, 240_000);

  it('is refused before any load where its file is wrong', async () => {
    const ended = await begin(suiteFile('wrong', '  - { scenario: latency, options: { drain: 5 } }\n')).ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('entries[2].options.drain: expected');
    expect(ended.stderr).toContain('expected a `name` of its own');
    expect(readdirSync(results).filter((each) => each.includes('-suite-wrong-'))).toEqual([]);
  });
});
