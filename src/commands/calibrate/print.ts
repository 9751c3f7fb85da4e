import { type Document, faulty, type Line, type Suite, toned } from '../../render/document/document.js';
import { milliseconds } from '../../render/words/values.js';
import { loadInWords, loopsInWords, rateAndSize } from '../../render/words/verdict-words.js';
import type { Calibration, CalibrationPoint } from '../../results/experiment.js';
import type { RigLoad } from '../../results/result.js';
import { countText } from '../../units/text.js';
import { rate } from '../../units/unit.js';

/** Returns the document of a calibration: the largest trusted loads, then each point. */
export function calibrationDocument(found: Calibration): Document {
  const { machine, boundUs, points, skipped } = found;
  const kinds = [...new Set(points.map(({ load }) => clientsOf(load)))];
  const left = skipped.map((load) => `${clientsOf(load)} ${sizeOf(load)}`);
  const most = kinds.map((clients) => {
    const trusted = points.filter(({ load, isTrusted }) => isTrusted && clientsOf(load) === clients);
    const [largest] = trusted.sort((a, b) => deliveries(b) - deliveries(a));
    return largest === undefined
      ? toned.bad(`Not right with ${clients} clients at any load`)
      : toned.good(`Right with ${clients} clients up to ${pointInWords(largest)}`);
  });
  const bound = milliseconds(boundUs);
  const trusted = `A load is trusted if its counts are exact and its p99 is off by at most ${bound} ms.`;
  const skippedInWords = `skipped because a lighter load was wrong: ${left.join(', ')}`;
  return {
    title: `calibrate  ${machine.cpu}, ${machine.cores} cores, ${machine.kernel}, ${machine.runtime}`,
    parts: [
      {
        isAnswer: true,
        blocks: [...most, ...(points.length > 0 ? [] : [toned.bad('No load was measured.')]), trusted],
      },
      { blocks: [{ head, rows: points.map(rowOf), left: [0, 1, head.length - 1] }] },
      { blocks: skipped.length > 0 ? [toned.aside(skippedInWords)] : [] },
      { blocks: [toned.aside(legend)] },
    ],
    suites: [suiteOf(found)],
  };
}

const legend =
  'times in ms; done: by the metronome’s clock; error: measured minus done; lost and twice: done / measured';

function suiteOf({ startedAt, points, tool }: Calibration): Suite {
  const checks = points.map((point) => {
    const name = `${point.target} ${loadOf(point)}`;
    return point.isTrusted ? { name } : faulty(name, 'failure', 'untrusted', untrusted(point));
  });
  return { name: 'calibrate', timestamp: startedAt, seconds: 0, properties: { version: tool.version }, checks };
}

const head = [
  'target',
  'load',
  'done p50',
  'p99',
  'max',
  'error p50',
  'p99',
  'max',
  'lost',
  'twice',
  'verdict',
  'trust',
];

function rowOf(point: CalibrationPoint): Line[] {
  const { target, done, error, counts, isTrusted, rig } = point;
  const { good, bad, doubtful } = toned;
  const both = (name: string): string =>
    `${countText(counts[name]?.done ?? 0)} / ${countText(counts[name]?.measured ?? 0)}`;
  return [
    target,
    loadOf(point),
    ...[done.p50, done.p99, done.max].map(milliseconds),
    ...[error.p50, error.p99, error.max].map(signed),
    both('lost'),
    both('duplicate'),
    { clean: good, limited: doubtful, void: bad }[rig](rig),
    isTrusted ? good('trusted') : bad(untrusted(point)),
  ];
}

function untrusted({ areCountsExact, error }: CalibrationPoint): string {
  if (!areCountsExact) return 'COUNTS WRONG';
  return error.p99 === null ? 'no p99' : 'too far off';
}

function loadOf({ load, offeredPerSecond }: CalibrationPoint): string {
  const offered = offeredPerSecond === undefined ? '' : `, of ${rate.print(offeredPerSecond)} offered`;
  return `${clientsOf(load)}, ${sizeOf(load)}, ${loopsInWords(load)}${offered}`;
}

const clientsOf = ({ client, engine }: RigLoad): string => (engine === undefined ? client : `${engine} ${client}`);

const sizeOf = (load: RigLoad): string => `${countText(load.clients)} × ${rateAndSize(load)}`;

function signed(us: number | null): string {
  return us === null ? milliseconds(us) : `${us < 0 ? '−' : '+'}${milliseconds(Math.abs(us))}`;
}

const deliveries = ({ load }: CalibrationPoint): number => load.clients * load.ratePerSecond;

function pointInWords(point: CalibrationPoint): string {
  const perSecond = `${countText(deliveries(point))} deliveries a second`;
  return `${loadInWords(point.load)} (${perSecond}), p99 off by ${signed(point.error.p99)} ms`;
}
