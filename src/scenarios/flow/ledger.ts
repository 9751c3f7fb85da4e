import type { LedgerEntries, LedgerLines, Sum } from '../../measure/ledger.js';
import { ledgerSum } from '../../measure/ledger.js';
import { metricPartsOf } from '../../measure/metric-names.js';
import { commonestFirst, countText, shareOf } from '../../units/text.js';
import { check, countsOf, ledgerOf, type readerOf, total, unlearnedInWords } from '../books/ledger.js';

const clientSum = ledgerSum(['begun', 'clients begun'], {
  finished: 'finished',
  ended: ['ended by the run', 'good'],
  left: 'left',
});
const connectSum = ledgerSum(['connects', 'connections asked'], {
  connected: 'connected',
  notConnected: 'not connected',
});
const sendSum = ledgerSum(['declared', 'declared sends'], { sent: ['sent', 'good'], unsent: 'not sent' });
const owedSum = ledgerSum(['owed', 'deliveries owed'], { delivered: 'delivered', lost: 'lost' });
const answerSum = ledgerSum(['answersOwed', 'answers owed'], { answered: 'answered', unanswered: 'unanswered' });
const askSum = ledgerSum(['asks', 'asks'], { asksAnswered: 'answered', asksUnanswered: 'unanswered' });
const requestSum = ledgerSum(['requests', 'HTTP requests'], { requestsAnswered: 'answered', requestsFailed: 'failed' });
const checkSum = ledgerSum(['checks', 'checks'], { checksKept: 'kept', checksBroken: 'broken' });
const streamSum = ledgerSum(['streamOwed', 'stream messages'], { streamCame: 'came', streamLost: 'lost' });

/** All that came from the target. A run without any of it is a failure. */
const cameOf = ['connected', 'received', 'delivered', 'answered', 'asksAnswered', 'requestsAnswered', 'streamCame'];

const kinds = {
  given: [
    ...['begun', 'ended', 'connects', 'cut', 'declared', 'sent', 'owing', 'owed', 'unclear', 'stray', 'echoed'],
    ...['untimed', 'answersOwed', 'asks', 'requests', 'checks', 'checksNotReached', 'streamOwed', 'unscheduled'],
    ...['received', 'came'],
    ...['nameless', 'droppedLines', 'unlearned', 'liveMs', 'userLiveMs'],
  ],
  merit: ['finished', 'checksKept', ...cameOf.filter((name) => name !== 'received')],
  burden: ['userMs', 'heldUpMs'],
  fault: [
    ...['left', 'notConnected', 'unsent', 'lost', 'duplicate', 'late', 'unanswered', 'asksUnanswered'],
    ...['requestsFailed', 'checksBroken', 'streamLost', 'streamTwice', 'overflowed', 'threw'],
  ],
} as const;

/** Counts by cause, line or name: entry of the ledger, occasion in the reports, and the count that they add up to. */
const byCause = [
  ['leftByCause', 'left', 'left'],
  ['notConnectedByCause', 'connect', 'notConnected'],
  ['cutByCause', 'close', 'cut'],
  ['unsentByCause', 'unsent', 'unsent'],
  ['asksUnansweredByCause', 'ask', 'asksUnanswered'],
  ['requestsFailedByCause', 'request', 'requestsFailed'],
  ['checksKeptByName', 'checkKept', 'checksKept'],
  ['checksBrokenByName', 'checkBroken', 'checksBroken'],
  ['threwByLine', 'threw', 'threw'],
] as const;

/** Counts of flows, from the reports of all workers. */
export const flowLedger = ledgerOf({
  kinds,
  sums: [clientSum, connectSum, sendSum, owedSum, answerSum, askSum, requestSum, checkSum, streamSum],
  count({ counts, causes }) {
    const { begun = 0 } = counts;
    const notReached = Object.entries(causes.checkReached ?? {}).map(
      ([name, clients]) => [name, begun - clients] as const,
    );
    const entries: LedgerEntries = {
      ...countsOf(counts, Object.values(kinds).flat()),
      came: cameOf.reduce((sum, name) => sum + (counts[name] ?? 0), 0),
      checksNotReached: notReached.reduce((sum, [, clients]) => sum + clients, 0),
      checksNotReachedByName: Object.fromEntries(notReached),
      ...Object.fromEntries(byCause.map(([entry, occasion]) => [entry, { ...causes[occasion] }])),
    };
    return {
      entries,
      breaks: byCause.flatMap(([, occasion, whole]) =>
        check(Number(entries[whole]), whole, total(causes[occasion]), 'the sum over causes'),
      ),
      independent: metricPartsOf('delivery', causes.owingByName),
      unfinished: metricPartsOf('delivery', causes.lostByName),
    };
  },
  lines: linesOf,
});

type Reader = ReturnType<typeof readerOf>;

/** Returns the lines of what the flow did. Clients that left come first, and what it did not do has no line. */
function linesOf(reader: Reader, entries: LedgerEntries): LedgerLines {
  const { number, of, parts, causes } = reader;
  /** Prints a sum with the share of its first part, and further counts beside it that are not 0. */
  const sum = (
    label: string,
    each: Sum,
    words: Readonly<Record<string, string>> = {},
    ...beside: string[]
  ): LedgerLines => {
    const [whole] = each.whole;
    const said = beside.filter((name) => number(name) > 0).map((name) => `, ${of(name)} ${besideWords[name]}`);
    const share = shareOf(number(each.parts[0]?.[0] ?? ''), number(whole));
    if (number(whole) === 0 && said.length === 0) return [];
    const quiet = each.parts.slice(1).map(([name]) => name);
    return [[label, `${of(whole)} = ${parts(each, words, quiet)}  (${share})${said.join('')}`]];
  };
  const cut = number('cut') > 0 ? `, ${of('cut')} cut off${causes('cutByCause')}` : '';
  const user = [
    ...(number('threw') > 0 ? [`threw ${of('threw')} times${causes('threwByLine')}`] : []),
    ...(number('overflowed') > 0 ? [`left ${of('overflowed')} messages in full inboxes`] : []),
    ...(number('droppedLines') > 0 ? [`wrote ${of('droppedLines')} lines too many, which were dropped`] : []),
    ...(number('nameless') > 0 ? [`named ${of('nameless')} sends beyond the 50 names that have figures`] : []),
  ];
  const ofLoops =
    number('liveMs') > 0 ? `, ${shareOf(number('userLiveMs'), number('liveMs'))} of the time of its loops` : '';
  const heldUp =
    number('heldUpMs') > 0 ? `; native threads waited ${of('heldUpMs')} ms for its loops, which changes no stamp` : '';
  const userCode = `ran for ${of('userMs')} ms${ofLoops}${heldUp}`;
  return [
    ['clients', `${of('begun')} = ${parts(clientSum, { left: 'leftByCause' }, ['ended', 'left'])}`],
    ...sum('connections', connectSum).map(([label, text]) => [label, `${text}${cut}`] as const),
    ...sum('sends', sendSum, { unsent: 'unsentByCause' }),
    ...sum('deliveries', owedSum, {}, 'unclear', 'duplicate', 'late', 'stray', 'echoed', 'untimed'),
    ...(number('unlearned') > 0 ? [['unlearned', unlearnedInWords] as const] : []),
    ...sum('answers', answerSum),
    ...sum('asks', askSum, { asksUnanswered: 'asksUnansweredByCause' }),
    ...sum('requests', requestSum, { requestsFailed: 'requestsFailedByCause' }),
    ...sum('checks', checkSum, { checksBroken: 'checksBrokenByName' }),
    ...notReachedLines(entries),
    ...sum('streams', streamSum, {}, 'streamTwice'),
    ['messages', `${of('received')} received, ${of('unscheduled')} sent without a schedule`],
    ...(user.length > 0 ? [['the flow', user.join(', ')] as const] : []),
    ['user code', userCode],
  ];
}

const besideWords: Readonly<Record<string, string>> = {
  unclear: 'unclear, as a member came or went',
  duplicate: 'duplicate',
  late: 'late',
  stray: 'stray',
  echoed: 'echoed to their senders',
  untimed: 'not timed',
  streamTwice: 'came twice',
};

function notReachedLines({ checksNotReachedByName }: LedgerEntries): LedgerLines {
  const names = Object.entries((checksNotReachedByName ?? {}) as Record<string, number>).filter(
    ([, clients]) => clients > 0,
  );
  const words = names.map(([name, clients]) => `${name} by ${countText(clients)} clients`);
  return words.length > 0 ? [['not reached', words.join(', ')]] : [];
}

/** Returns in a sentence how many clients left, and why most of them did. Undefined if none did. */
export function leftInWords(entries: LedgerEntries): string | undefined {
  const { begun = 0, left = 0, leftByCause = {} } = entries as { begun?: number; left?: number; leftByCause?: object };
  const [most] = commonestFirst(leftByCause as Record<string, number>);
  if (left === 0 || most === undefined) return undefined;
  const [cause, times] = most;
  const clients = `${countText(left)} of ${countText(begun)} clients left`;
  return `${clients}; the commonest cause is ${cause} × ${countText(times)}`;
}
