import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

describe.concurrent('two versions of a server', () => {
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
    const made = found.paired!.starts.length + found.paired!.voidStarts;
    expect(made).toBeGreaterThanOrEqual(starts);
    expect(found.rows.map(({ target, state, runs }) => [target, state, runs.length])).toEqual([
      ['base', 'ran', made],
      ['head', 'ran', made],
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
    expect(new Set(processesOf(found).flat()).size).toBe(2 * made);
    expect(command.family()).toEqual([]);
  });
});

it.concurrent('a running server with a restart command is another process in each start of a comparison', async () => {
  const files = await Promise.all(
    ['old', 'new'].map(async (name) => {
      const { port, command } = await place.serve('servers/metronome/main.js');
      const [log, script] = ['log', 'sh'].map((ending) => join(place.folder, `again-${name}.${ending}`));
      writeFileSync(log!, `${command.pid}\n`);
      const lines = [
        `kill "$(tail -n 1 '${log}')"`,
        `while kill -0 "$(tail -n 1 '${log}')" 2> /dev/null; do sleep 0.02; done`,
        `${metronomeCommand} --host 127.0.0.1 --port ${port} > /dev/null 2>&1 &`,
        `echo $! >> '${log}'`,
      ];
      writeFileSync(script!, `${lines.join('\n')}\n`);
      return { name, log: log!, flags: ownTargetFile(place.folder, name, port, `restartCommand: sh '${script}'`) };
    }),
  );
  const args = ['compare', 'latency', ...files.flatMap(({ flags }) => flags), ...smallComparison, '--json'];
  const { stdout } = await place.measure(args);
  const { rows, paired } = comparison.parse(JSON.parse(stdout));
  const made = paired!.starts.length + paired!.voidStarts;
  expect(rows.map(({ state, runs }) => [state, runs.length])).toEqual([
    ['ran', made],
    ['ran', made],
  ]);
  expect(paired?.sameProcesses).toBeUndefined();
  for (const { result } of rows.flatMap(({ runs }) => runs))
    expect([result.target.isOurs, result.ledger.lost]).toEqual([false, 0]);
  for (const { log } of files) {
    const processes = readFileSync(log, 'utf8').trim().split('\n');
    expect(new Set(processes).size).toBe(1 + made);
  }
});
