import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { built } from '../../../test/built.js';
import { latencyFlags } from '../../../test/latency.js';
import { voidedBy, workplace } from '../../../test/workplace.js';
import { type Comparison, comparison } from '../../results/comparison.js';

const place = workplace();
const starts = 3;
const size = ['--starts', `${starts}`, '--rounds', '12', '--slot', '40ms', '--subscribers', '7', '--drain', '1s'];
const metronome = `'${process.execPath}' '${built('servers/metronome/main.js')}'`;

/** A target file of that name, with addresses at a port and further lines. */
function targetFile(name: string, port: number | '{port}', ...lines: string[]): string[] {
  const urls = [`targetUrl: ws://127.0.0.1:${port}/ws`, `publishUrl: http://127.0.0.1:${port}/_broadcast`];
  const file = join(place.folder, `${name}.yml`);
  writeFileSync(file, [`name: ${name}`, 'protocol: ws-json', ...urls, ...lines].join('\n'));
  return ['--target-file', file];
}

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
      const command = `${metronome} --host 127.0.0.1 --port {port} --delay "constant:$DELAY"`;
      const start = ['start:', `  command: ${JSON.stringify(command)}`, `  environment: { DELAY: ${delayMs}ms }`];
      return targetFile(delayMs === 5 ? 'base' : 'head', '{port}', ...start);
    });
    const limits = ['head/base delivery.last < 100', 'head/base lost <= 1'].flatMap((text) => ['--threshold', text]);
    const command = place.ringside(['compare', 'latency', ...files, ...size, ...limits, '--json']);
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
      const command = `${metronome} --host 127.0.0.1 --port {port} & wait`;
      const file = targetFile('orphan', '{port}', 'start:', `  command: ${JSON.stringify(command)}`);
      const driver = place.ringside(['run', 'latency', ...file, ...latencyFlags(7, 997)]);
      await driver.said('stderr', / publish /);
      expect(driver.family('metronome/main.js')).toHaveLength(2);
      driver.kill('SIGKILL');
      await vi.waitFor(() => expect(driver.family()).toEqual([]), { timeout: 60_000 });
    },
  );

  it('that does not start says so, with the end of its log', async () => {
    const wrong = targetFile('wrong', '{port}', 'start: { command: "echo no config >&2; exit 7" }');
    const [problem] = await place.refused(['run', 'latency', ...wrong]);
    expect(problem).toMatchObject({ code: 'targetFailed', message: expect.stringMatching(/wrong.*exit code 7/) });
    expect(problem?.hint).toContain('no config');
  });
});

describe('a running server with a restart command', () => {
  it('is another process in each start of a paired comparison', async () => {
    const files = await Promise.all(
      ['base', 'head'].map(async (name) => {
        const { port, command } = await place.serve('servers/metronome/main.js');
        const [log, script] = ['log', 'sh'].map((ending) => join(place.folder, `again-${name}.${ending}`));
        writeFileSync(log!, `${command.pid}\n`);
        const lines = [
          `kill "$(tail -n 1 '${log}')"`,
          `while kill -0 "$(tail -n 1 '${log}')" 2> /dev/null; do sleep 0.02; done`,
          `${metronome} --host 127.0.0.1 --port ${port} > /dev/null 2>&1 &`,
          `echo $! >> '${log}'`,
        ];
        writeFileSync(script!, `${lines.join('\n')}\n`);
        return { name, log: log!, flags: targetFile(name, port, `restartCommand: sh '${script}'`) };
      }),
    );
    const args = ['compare', 'latency', ...files.flatMap(({ flags }) => flags), ...size, '--json'];
    const { stdout } = await place.measure(args);
    const { rows, paired } = comparison.parse(JSON.parse(stdout));
    expect(rows.map(({ state, runs }) => [state, runs.length])).toEqual([
      ['ran', starts],
      ['ran', starts],
    ]);
    expect(paired?.sameProcesses).toBeUndefined();
    for (const { result } of rows.flatMap(({ runs }) => runs))
      expect([result.target.isOurs, result.ledger.lost]).toEqual([false, 0]);
    for (const { log } of files) {
      const processes = readFileSync(log, 'utf8').trim().split('\n');
      expect(new Set(processes).size).toBe(1 + starts);
    }
  });
});
