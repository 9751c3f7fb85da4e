import { describe, expect, it } from 'vitest';
import { built } from '../test/built.js';
import { resultIn, workplace } from '../test/workplace.js';
import { isReversed } from './bench/lying-rig.js';

const place = workplace();

const start = (args: readonly string[], env = {}) =>
  place.start(process.execPath, [built('scripts/lying-rig.js'), ...args], env);

describe('scripts/lying-rig.js', () => {
  it('measures one target with two rigs and ignores load variables', async () => {
    const args = ['--target', 'ws', '--clients', '101', '--broadcasts', '7'];
    const ended = await start(args, { RINGSIDE_WORKERS: '3', RINGSIDE_CLIENT: 'wire', SHARDS: 'http://127.0.0.1:1' })
      .ended;
    const runs = [...ended.stderr.matchAll(/^kept in (.+)$/gm)].map(([, directory = '']) => resultIn(directory));
    expect(runs).toHaveLength(2);
    expect(ended.stdout).toMatch(/^7 .* 101 .* ws\b/);
    expect(ended.stdout).toMatch(/1 loop, library clients +\d+ loops, wire clients/);
    // Whether 101 clients are too many for one loop is up to the machine.
    expect(ended.code).toBe(isReversed(runs[0]!, runs[1]!) ? 0 : 4);
  });
});
