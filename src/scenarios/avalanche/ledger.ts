import { sumOf } from '../../measure/ledger.js';
import { count, shareOf } from '../../units/words.js';
import { attemptSum, backSum, check, countsOf, ledgerOf, none, total } from '../books.js';
import { publishSum } from '../broadcasts/ledger.js';
import { spreadOf } from '../returns/cuts.js';

/** Shares of the cut clients, in percent, whose return is timed. */
const shares = [50, 95, 99, 100] as const;

const counted = [
  ...['asked', 'opened', 'lostBefore', 'provenBefore'],
  ...['cut', 'cutBefore', 'neverCut', 'proven', 'backUnproven', 'cutAgain'],
  ...['attempts', 'returns', 'failedAttempts', 'underWay'],
  ...['attempted', 'acked', 'refused'],
] as const;

const clientSum = sumOf(['asked', 'clients asked'], {
  opened: 'there at the order',
  notOpened: 'not opened',
  lostBefore: 'lost before it',
});

const cutSum = sumOf(['opened', 'there at the order'], { cut: ['cut', 'good'], neverCut: 'never cut' });

/** The whole millisecond after the order in which each share of the cut clients was proven back; else no entry. */
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

/** A client's way: asked, there at the order, cut, back, proven by a delivery. Each step adds up, by cause. */
export const avalancheLedger = ledgerOf({
  kinds: {
    given: [
      ...['asked', 'cut', 'neverCut', 'firstCutMs', 'lastCutMs', 'deadlineMs', 'attempts', 'returns', 'underWay'],
      'attempted',
    ],
    merit: ['opened', 'provenBefore', 'proven', 'back', 'acked'],
    burden: shares.map((share) => `backAfterMs${share}`),
    fault: [
      ...['notOpened', 'lostBefore', 'cutBefore', 'cutAgain', 'backUnproven', 'notBack', 'failedAttempts'],
      ...['refused', 'failed'],
    ],
  },
  sums: [publishSum, clientSum, cutSum, backSum, attemptSum],
  count({ counts, causes, series }) {
    const of = countsOf(counts, counted);
    const { cut = 0, cutBefore = 0, proven = 0, backUnproven = 0, cutAgain = 0, returns = 0 } = of;
    const notStarted = counts.notStarted ?? 0;
    const notOpenedByCause = { ...causes.connect, ...(notStarted > 0 ? { 'not-started': notStarted } : {}) };
    const notBackByCause = causes.notBack ?? {};
    const notBack = total(notBackByCause);
    const { cutInMs = none, provenInMs = none } = series;
    const entries = {
      ...of,
      ...{ notOpened: total(notOpenedByCause), notOpenedByCause },
      ...{ back: proven + backUnproven, notBack, notBackByCause, failed: counts.failedPublishes ?? 0 },
      ...{ cutByCause: causes.cut ?? {}, cutAgainByCause: causes.cutAgain ?? {} },
      failedAttemptsByCause: causes.attempt ?? {},
      ...spreadOf(cutInMs),
      ...timesTo(provenInMs, cut),
      ...((counts.overdue ?? 0) > 0 && { deadlineMs: provenInMs.length - 1 }),
    };
    const breaks = [
      ...check(cut + cutAgain, 'cut + cutAgain', returns + notBack, 'returns + notBack'),
      ...check(cut, 'cut', cutBefore + total(cutInMs), 'cutBefore + cut at some millisecond after the order'),
      ...check(proven, 'proven', total(provenInMs), 'proven at some millisecond'),
    ];
    return { entries, breaks };
  },
  lines({ number, of, causes, parts }, entries) {
    const ms = (name: string): string | undefined =>
      entries[name] === undefined ? undefined : `${count(number(name))} ms`;
    const spread =
      number('cut') === number('cutBefore')
        ? ''
        : `; the first ${ms('firstCutMs')} after the order, the last ${ms('lastCutMs')}`;
    const early = number('cutBefore') === 0 ? '' : `; ${of('cutBefore')} before the order alone`;
    const beyond = entries.deadlineMs === undefined ? '–' : `later than ${ms('deadlineMs')}`;
    const proven = shareOf(number('proven'), number('cut'));
    const times = number('cutAgain') === 1 ? 'time' : 'times';
    const again = number('cutAgain') === 0 ? '' : `; ${of('cutAgain')} ${times} again${causes('cutAgainByCause')}`;
    return [
      ['clients', `${of('asked')} = ${parts(clientSum, {}, ['lostBefore'])}; ${of('provenBefore')} proven before it`],
      ['cut off', `${of('opened')} = ${parts(cutSum)}${spread}${early}${again}`],
      ['back', `${of('cut')} = ${parts(backSum, { notBack: 'notBackByCause' })}  (${proven})`],
      ['time to', shares.map((share) => `${share} % ${ms(`backAfterMs${share}`) ?? beyond}`).join(' · ')],
      ['attempts', `${of('attempts')} = ${parts(attemptSum, { failedAttempts: 'failedAttemptsByCause' })}`],
      ['publishes', `${of('attempted')} = ${parts(publishSum)}`],
    ];
  },
});
