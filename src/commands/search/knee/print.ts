import { type Block, type Document, faulty, type Line, type Suite, toned } from '../../../render/document/document.js';
import { statementTones, statementWords } from '../../../render/words/statement.js';
import { milliseconds } from '../../../render/words/values.js';
import { type Knee, type KneeRow, type KneeTry, kneeEnds } from '../../../results/search.js';
import { countText } from '../../../units/text.js';
import { duration } from '../../../units/unit.js';

/** Returns the document of a search: a row per number of subscribers, whether they agree, then every run. */
export function kneeDocument(knee: Knee): Document {
  const { target, client, publish, durationMs, repeat, precision, rows, endedBecause } = knee;
  const settings = Object.entries(target.settings).map(([key, value]) => `${key}=${value}`);
  const versions = Object.entries(target.versions).map(([what, value]) => `${what} ${value}`);
  const { shards, seed } = knee.job;
  const how = [
    `broadcasts by ${publish === 'http' ? 'HTTP request' : 'clients'}`,
    `${client} clients`,
    `runs of ${duration.print(durationMs)}, ${repeat} that agree at each edge`,
    `edges within ${Number((precision * 100).toPrecision(3))} %`,
  ].join(' · ');
  const versionsInWords = [...versions, shards === 1 ? 'one shard' : `${shards} shards`, `seed ${seed}`].join(' · ');
  const early = endedBecause === '' ? [] : [toned.doubtful(`The search ended early: ${endedBecause}`)];
  return {
    title: ['knee', target.name, ...settings].join('  '),
    parts: [
      { isAnswer: true, blocks: [...rows.map(answerOfRow), sentence(knee), ...early] },
      { blocks: [toned.aside(versionsInWords), how] },
      { blocks: [{ head, rows: rows.map(rowOf), left: [0, head.length - 1] }] },
      ...rows.map((row) => ({
        title: `${countText(row.clients)} subscribers: ${kneeEnds[row.end]}`,
        blocks: detail(row),
      })),
      { blocks: [toned.aside(legend)] },
    ],
    suites: [suiteOf(knee)],
  };
}

const legend =
  'latency with late sends included; plateau: p50 at the lowest rate; knee: the middle of the edges; ' +
  'messages: knee × subscribers; interval: from the last rate without a jam to the first without a good run';

function suiteOf({ target, startedAt, tool, rows, job }: Knee): Suite {
  const checks = rows.map((row) => {
    const name = `a knee at ${countText(row.clients)} subscribers`;
    return row.end === 'jammed' ? { name } : faulty(name, 'error', row.end, kneeEnds[row.end], row.why.join('\n'));
  });
  const properties = { version: tool.version, seed: String(job.seed) };
  return { name: `knee ${target.name}`, timestamp: startedAt, seconds: 0, properties, checks };
}

const head = [
  'subscribers',
  'plateau, ms',
  'knee, publishes/s',
  'messages sent/s',
  'interval, publishes/s',
  'jammed by',
  'recovers',
];

function rowOf(row: KneeRow): string[] {
  const signs = row.why.map((text) => text.split(':')[0] ?? '');
  return [
    countText(row.clients),
    milliseconds(row.plateau),
    perSecond(row.kneePerSecond),
    perSecond(row.messagesPerSecond),
    intervalOf(row),
    row.end === 'jammed' ? (signs[0] ?? '') : kneeEnds[row.end],
    recoveryOf(row),
  ];
}

function answerOfRow(row: KneeRow): Line {
  const clients = `With ${countText(row.clients)} subscribers`;
  const found = `the server jams at about ${perSecond(row.kneePerSecond)} publishes per second (${intervalOf(row)})`;
  return toned.title(
    `${clients}, ${row.end === 'jammed' ? found : `no knee: ${kneeEnds[row.end]} (${intervalOf(row)})`}.`,
  );
}

function intervalOf({ interval: [low, high] }: KneeRow): string {
  if (low === null) return high === null ? '–' : `below ${perSecond(high)}`;
  return high === null ? `above ${perSecond(low)}` : `${perSecond(low)} to ${perSecond(high)}`;
}

function recoveryOf({ recovery }: KneeRow): string {
  if (recovery === null) return '–';
  const { hasRecovered, ratePerSecond, p50, runs, isSameProcess, why } = recovery;
  if (hasRecovered === null) return `unknown: ${runs === 0 ? '' : 'limited by the load generator: '}${why[0]}`;
  const where = isSameProcess === false ? ', in a new process, because the one that jammed was gone' : '';
  return hasRecovered
    ? `yes, at ${perSecond(ratePerSecond)}/s: p50 ${milliseconds(p50)} ms${runs > 1 ? ` in run ${runs}` : ''}${where}`
    : `NO, not at ${perSecond(ratePerSecond)}/s in ${runs === 1 ? 'one run' : `${runs} runs`}${where}`;
}

function sentence({ sameness, rows }: Knee): string {
  if (sameness === null) {
    const found = rows.filter(({ kneePerSecond }) => kneePerSecond !== null).length;
    return found === 0
      ? 'No knee was found.'
      : 'One knee does not show whether it depends on the number of subscribers.';
  }
  const { isSame, lowest, highest, allowedSpread } = sameness;
  const knees = rows.filter(({ messagesPerSecond }) => messagesPerSecond !== null);
  const ends = [knees[0], knees.at(-1)].map((knee) => countText(knee?.clients ?? 0));
  const between = `${ends.join(' to ')} subscribers`;
  const figures = `${perSecond(lowest)} to ${perSecond(highest)} messages sent per second over ${between}`;
  const [spread, allowed] = [highest / lowest - 1, allowedSpread].map((share) => `${(share * 100).toFixed(0)} %`);
  const says = isSame ? 'is the same at every number of subscribers' : 'depends on the number of subscribers';
  return `The knee ${says}: ${figures} (spread ${spread}; up to ${allowed} counts as the same).`;
}

function detail(row: KneeRow): Block[] {
  const rows = row.tries.map((one) => [
    perSecond(one.ratePerSecond),
    milliseconds(one.p50),
    milliseconds(one.p99),
    perSecond(one.deliveriesPerSecond),
    milliseconds(one.drain),
    one.rig,
    { text: statementWords.keepsUp[one.holds], tone: statementTones[one.holds] },
    toned.aside(one.purpose === 'recovery' ? ['recovery', signsOf(one)].filter(Boolean).join(', ') : signsOf(one)),
  ]);
  return [...row.why.map((text) => `  ${text}`), { head: triesHead, rows, left: [5, 6, 7], ifNarrow: 'columns' }];
}

const triesHead = ['rate/s', 'p50, ms', 'p99', 'deliveries/s', 'drain, ms', 'verdict', 'vote', ''];

function signsOf({ signs, why, holds }: KneeTry): string {
  if (holds === 'open') return why.map((text) => text.split(':')[0]).join(', ');
  return signs.map(({ sign }) => sign).join(', ');
}

function perSecond(value: number | null): string {
  return value === null ? '–' : countText(Number(value.toPrecision(value >= 1000 ? 4 : 3)));
}
