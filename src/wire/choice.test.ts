import { describe, expect, it } from 'vitest';
import { chooseEngine, engineHere } from './choice.js';

const here = await engineHere();

describe('the choice of an engine', () => {
  it('is the JavaScript one for wss:// and where it is asked for, whatever is here', async () => {
    expect(await chooseEngine('js', false)).toEqual({ name: 'js' });
    expect(await chooseEngine('auto', true)).toEqual({ name: 'js', why: expect.any(String) });
    expect(await chooseEngine('auto', false)).toEqual(here);
  });

  it('fails where the native one is asked for and not to be had', async () => {
    await expect(chooseEngine('native', true)).rejects.toThrow();
  });
});
