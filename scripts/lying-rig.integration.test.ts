import { describe, expect, it } from 'vitest';
import { built } from '../test/built.js';
import { workplace } from '../test/workplace.js';

const place = workplace();

const start = (args: readonly string[], env = {}) =>
  place.start(process.execPath, [built('scripts/lying-rig.js'), ...args], env);

describe('scripts/lying-rig.js', () => {
  it('passes a refusal of its run on', async () => {
    const ended = await start(['--target', 'nobody']).ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('nobody');
  });

  it('refuses a wrong flag', async () => {
    const ended = await start(['--clients', '0']).ended;
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('--clients');
  });
});
