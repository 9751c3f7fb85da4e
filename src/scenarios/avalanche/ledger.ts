import { count, shareOf } from '../../units/words.js';
import { check, readerOf, total } from '../books.js';
import { spreadOf } from '../returns/spread.js';
import type { Ledger, LedgerEntries, Sums } from '../scenario.js';

const none = new Uint32Array(0);
/** Shares of the cut clients, in percent, for which it is told when they were back. */
const shares = [50, 95, 99, 100] as const;

const counted = [
  ...['asked', 'opened', 'lostBefore', 'provenBefore'],
  ...['cut', 'cutBefore', 'neverCut', 'proven', 'backUnproven', 'cutAgain'],
  ...['attempts', 'returns', 'failedAttempts', 'underWay'],
  ...['attempted', 'acked', 'refused'],
] as const;

/** A client's way: asked, there at the order, cut, back, proven by a delivery. Each step foots, and who fell out is named by cause. */
export function avalancheLedger({ counts, causes, series }: Sums): Ledger {
  const of = Object.fromEntries(counted.map((name) => [name, counts[name] ?? 0])) as Record<string, number>;
  const {
    asked = 0,
    opened = 0,
    lostBefore = 0,
    cut = 0,
    cutBefore = 0,
    neverCut = 0,
    proven = 0,
    backUnproven = 0,
    cutAgain = 0,
  } = of;
  const { attempts = 0, returns = 0, failedAttempts = 0, underWay = 0, attempted = 0, acked = 0, refused = 0 } = of;
  const failed = counts.failedPublishes ?? 0;
  const notStarted = counts.notStarted ?? 0;
  const notOpenedByCause = { ...causes.connect, ...(notStarted > 0 ? { 'not-started': notStarted } : {}) };
  const notOpened = total(notOpenedByCause);
  const notBackByCause = causes.notBack ?? {};
  const notBack = total(notBackByCause);
  const { cutInMs = none, provenInMs = none } = series;
  return {
    entries: {
      ...of,
      ...{ notOpened, notOpenedByCause, back: proven + backUnproven, notBack, notBackByCause, failed },
      ...{ cutByCause: causes.cut ?? {}, cutAgainByCause: causes.cutAgain ?? {} },
      failedAttemptsByCause: causes.attempt ?? {},
      ...spreadOf(cutInMs),
      ...timesTo(provenInMs, cut),
      ...((counts.overdue ?? 0) > 0 && { deadlineMs: provenInMs.length - 1 }),
    },
    breaks: [
      ...check(attempted, 'attempted', acked + refused + failed, 'acked + refused + failed'),
      ...check(asked, 'asked', opened + lostBefore + notOpened, 'there at the order + lost before it + not opened'),
      ...check(opened, 'there at the order', cut + neverCut, 'cut + never cut'),
      ...check(cut, 'cut', proven + backUnproven + notBack, 'proven + back unproven + not back'),
      ...check(cut + cutAgain, 'cuts', returns + notBack, 'returns + not back'),
      ...check(attempts, 'attempts', returns + failedAttempts + underWay, 'returns + failed + under way'),
      ...check(cut, 'cut', cutBefore + total(cutInMs), 'those cut before the order + at some millisecond after it'),
      ...check(proven, 'proven', total(provenInMs), 'those proven at some millisecond'),
    ],
  };
}

/**
 * In which whole millisecond after the order the share was reached, of all that were cut, by those that are proven back. A share that was not reached
 * by the deadline has no entry: a number in its place would be a score.
 */
function timesTo(provenInMs: Uint32Array, cut: number): Record<string, number> {
  const times: Record<string, number> = {};
  if (cut === 0) return times;
  let back = 0;
  provenInMs.forEach((each, ms) => {
    const before = back;
    back += each;
    for (const share of shares) {
      const needed = Math.ceil((cut * share) / 100);
      if (before < needed && back >= needed) times[`backAfterMs${share}`] = ms;
    }
  });
  return times;
}

/** The same in sentences. */
export function avalancheLedgerLines(entries: LedgerEntries): readonly (readonly [string, string])[] {
  const { number, of, causes } = readerOf(entries);
  const ms = (name: string): string | undefined =>
    entries[name] === undefined ? undefined : `${count(number(name))} ms`;
  const lostBefore = number('lostBefore') === 0 ? '' : ` + ${of('lostBefore')} lost before it`;
  const spread =
    number('cut') === number('cutBefore')
      ? ''
      : `; the first ${ms('firstCutMs')} after the order, the last ${ms('lastCutMs')}`;
  const early = number('cutBefore') === 0 ? '' : `; ${of('cutBefore')} before the order alone`;
  const beyond = entries.deadlineMs === undefined ? '–' : `later than ${ms('deadlineMs')}`;
  const times = number('cutAgain') === 1 ? 'time' : 'times';
  const again = number('cutAgain') === 0 ? '' : `; ${of('cutAgain')} ${times} again${causes('cutAgainByCause')}`;
  return [
    [
      'clients',
      `${of('asked')} = ${of('opened')} there at the order + ${of('notOpened')} not opened${lostBefore}; ${of('provenBefore')} proven before it`,
    ],
    ['cut off', `${of('opened')} = ${of('cut')} cut + ${of('neverCut')} never cut${spread}${early}${again}`],
    [
      'back',
      `${of('cut')} = ${of('proven')} proven by a delivery + ${of('backUnproven')} back without one + ${of('notBack')} not back${causes('notBackByCause')}  (${shareOf(number('proven'), number('cut'))})`,
    ],
    ['time to', shares.map((share) => `${share} % ${ms(`backAfterMs${share}`) ?? beyond}`).join(' · ')],
    [
      'attempts',
      `${of('attempts')} = ${of('returns')} came back + ${of('failedAttempts')} failed${causes('failedAttemptsByCause')} + ${of('underWay')} under way`,
    ],
    ['publishes', `${of('attempted')} = ${of('acked')} acked + ${of('refused')} refused + ${of('failed')} failed`],
  ];
}
