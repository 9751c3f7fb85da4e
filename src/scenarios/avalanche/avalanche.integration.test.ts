import { describe, expect, it } from 'vitest';
import { targetFlags } from '../../../test/latency.js';
import { named } from '../../../test/refusal.js';
import { allBack, external, flags, managed, place, soundBooks, ws } from '../../../test/runs/avalanche.js';
import { stopReasons } from '../../contract/stop-reasons.js';

describe.concurrent('a target of ours that is restarted', () => {
  it('comes back with each of its processes at its port', async () => {
    const ended = await managed('uws', flags(211, ['--target-processes', '3']));
    const result = allBack(ended, 211);
    expect(result.target.settings).toMatchObject({ processes: 3 });
  });
});

describe.concurrent('a target that runs already', () => {
  it('that is not restarted at all makes a failed run, and no score of 0 ms', async () => {
    const target = await place.serve(ws);
    const ended = await external(target, flags(31, ['--deadline', '2s', '--restart-command', 'true']));
    const { result, books } = soundBooks(ended);
    expect(ended.code).toBe(4);
    expect(result.stop).toMatchObject({ code: 'noRestart', advice: stopReasons.noRestart.advice });
    expect(result.verdict.rig).toBe('void');
    expect(books).toMatchObject({ opened: 31, cut: 0, neverCut: 31 });
    expect(result.metrics.backAfter).toMatchObject({ count: 0, p50: null, max: null });
  });

  it('is refused before the run where nobody says how to restart it', async () => {
    const target = await place.serve(ws);
    const flagsOfTarget = ['run', 'avalanche', ...targetFlags(target), ...flags(31)];
    expect(await place.refused(flagsOfTarget)).toEqual([named('badOption', '--restart-command', '--restart-url')]);
  });
});
