import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { built } from '../../../test/built.js';
import { latencyFlags } from '../../../test/latency.js';
import { canDrill } from '../../../test/network.js';
import { workplace } from '../../../test/workplace.js';
import { runResult } from '../../results/result.js';

const place = workplace();

describe.runIf(canDrill('a full disk'))('a disk that is full at the end of a run', () => {
  it('leaves the printed result, which is whole, and no part of a kept one', async () => {
    const results = join(place.folder, 'results');
    mkdirSync(results);
    const run = ['run', 'latency', '--target', 'ws', ...latencyFlags(7, 101), '--results', results, '--json'];
    const script = [
      `mount -t tmpfs -o size=16k tmpfs ${results}`,
      `${process.execPath} ${built('src/cli/main.js')} ${run.join(' ')}; code=$?`,
      `[ -z "$(ls -A ${results})" ] && exit $code`,
    ];
    const ended = await place.start('unshare', ['--map-root-user', '--mount', 'bash', '-c', script.join('\n')]).ended;
    expect(ended.code).toBe(4);
    const { ledger } = runResult.parse(JSON.parse(ended.stdout));
    expect(ledger).toMatchObject({ acked: 101, delivered: 707, lost: 0 });
  });
});
