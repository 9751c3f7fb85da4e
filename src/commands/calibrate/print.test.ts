import { it } from 'vitest';
import { expectGolden } from '../../../test/golden.js';
import { goldenResult } from '../../../test/golden-result.js';
import { terminalText } from '../../render/document/terminal.js';
import type { Calibration, CalibrationPoint } from '../../results/experiment.js';
import type { RigLoad } from '../../results/result.js';
import { calibrationDocument } from './print.js';

const loadOf = (clients: number, more: Partial<RigLoad> = {}): RigLoad => ({
  ...{ client: 'wire', engine: 'js', protocol: 'ws-json', clients, ratePerSecond: 10 },
  ...{ payloadBytes: 200, workers: 1, shards: 1 },
  ...more,
});

const exact = (done: number) => ({ done, measured: done });

/** A point whose p99 is off by so much, in microseconds. */
function point(load: RigLoad, offUs: number | null, more: Partial<CalibrationPoint> = {}): CalibrationPoint {
  const done = { p50: 27_503, p99: 49_603, max: 50_021 };
  const measured = { p50: 27_614, p99: offUs === null ? null : done.p99 + offUs, max: 53_129 };
  return {
    ...{ load, target: 'metronome', asked: done, done, measured, directory: 'there', rig: 'clean' },
    error: { p50: 111, p99: offUs, max: 3108 },
    counts: { broadcasts: exact(100), delivered: exact(9901), lost: exact(1007), duplicate: exact(97) },
    areCountsExact: true,
    isTrusted: offUs !== null && Math.abs(offUs) <= 1000,
    ...more,
  };
}

const text = (points: CalibrationPoint[], skipped: RigLoad[] = [], columns = 200): string => {
  const found: Calibration = {
    ...{
      schema: 2,
      tool: { name: 'ringside-bench', version: '0.1.0' },
      kind: 'calibration',
      startedAt: '2026-11-21T09:40:15.682Z',
    },
    ...{ machine: goldenResult().environment.driver, machineId: '49ac5d31', orders: { drop: 0.01 } },
    ...{ boundUs: 1000, points, skipped },
  };
  return terminalText(calibrationDocument(found), { isColored: false, columns });
};

it('says at which loads a machine measures right, in its golden file', async () => {
  const library = { client: 'library', engine: undefined };
  const wrong = { counts: { lost: { done: 1007, measured: 1011 }, duplicate: exact(97) }, areCountsExact: false };
  const [light, heavy] = [point(loadOf(100), 211), point(loadOf(1000, { workers: 2 }), -307)];
  const far = point(loadOf(3000), 7013, { rig: 'limited' });
  await expectGolden('calibration.txt', {
    'every load is trusted': text([light, heavy]),
    'a load that is too far off': text([light, heavy, far]),
    'a rate that never happened': text([
      light,
      point(loadOf(3000, { ratePerSecond: 24.1 }), 19, { offeredPerSecond: 40 }),
    ]),
    'in a narrow terminal': text([light], [], 80),
    'two kinds of clients': text(
      [light, point(loadOf(100, library), 4001)],
      [loadOf(1000, library), loadOf(3000, library)],
    ),
    'two engines': text([light, point(loadOf(100, { engine: 'native' }), 3)], [loadOf(1000, { engine: 'native' })]),
    'of an older version, which named no engine': text([point(loadOf(100, { engine: undefined }), 211)]),
    'wrong counts': text([light, point(loadOf(1000), 11, { ...wrong, isTrusted: false })]),
    'void and without a p99': text([point(loadOf(100), null, { rig: 'void', measured: light.measured })]),
    'another protocol': text([point(loadOf(100, { protocol: 'socketio' }), 211, { target: 'metronome-socketio' })]),
    'interrupted before the first run': text([]),
  });
});
