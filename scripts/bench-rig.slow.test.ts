import { describe, expect, it } from 'vitest';
import { built } from '../test/built.js';
import { workplace } from '../test/workplace.js';

const place = workplace();
const start = (script: string, args: readonly string[]) => place.start(process.execPath, [built(script), ...args]);

describe('scripts/bench-rig.js', () => {
  it('prints a row for each bound and reader, and ends as the rows say', async () => {
    const ended = await start('scripts/bench-rig.js', ['--only', 'engine-opening', '--quick']).ended;
    const [, bound = '', ...rows] = ended.stdout.trimEnd().split('\n');
    expect(bound).toMatch(/native \/ JS .* <= 0\.45 x/);
    for (const row of rows.slice(0, -1)) expect(row).toMatch(/ \d+\.\d\d us +1\.00 reads each$/);
    // What the machine made of the comparison is up to it.
    expect(ended.code).toBe(ended.stdout.includes('BROKEN') ? 1 : 0);
  });

  it('refuses a bench that it has not', async () => {
    const ended = await start('scripts/bench-rig.js', ['--only', 'nothing']).ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('scripts/bench-peers.js', () => {
  it('prints a row for each peer that is here, without one that failed', async () => {
    const ended = await start('scripts/bench-peers.js', ['--only', 'native', '--only', 'node', '--quick']).ended;
    expect(ended.code).toBe(0);
    const [, ...lines] = ended.stdout.trimEnd().split('\n');
    for (const line of lines) expect(line).toMatch(/is not here: |( [\d,.]+ (us|bytes|ms)| –)+$/);
    expect(lines).toHaveLength(2);
  });
});
