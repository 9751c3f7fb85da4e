import { ledgerSum } from '../../measure/ledger.js';
import { countText, shareOf } from '../../units/text.js';
import { attemptSum, backSum, check, countsOf, ledgerOf, none, publishSum, total } from '../books/ledger.js';
import {
  bracketed,
  connectionMetrics,
  connectionSamples,
  disconnectMetrics,
  publishMetrics,
  waitMetric,
} from '../metrics.js';
import { spreadInWords, spreadOf, wereCut } from '../roster/returning.js';
import { drain, measured, type Scenario } from '../scenario.js';
import { lastsMs } from '../traffic/schedule.js';
import { avalancheAudience, avalancheOptions, avalanchePublisher } from './roles.js';

const shares = [50, 95, 99, 100] as const;

const counted = [
  ...['asked', 'opened', 'lostBefore', 'provenBefore'],
  ...['cut', 'cutBefore', 'neverCut', 'proven', 'backUnproven', 'cutAgain'],
  ...['attempts', 'returns', 'failedAttempts', 'underWay'],
  ...['attempted', 'acked', 'refused'],
] as const;

const clientSum = ledgerSum(['asked', 'clients asked'], {
  opened: 'there at the order',
  notOpened: 'not opened',
  lostBefore: 'lost before it',
});

const cutSum = ledgerSum(['opened', 'there at the order'], { cut: ['cut', 'good'], neverCut: 'never cut' });

/** Returns the millisecond after the order in which each share of the cut clients was proven back. */
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

/** Counts each step of a client: asked, there at the order, cut, back, proven by a delivery. */
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
    const ms = (name: string): string | undefined => (entries[name] === undefined ? undefined : `${of(name)} ms`);
    const spread = number('cut') === number('cutBefore') ? '' : spreadInWords(of);
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

const notBack = { unfinished: ['backUnproven', 'notBack'] };

/** Measures how N clients come back after a restart of the target, and how long the last of them takes. */
export const avalanche: Scenario<typeof avalancheOptions> = {
  name: 'avalanche',
  question: 'How long do all clients take to come back after a restart?',
  summary: 'how long N clients take to be back, proven by a broadcast, after their target was restarted',
  options: avalancheOptions,
  without: {
    stages: 'Its clients leave when the target restarts, and each of them must come back.',
    duration: 'It ends when all clients are back: give --deadline for the longest wait.',
  },
  metrics: {
    ...bracketed(
      'backAfter',
      'audience',
      'from the restart order to the first delivery after a client’s last return; covers clients that are not back',
      notBack,
    ),
    ...bracketed(
      'back',
      'audience',
      'clients proven back: from the first cut to the first delivery after the last return',
    ),
    ...bracketed(
      'offline',
      'audience',
      'clients that are back: from the first cut to the subscription confirmed again',
    ),
    ...disconnectMetrics,
    wait: waitMetric,
    ...connectionMetrics,
    connect: { ...connectionMetrics.connect, meaning: `in the ramp: ${connectionMetrics.connect.meaning}` },
    subscribe: { ...connectionMetrics.subscribe, meaning: `in the ramp: ${connectionMetrics.subscribe.meaning}` },
    ...publishMetrics,
    publishAck: {
      ...publishMetrics.publishAck,
      meaning: 'after the order: from the publish request to the target’s answer, where there was one',
    },
  },
  needs: () => ['subscribe'],
  stages: [
    { name: 'ramp', summary: 'clients connect and subscribe, evenly spaced; each subscription is confirmed' },
    { name: 'calm', gate: 'start', summary: 'a few broadcasts prove every client' },
    measured('storm', 'restart', 'the target restarts; cut clients come back amid broadcasts, until all are proven'),
    drain('publishes under way are answered'),
  ],
  disruption: {
    kind: 'restartTarget',
    gate: 'restart',
    signal: ({ endedBy }) => (endedBy === 'kill' ? 'SIGKILL' : 'SIGTERM'),
    failed({ cut = 0, cutBefore = 0, opened = 0 }) {
      const cutAfter = cut - cutBefore;
      if (wereCut(cutAfter, opened)) return undefined;
      const evidence = `of ${countText(opened)} clients that were there at the order ${countText(cutAfter)} were cut`;
      return { code: 'noRestart', evidence };
    },
  },
  publishes: true,
  demand(options) {
    const { calmBroadcasts, calmWithinMs, deadlineMs, ratePerSecond } = options;
    const rampMs = lastsMs(options.clients, options.rampRatePerSecond);
    const calmMs = lastsMs(calmBroadcasts, ratePerSecond) + calmWithinMs;
    return {
      clients: options.clients,
      publishesPerSecond: ratePerSecond,
      payloadBytes: options.payloadBytes,
      broadcasts: calmBroadcasts + Math.max(1, Math.ceil((ratePerSecond * deadlineMs) / 1000)),
      durationMs: rampMs + calmMs + deadlineMs,
    };
  },
  sizes: ['clients'],
  independentAtMost: ({ clients }) => ({
    ...{ backAfter: clients, back: clients, offline: clients, disconnect: clients },
    ...connectionSamples(clients),
  }),
  audience: async (context) => avalancheAudience(context),
  publisher: async (context) => avalanchePublisher(context),
  failures: { nothing: [{ got: 'proven', missing: ['backUnproven', 'notBack'] }] },
  ...avalancheLedger,
  headline: [
    { title: 'to 50 %', kind: 'figure', metric: 'backAfter', figure: 'p50' },
    { title: 'to 95 %', kind: 'figure', metric: 'backAfter', figure: 'p95' },
    { title: 'to 100 %', kind: 'figure', metric: 'backAfter', figure: 'max' },
    { title: 'proven back', kind: 'share', part: 'proven', whole: 'cut' },
    { title: 'cut p99', kind: 'figure', metric: 'disconnect', figure: 'p99' },
  ],
  sentence: [
    'of {cut} clients that the restart cut, 50 % were back within {backAfter.p50}',
    '95 % within {backAfter.p95}',
    'all within {backAfter.max}',
    { count: 'notBack', none: '', some: '{notBack} did not come back' },
  ],
};
