import { describe, expect, it, vi } from 'vitest';
import { latencyFlags } from '../../../test/latency.js';
import { metronomeCommand, ownTargetFile, smallComparison, starts } from '../../../test/own-servers.js';
import { voidedBy, workplace } from '../../../test/workplace.js';
import { type Comparison, comparison } from '../../results/comparison.js';

const place = workplace();

/** The process of each run, by target. */
function processesOf({ rows }: Comparison): number[][] {
  return rows.map(({ runs }) =>
    runs.map(({ result }) => {
      const { environment } = result;
      const found = environment.observations.find(({ source, name }) => source === 'proc' && name === 'rssBytes');
      return Number(found?.process);
    }),
  );
}

describe('two versions of a server of the user’s own', () => {
  it('are started fresh for each start, with a twin of the first, and end with the comparison', async () => {
    const files = [5, 50].flatMap((delayMs) => {
      const command = `${metronomeCommand} --host 127.0.0.1 --port {port} --delay "constant:$DELAY"`;
      const start = ['start:', `  command: ${JSON.stringify(command)}`, `  environment: { DELAY: ${delayMs}ms }`];
      return ownTargetFile(place.folder, delayMs === 5 ? 'base' : 'head', '{port}', ...start);
    });
    const limits = ['head/base delivery.last < 100', 'head/base lost <= 1'].flatMap((text) => ['--threshold', text]);
    const command = place.ringside(['compare', 'latency', ...files, ...smallComparison, ...limits, '--json']);
    const { stdout } = await command.ended;
    const found = comparison.parse(JSON.parse(stdout));
    expect(found.rows.map(({ target, state, runs }) => [target, state, runs.length])).toEqual([
      ['base', 'ran', starts],
      ['head', 'ran', starts],
    ]);
    expect(found.paired?.targets.map(({ target, twinOf }) => [target, twinOf])).toEqual([
      ['base', null],
      ['head', null],
      ['base (twin)', 'base'],
    ]);
    expect(found.paired?.sameProcesses).toBeUndefined();
    const results = found.rows.flatMap(({ runs }) => runs.map(({ result }) => result));
    expect(results.flatMap(voidedBy)).toEqual([]);
    for (const { target, ledger } of results)
      expect([target.isOurs, ledger.lost, ledger.delivered]).toEqual([true, 0, 12 * 7]);
    expect(new Set(processesOf(found).flat()).size).toBe(2 * starts);
    expect(command.family()).toEqual([]);
  });

  it.runIf(process.platform === 'linux')(
    'end with a driver that is killed, and so does all that they started',
    async () => {
      const command = `${metronomeCommand} --host 127.0.0.1 --port {port} & wait`;
      const file = ownTargetFile(place.folder, 'orphan', '{port}', 'start:', `  command: ${JSON.stringify(command)}`);
      const driver = place.ringside(['run', 'latency', ...file, ...latencyFlags(7, 997)]);
      await driver.said('stderr', / publish /);
      expect(driver.family('metronome/main.js')).toHaveLength(2);
      driver.kill('SIGKILL');
      await vi.waitFor(() => expect(driver.family()).toEqual([]), { timeout: 60_000 });
    },
  );

  it('that does not start says so, with the end of its log', async () => {
    const wrong = ownTargetFile(place.folder, 'wrong', '{port}', 'start: { command: "echo no config >&2; exit 7" }');
    const [problem] = await place.refused(['run', 'latency', ...wrong]);
    expect(problem).toMatchObject({ code: 'targetFailed', message: expect.stringMatching(/wrong.*exit code 7/) });
    expect(problem?.hint).toContain('no config');
  });
});
