import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { percentile } from '../../../src/measure/samples/distribution.js';
import { decodeSamples } from '../../../src/measure/samples/encoding.js';
import { columns } from '../../../src/render/words/table.js';
import { metronomeRecord, recordPaths } from '../../../src/targets/metronome/record.js';
import { countText } from '../../../src/units/text.js';
import { resultIn, ringside, withDirectory, withTarget } from '../processes/program.js';
import { countingProgram, Publisher, type ReadingProgram } from '../readers/counting.js';
import { type Place, withGorilla } from '../readers/reader.js';
import { isHere, type Missing } from '../rounds.js';
import { k6, listeningArtillery } from './tools.js';

/** What the metronome does, as its flags have it. */
const orders = {
  '1 ms': { delay: 'constant:1ms' },
  '5 ms': { delay: 'constant:5ms' },
  '50 ms': { delay: 'constant:50ms' },
  'stall of 2 s': { delay: 'constant:1ms', freeze: '1s+2s' },
  '1 % lost, 1 % twice': { delay: 'constant:1ms', drop: 0.01, duplicate: 0.01 },
} as const;

/** An audience and what is published to it, without a warm-up. */
interface Audience {
  subscribers: number;
  broadcasts: number;
  ratePerSecond: number;
}

/** With these numbers of broadcasts, no percentile lies between two broadcasts. */
const audiences: readonly Audience[] = [
  { subscribers: 100, broadcasts: 105, ratePerSecond: 10 },
  { subscribers: 5000, broadcasts: 65, ratePerSecond: 2 },
];

const quietMs = 1000;
const recordedWithinMs = 60_000;
const runWithinMs = 300_000;

/** Latencies in ms. */
interface Latencies {
  p50: number | null | undefined;
  p90: number | null | undefined;
  max: number | null | undefined;
}

/** What a tool says of a load. A tool that only counts messages says nothing of lost and doubled ones. */
export interface Reported extends Latencies {
  messages: number;
  lost?: number;
  doubled?: number;
}

/** What the server did, by its own record: delays from the read of a publish to each write. */
interface Recorded extends Latencies {
  messages: number;
  lost: number;
  doubled: number;
}

interface Watcher {
  name: string;
  watch(place: Place, audience: Audience): Promise<Reported>;
}

/** One line of the table. */
export interface TruthRow {
  name: string;
  reported?: Reported;
  recorded?: Recorded;
  /** Reason why the tool is missing, and the command that installs it. */
  lack?: string;
  failure?: string;
}

async function recordOf(wsUrl: string, path: string): Promise<Uint8Array> {
  const { statusCode, body } = await request(new URL(path, wsUrl.replace(/^ws/, 'http')));
  if (statusCode !== 200) throw new Error(`${path} answered ${statusCode}`);
  return new Uint8Array(await body.arrayBuffer());
}

/** Waits until the metronome owes nothing. */
async function recorded({ target, signal }: Place): Promise<Recorded> {
  const { wsUrl } = target.endpoints;
  const endMs = performance.now() + recordedWithinMs;
  for (;;) {
    const summary = Buffer.from(await recordOf(wsUrl, recordPaths.summary)).toString();
    const { delivered, dropped, duplicated, pending, gone } = metronomeRecord.parse(JSON.parse(summary)).totals;
    if (pending === 0) {
      if (gone > 0) throw new Error(`${gone} deliveries were for clients that had left`);
      const delays = decodeSamples(await recordOf(wsUrl, recordPaths.done));
      const ms = (q: number): number => (percentile(delays, q) ?? Number.NaN) / 1000;
      const counts = { messages: delivered + duplicated, lost: dropped, doubled: duplicated };
      return { p50: ms(0.5), p90: ms(0.9), max: ms(1), ...counts };
    }
    if (performance.now() > endMs) throw new Error(`the metronome still owes ${pending} deliveries`);
    await delay(quietMs, undefined, { signal });
  }
}

/** Has a program listen to broadcasts that this process publishes. */
function watcherOf(program: ReadingProgram): Watcher {
  const watch: Watcher['watch'] = (place, { subscribers, ...load }) =>
    withDirectory(async (directory) => {
      const publisher = new Publisher(place);
      const running = program.start(place, subscribers, publisher.subscription, directory);
      try {
        await program.opened(running, place, subscribers);
        await publisher.broadcast({ subscribers, warmUp: 0, ...load });
        const { messages } = await recorded(place);
        const arrived = await program.arrived(running, subscribers + messages, place.signal);
        const { messages: all = 0, p50Ms, p90Ms, maxMs } = program.report ? await program.report(running) : arrived;
        return { messages: all - subscribers, p50: p50Ms, p90: p90Ms, max: maxMs };
      } finally {
        await running.stop();
        await publisher.close();
      }
    });
  return { name: program.name, watch };
}

/** Ringside as a user runs it. It publishes itself. */
const product: Watcher = {
  name: 'Ringside',
  watch: ({ target: { endpoints }, signal }, { subscribers, broadcasts, ratePerSecond }) =>
    withDirectory(async (results) => {
      const load = `--clients ${subscribers} --broadcasts ${broadcasts} --rate ${ratePerSecond}/s --warm-up 0 --json`;
      const urls = ['--target-url', endpoints.wsUrl, '--publish-url', endpoints.publishUrl ?? ''];
      const words = ['run', 'latency', ...urls, '--protocol', 'ws-json', ...load.split(' '), '--results', results];
      const { metrics, ledger } = resultIn(await ringside(words, signal, runWithinMs).ended);
      const count = (name: string): number => Number(ledger[name] ?? 0);
      const ms = (us: number | null | undefined): number | null => (us == null ? null : us / 1000);
      const { p50, p90, max } = metrics.delivery!;
      const counts = { lost: count('lost'), doubled: count('duplicate') };
      const messages = count('delivered') + counts.doubled;
      return { p50: ms(p50), p90: ms(p90), max: ms(max), messages, ...counts };
    }),
};

function withWatchers<T>(loadSeconds: number, work: (watchers: (Watcher | Missing)[]) => Promise<T>): Promise<T> {
  const name = 'gorilla/websocket, Go';
  const watched = (program: ReadingProgram | Missing) => (isHere(program) ? watcherOf(program) : program);
  return withGorilla(name, (gorilla) => {
    const inGo = typeof gorilla === 'string' ? countingProgram(name, [gorilla]) : gorilla;
    return work([product, ...[inGo, k6(), listeningArtillery(loadSeconds)].map(watched)]);
  });
}

/** Has each tool measure a server of known truth, one after the other. `isQuick` takes the small audience only. */
export async function measureTruth(
  isAsked: (name: string) => boolean,
  isQuick: boolean,
  signal: AbortSignal,
): Promise<TruthRow[]> {
  const rows: TruthRow[] = [];
  for (const audience of isQuick ? audiences.slice(0, 1) : audiences)
    await withWatchers(audience.broadcasts / audience.ratePerSecond, async (watchers) => {
      for (const [title, options] of Object.entries(orders))
        for (const watcher of watchers) {
          const name = `truth, ${title}, ${audience.subscribers}, ${watcher.name}`;
          if (signal.aborted || !isAsked(name)) continue;
          const row: Omit<TruthRow, 'name'> = isHere(watcher)
            ? await withTarget((target) => rowOf(watcher, { target, signal }, audience), 'metronome', {
                options,
              }).catch(({ message }: Error) => ({ failure: message }))
            : { lack: watcher.lack };
          const what = row.failure ?? (row.lack === undefined ? 'measured' : 'not here');
          process.stderr.write(`${name}: ${what}, load average ${loadavg()[0]!.toFixed(1)}\n`);
          rows.push({ name, ...row });
        }
    });
  return rows;
}

async function rowOf(watcher: Watcher, place: Place, audience: Audience): Promise<Omit<TruthRow, 'name'>> {
  const reported = await watcher.watch(place, audience);
  return { reported, recorded: await recorded(place) };
}

const head = ['', 'p50', 'true', 'p90', 'true', 'max', 'true', 'messages', 'true', 'lost', 'true', 'twice', 'true'];

/** Formats what each tool reports beside what the server did, in ms. A dash: the tool does not say it. */
export function truthTable(rows: readonly TruthRow[]): string {
  const ms = (value: number | null | undefined): string => value?.toFixed(1) ?? '–';
  const count = (value: number | undefined): string => (value === undefined ? '–' : countText(value));
  const here = rows.flatMap(({ name, reported: said, recorded: done }) => {
    if (said === undefined || done === undefined) return [];
    const latencies = (['p50', 'p90', 'max'] as const).flatMap((each) => [ms(said[each]), ms(done[each])]);
    const counts = (['messages', 'lost', 'doubled'] as const).flatMap((each) => [count(said[each]), count(done[each])]);
    return [[name, ...latencies, ...counts]];
  });
  const notes = rows.flatMap(({ name, lack, failure }) => {
    if (failure !== undefined) return [`${name}: ${failure}`];
    return lack === undefined ? [] : [`${name} is not here: ${lack}`];
  });
  return [columns(head, here), ...notes].join('\n');
}
