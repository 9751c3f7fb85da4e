import { describe, expect, it } from 'vitest';
import { built } from '../test/built.js';
import { workplace } from '../test/workplace.js';

const place = workplace();
const start = (args: readonly string[]) => place.start(process.execPath, [built('scripts/verdict-odds.js'), ...args]);

describe('bench:verdict', () => {
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
