import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { metronomeCommand, ownTargetFile, smallComparison, starts } from '../../../test/own-servers.js';
import { workplace } from '../../../test/workplace.js';
import { comparison } from '../../results/comparison.js';

const place = workplace();

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
