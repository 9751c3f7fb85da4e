import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { built } from '../../test/built.js';
import { capacityBooks, heldResult, idleFlags } from '../../test/capacity.js';
import { canHaveOwnNetwork, canTrack, inOwnNetwork, track } from '../../test/namespace.js';
import { asJson, refusal } from '../../test/refusal.js';
import { workplace } from '../../test/workplace.js';

const place = workplace();
/** What takes the place of `ip`, beside what is always needed. */
const where = 'for program in unshare sh perl; do command -v $program; done';
const programs = spawnSync('sh', ['-c', where], { encoding: 'utf8' }).stdout.trim().split('\n');
const inHold = /hold +started 101/;
const idle = (flags: readonly string[]): string[] => ['run', 'idle', '--target', 'ws', '--own-network', ...flags];

describe.runIf(canHaveOwnNetwork)('a run in a network of its own', () => {
  it.runIf(programs.length === 3)('has a loopback on a system without `ip`', async () => {
    const bin = mkdtempSync(join(place.folder, 'bin-'));
    for (const program of programs) symlinkSync(program, join(bin, basename(program)));
    const ended = await place.run(idle(idleFlags(53)), { PATH: bin });
    expect(capacityBooks(heldResult(ended))).toMatchObject({ opened: 53, held: 53 });
  });

  it('ends by a signal with what was measured, and leaves nothing behind', async () => {
    const driver = place.ringside(idle(idleFlags(101, ['--duration', '1m'])));
    await driver.said('stderr', inHold);
    driver.kill('SIGINT');
    const ended = await driver.ended;
    expect([ended.code, heldResult(ended).stop.code]).toEqual([130, 'endedByUser']);
    expect(driver.family()).toEqual([]);
  });

  it('ends with the process that started it', async () => {
    const driver = place.ringside(idle(idleFlags(101, ['--duration', '1m'])));
    await driver.said('stderr', inHold);
    driver.kill('SIGKILL');
    expect(await driver.ended).toMatchObject({ signal: 'SIGKILL' });
    await expect.poll(() => driver.family(), { timeout: 30_000 }).toEqual([]);
  });
});

describe.runIf(canTrack)('connections that the kernel tracks', () => {
  it('are counted before the run, which is refused, and are not tracked in a network of its own', async () => {
    const clients = Number(readFileSync('/proc/sys/net/netfilter/nf_conntrack_max', 'utf8')) + 1;
    const flags = ['run', 'idle', '--target', 'uws', '--clients', String(clients)];
    const codes = async (...more: string[]): Promise<string[]> => {
      const ringside = [process.execPath, built('src/cli/main.js'), ...flags, ...more].join(' ');
      const refused = await refusal(place.start('unshare', inOwnNetwork(`${track} && exec ${ringside}`), asJson));
      return refused.map(({ code }) => code).filter((code) => code === 'trackingLimit' || code === 'descriptorLimit');
    };
    expect(await codes()).toContain('trackingLimit');
    const untracked = await codes('--own-network');
    expect(untracked).toContain('descriptorLimit');
    expect(untracked).not.toContain('trackingLimit');
  });
});
