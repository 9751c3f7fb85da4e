import { readlinkSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { capacityBooks, heldResult, idleFlags } from '../../test/capacity.js';
import { canHaveOwnNetwork } from '../../test/namespace.js';
import { named } from '../../test/refusal.js';
import { workplace } from '../../test/workplace.js';

const place = workplace();
const idle = (flags: readonly string[]): string[] => ['run', 'idle', '--target', 'ws', '--own-network', ...flags];

describe.runIf(canHaveOwnNetwork).concurrent('a run in a network of its own', () => {
  it('has its rig and its target there, and its results and its exit code here', async () => {
    const command = place.ringside(idle(idleFlags(101, ['--local-shards', '2', '--threshold', 'held<53'])));
    const ended = await command.ended;
    const result = heldResult(ended);
    expect(ended.code).toBe(3);
    expect(capacityBooks(result)).toMatchObject({ opened: 101, held: 101 });
    const namespaces = result.shards.map((shard) => shard.result?.rig.shard.tcp?.namespace.split('/').at(-1));
    expect(new Set(namespaces).size).toBe(1);
    expect(namespaces).not.toContain(readlinkSync('/proc/self/ns/net'));
    expect(command.family()).toEqual([]);
  });
});

describe('an own network is refused', () => {
  const address = ['--target-url', 'ws://10.0.0.7/ws', '--protocol', 'ws-json', '--publish-url', 'http://10.0.0.7/'];

  it('for targets that run elsewhere, for a page to watch, and beside shards', async () => {
    const elsewhere = await place.refused(['run', 'idle', ...address, '--own-network', '--watch']);
    const problems = [named('ownNetwork', '10.0.0.7'), named('ownNetwork', '--watch')];
    expect(elsewhere.slice(-2)).toEqual(problems);
    expect(await place.refused(idle(['--shard', 'http://127.0.0.1:1']))).toEqual([named('badOption', '--shard')]);
  });

  it.runIf(process.platform === 'linux')('where the system does not allow it, or has no unshare', async () => {
    expect(await place.refused(idle([]), { PATH: place.folder })).toEqual([named('ownNetwork', 'unshare', 'ENOENT')]);
  });
});
