import { describe, expect, it } from 'vitest';
import { built } from '../src/testing/built.js';
import { workplace } from '../src/testing/workplace.js';

const place = workplace();
const start = (args: readonly string[]) => place.start(process.execPath, [built('scripts/verdict-odds.js'), ...args]);

describe('bench:verdict', () => {
  it('counts the verdicts of both shapes, and exits by what was promised of them', async () => {
    const ended = await start(['--runs', '1', '--subscribers', '7']).ended;
    expect(ended.stderr.match(/^1\/1 (starved|comfortable), .+ \.\.\. (clean|limited|void)/gm)).toHaveLength(2);
    expect(ended.stdout).toMatch(/^starved +7 library clients on one loop( +[01]){3} /m);
    expect(ended.stdout).toMatch(/^comfortable +1,000 wire clients, .+?( +[01]){3} /m);
    // What comes out is up to the machine.
    expect(ended.code).toBe(ended.stdout.includes('BROKEN') ? 1 : 0);
  });

  it('shows the runs until it is interrupted', async () => {
    const command = start(['--subscribers', '7']);
    await command.said('stderr', /starved/);
    command.kill('SIGINT');
    const ended = await command.ended;
    expect(ended.code).toBe(130);
    expect(ended.stdout).toMatch(/^starved .+( +0){3} /m);
  });

  it('says what is wrong with its flags', async () => {
    const ended = await start(['--runs', 'often']).ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('verdict-odds [--runs 10]');
  });
});
