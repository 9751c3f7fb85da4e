import { describe, expect, it } from 'vitest';
import { workplace } from '../../test/workplace.js';

const place = workplace();

describe('calibrate', () => {
  it('refuses a grid with everything that is wrong with it', async () => {
    const wrong = ['--subscribers', 'many', '--target', 'ws', '--client', 'browser'];
    const ended = await place.run(['calibrate', ...wrong]);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    for (const said of ['--subscribers', '--target', '--client']) expect(ended.stderr).toContain(`${said}: expected`);
  });
});
