import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { XMLValidator } from 'fast-xml-parser';
import { expect, it } from 'vitest';
import type { Command } from '../../../test/command.js';
import { asJson, problemsIn } from '../../../test/refusal.js';
import { begin, directoryOf, env, expectWhole, kept, place, runsIn, suiteFile } from '../../../test/runs/suite.js';
import { isLimitedAtMost } from './conclude.js';

it.concurrent('a suite makes all its runs, and prints and keeps the scoreboards', async () => {
  const path = suiteFile('whole');
  const ended = await begin(path, ['--accept-limited']).ended;
  const directory = directoryOf('whole');
  expect(ended.code).toBe(isLimitedAtMost(kept(directory).suite) ? 0 : 4);
  expectWhole(directory);
  expect(ended.stderr).toContain(directory);
  expect(ended.stdout).toMatch(/^latency +anycable /m);
  expect(readFileSync(join(directory, 'suite.md'), 'utf8')).toMatch(/^### suite whole$/m);
  expect(XMLValidator.validate(readFileSync(join(directory, 'suite.junit.xml'), 'utf8'))).toBe(true);

  const shown = await place.run(['show', directory], env);
  expect(shown).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining(ended.stdout) });
  const report = await place.run(['suite', 'report', directory, '--json'], env);
  expect(JSON.parse(report.stdout)).toEqual(kept(directory).suite);
});

it.concurrent('a suite compares in pairs, resumes within them, and history draws their ratio', async () => {
  const path = join(place.folder, 'pairs.yml');
  const options = '{ clients: 13, starts: 3, rounds: 12, budget: 2m }';
  const entry = `{ scenario: latency, design: paired, options: ${options}, thresholds: [lost==0] }`;
  writeFileSync(path, `name: pairs\ntargets: [ws, uws]\nentries: [${entry}]\n`);
  const first = begin(path);
  await first.said('stderr', /^2\/3 start /m);
  first.kill('SIGINT');
  expect((await first.ended).code).toBe(130);
  const directory = directoryOf('pairs');
  expect(kept(directory).suite.isComplete).toBe(false);

  const { stdout } = await begin(path, ['--resume']).ended;
  const { suite, boards } = kept(directory);
  expect(suite.isComplete).toBe(true);
  expect(boards.map(({ paired }) => paired?.starts.length)).toEqual([3]);
  expect(stdout).toContain('latency: ');
  const drawn = await place.run(['history', 'delivery.p50', '--results', directory, '--json'], env);
  expect(JSON.parse(drawn.stdout).lines).toMatchObject([{ target: 'uws to ws', kind: 'ratio', points: [{}] }]);
});

it.concurrent('a suite resumes after an interruption or a kill, with the same result', async () => {
  const path = suiteFile('cut');
  const first = begin(path);
  await first.said('stderr', /^2\/6 latency uws /m);
  first.kill('SIGINT');
  const interrupted = await first.ended;
  const directory = directoryOf('cut');
  expect(interrupted.code).toBe(130);
  expect(interrupted.stderr).toContain(`ringside suite run ${path} --resume ${directory}`);
  expect(kept(directory).suite).toMatchObject({ isComplete: false, exit: 'interrupted' });
  const before = runsIn(directory);
  expect(before).toBe(1);

  const second = begin(path, ['--resume']);
  await second.said('stderr', /^5\/6 calls ws /m);
  second.kill('SIGKILL');
  expect((await second.ended).signal).toBe('SIGKILL');
  expect(runsIn(directory)).toBe(4);

  const changed = await begin(suiteFile('cut', '# changed\n'), ['--resume', directory], asJson).ended;
  expect([changed.code, problemsIn(changed).length]).toEqual([2, 1]);
  expect(runsIn(directory)).toBe(4);

  const third = await begin(suiteFile('cut'), ['--resume']).ended;
  expect(third.stderr).toMatch(/^suite cut\b.*\b8\b.*\b4\b/m);
  expectWhole(directory);

  const none = await begin(path, ['--resume'], asJson).ended;
  expect([none.code, problemsIn(none).length]).toEqual([2, 1]);
});

it.concurrent('a suite resumes in its own directory, wherever other results go', async () => {
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
  await second.ended;
  expect(kept(join(far, begun)).suite).toMatchObject({ isComplete: true, entries: [{ rows: [{ runs: 2 }] }] });
});
