import { columnsOrBlocks, paint, type Style } from '../../render/words/table.js';
import { milliseconds } from '../../render/words/values.js';
import { loadInWords, loopsInWords, rateAndSize } from '../../render/words/verdict-words.js';
import type { Calibration, CalibrationPoint } from '../../results/calibration.js';
import type { RigLoad } from '../../results/result.js';
import { countText } from '../../units/text.js';
import { rate } from '../../units/unit.js';

/** Prints a calibration for the terminal: the largest trusted loads, then each point. */
export function renderCalibration(found: Calibration, style: Style): string {
  const { title, aside, good, bad } = paint(style);
  const { machine, boundUs, points, skipped } = found;
  const rows = points.map((point) => rowOf(point, style));
  const kinds = [...new Set(points.map(({ load }) => clientsOf(load)))];
  const left = skipped.map((load) => `${clientsOf(load)} ${sizeOf(load)}`);
  return [
    title(`calibrate  ${machine.cpu}, ${machine.cores} cores, ${machine.kernel}, ${machine.runtime}`),
    ...kinds.map((clients) => {
      const most = largest(points.filter(({ load, isTrusted }) => isTrusted && clientsOf(load) === clients));
      return most === undefined
        ? bad(`${clients} clients: no load is trusted`)
        : good(`${clients} clients: up to ${pointInWords(most)}`);
    }),
    ...(points.length > 0 ? [] : [bad('No load was measured.')]),
    `A load is trusted if its counts are exact and its p99 is off by at most ${milliseconds(boundUs)} ms.`,
    '',
    columnsOrBlocks(style.columns, head, rows, [0, 1, head.length - 1]),
    ...(skipped.length > 0 ? ['', aside(`skipped because a lighter load was wrong: ${left.join(', ')}`)] : []),
    '',
    aside('times in ms; done: by the metronome’s clock; error: measured minus done; lost and twice: done / measured'),
  ].join('\n');
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

function rowOf(
  { target, load, offeredPerSecond, done, error, counts, isTrusted, areCountsExact, rig }: CalibrationPoint,
  style: Style,
): string[] {
  const { good, bad, doubtful } = paint(style);
  const offered = offeredPerSecond === undefined ? '' : `, of ${rate.print(offeredPerSecond)} offered`;
  const both = (name: string): string =>
    `${countText(counts[name]?.done ?? 0)} / ${countText(counts[name]?.measured ?? 0)}`;
  return [
    target,
    `${clientsOf(load)}, ${sizeOf(load)}, ${loopsInWords(load)}${offered}`,
    ...[done.p50, done.p99, done.max].map(milliseconds),
    ...[error.p50, error.p99, error.max].map(signed),
    both('lost'),
    both('duplicate'),
    { clean: good, limited: doubtful, void: bad }[rig](rig),
    isTrusted ? good('trusted') : bad(!areCountsExact ? 'COUNTS WRONG' : error.p99 === null ? 'no p99' : 'too far off'),
  ];
}

/** Returns `library`, `js wire` or `native wire`. */
const clientsOf = ({ client, engine }: RigLoad): string => (engine === undefined ? client : `${engine} ${client}`);

const sizeOf = (load: RigLoad): string => `${countText(load.subscribers)} × ${rateAndSize(load)}`;

function signed(us: number | null): string {
  return us === null ? milliseconds(us) : `${us < 0 ? '−' : '+'}${milliseconds(Math.abs(us))}`;
}

function largest(points: readonly CalibrationPoint[]): CalibrationPoint | undefined {
  return points.toSorted((a, b) => deliveries(b) - deliveries(a))[0];
}

const deliveries = ({ load }: CalibrationPoint): number => load.subscribers * load.ratePerSecond;

function pointInWords(point: CalibrationPoint): string {
  const perSecond = `${countText(deliveries(point))} deliveries a second`;
  return `${loadInWords(point.load)} (${perSecond}), p99 off by ${signed(point.error.p99)} ms`;
}
