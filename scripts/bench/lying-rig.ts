import { z } from 'zod';
import { terminalStyle } from '../../src/cli/terminal/output.js';
import { exitCodes } from '../../src/contract/exit-codes.js';
import { columnsOrBlocks, paint, type Style } from '../../src/render/words/table.js';
import { milliseconds } from '../../src/render/words/values.js';
import { boundTexts } from '../../src/render/words/verdict-words.js';
import { leastByBounds } from '../../src/results/figures.js';
import type { RunResult } from '../../src/results/result.js';
import { latencyOptions } from '../../src/scenarios/latency.js';
import { countText } from '../../src/units/text.js';
import { resultIn, ringside } from './processes/program.js';
import { runScript } from './script.js';

/** Describes the load of both rigs. */
const lyingRigOptions = z.strictObject({
  target: z
    .string()
    .default('uws')
    .meta({ flag: 'target', placeholder: 'name', help: 'server to start, one of `ringside list targets`' }),
  clients: latencyOptions.shape.clients.default(10_000),
  broadcasts: latencyOptions.shape.broadcasts.default(20),
});

type LyingLoad = z.output<typeof lyingRigOptions>;

/** A faster ramp would fail on one loop of library clients. */
const rampPerSecond = 500;
const warmUp = 2;

/** Returns the load flags of both rigs. One broadcast per second lets a slow loop finish each one. */
function loadFlags({ target, clients, broadcasts }: LyingLoad): string[] {
  return [
    ...['--target', target, '--clients', String(clients), '--broadcasts', String(broadcasts)],
    ...['--rate', '1/s', '--warm-up', String(warmUp), '--ramp-rate', `${rampPerSecond}/s`, '--seed', '1'],
  ];
}

/** Returns the flags for one event loop with all subscribers, as clients of the real library. */
function starvedRig(load: LyingLoad): string[] {
  return [...loadFlags(load), '--client', 'library', '--local-shards', '1', '--workers', '1'];
}

/** Returns the flags for wire clients on two bench-runners, each with its default number of event loops. */
function roomyRig(load: LyingLoad): string[] {
  return [...loadFlags(load), '--client', 'wire', '--local-shards', '2'];
}

const shown = [
  ['delivery', 'p50'],
  ['delivery', 'max'],
  ['deliveryAtLeast', 'p50'],
  ['publishAck', 'p50'],
] as const;

/** Returns the p50 of the deliveries in microseconds, or NaN if the run has too few samples. */
function p50Of({ metrics }: RunResult, metric = 'delivery'): number {
  return metrics[metric]?.p50 ?? Number.NaN;
}

/** Returns Ringside's judgement of a run's p50. `marked` means that the rig can have raised it. */
function saidOfP50({ verdict }: RunResult): 'clean' | 'bounded' | 'void' {
  if (verdict.rig === 'void') return 'void';
  return verdict.rig === 'limited' || leastByBounds(verdict, 'delivery', 'p50') !== undefined ? 'bounded' : 'clean';
}

/** Returns true if a marked p50 falls for the same load, or loses its mark. A void run shows nothing. */
export function isReversed(starved: RunResult, roomy: RunResult): boolean {
  const after = saidOfP50(roomy);
  const isBetter = after === 'clean' || (after === 'bounded' && p50Of(roomy) < p50Of(starved));
  return saidOfP50(starved) === 'bounded' && isBetter;
}

/** Formats both rigs for the terminal: figures, verdicts with evidence, and the conclusion. */
export function sideBySide(load: LyingLoad, starved: RunResult, roomy: RunResult, style: Style): string {
  const { title, good, doubtful, bad } = paint(style);
  const runs = [starved, roomy];
  const words = { clean: good('clean'), bounded: doubtful('bounded'), void: bad('void') };
  const rows = [
    ...shown.map(([metric, at]) => [`${metric} ${at}`, ...runs.map((run) => inMs(run.metrics[metric]?.[at]))]),
    ['verdict on p50', ...runs.map((run) => words[saidOfP50(run)])],
  ];
  const evidence = runs.flatMap((run) => [
    `${rigOf(run)}: ${words[saidOfP50(run)]}`,
    ...run.verdict.evidence.map(({ rule, text }) => `  ${rule}: ${text}`),
    ...boundTexts(run.verdict).map((text) => `  ${text}`),
  ]);
  const audience = `${countText(load.clients)} subscribers of ${load.target}`;
  const asked = `${countText(load.broadcasts)} broadcasts to ${audience}`;
  return [
    title(`${asked}, measured by two rigs`),
    '',
    columnsOrBlocks(style.columns, ['', ...runs.map(rigOf)], rows),
    '',
    ...evidence,
    '',
    title(conclusions(starved, roomy).join('\n')),
  ].join('\n');
}

function rigOf({ shards, target }: RunResult): string {
  const workers = shards.flatMap(({ result }) => result?.rig.workers ?? []);
  const loops = workers.filter(({ role }) => role === 'audience').length;
  return `${loops} ${loops === 1 ? 'loop' : 'loops'}, ${target.client} clients`;
}

function conclusions(starved: RunResult, roomy: RunResult): string[] {
  const [first, second] = [saidOfP50(starved), saidOfP50(roomy)];
  if (first === 'void' || second === 'void') return ['This shows nothing: a run is void.'];
  if (first === 'clean') return ['One loop was enough for this load. Try more subscribers.'];
  if (!isReversed(starved, roomy))
    return ['This machine has no room for a second rig: both are marked, and p50 did not fall.'];
  const also = second === 'clean' ? 'not that of the second rig' : 'also that of the second rig';
  const least = p50Of(starved, 'deliveryAtLeast');
  return [
    `The same load on a rig with room: p50 ${inMs(p50Of(roomy))} in place of ${inMs(p50Of(starved))}.`,
    ...(Number.isNaN(least) ? [] : [`The single loop said: between ${inMs(least)} and ${inMs(p50Of(starved))}.`]),
    `Ringside marked the p50 of the single loop, ${also}.`,
  ];
}

function inMs(us: number | null = Number.NaN): string {
  return us === null || Number.isNaN(us) ? '–' : `${milliseconds(us)} ms`;
}

const withinMs = 3_600_000;

/** Measures one server with one saturated event loop, then with room. Exits with 4 if the p50 did not move. */
export function lyingRig(): Promise<void> {
  return runScript('lying-rig', lyingRigOptions, async (load: LyingLoad, signal) => {
    const clients = `${countText(load.clients)} clients`;
    const rigs = [
      [`${clients} of the real library on one event loop`, starvedRig(load)],
      [`${clients} of Ringside on two bench-runners`, roomyRig(load)],
    ] as const;
    const results: RunResult[] = [];
    for (const [what, flags] of rigs) {
      process.stderr.write(`${results.length + 1}/2  ${what} ...\n`);
      const ended = await ringside(['run', 'latency', ...flags, '--json'], signal, withinMs).ended;
      signal.throwIfAborted();
      process.stderr.write(`${ended.stderr}\n`);
      // A run that was refused keeps nothing, and says why.
      if (!/^kept in /m.test(ended.stderr)) return ended.exitCode ?? exitCodes.bug.code;
      results.push(resultIn(ended));
    }
    const [starved, roomy] = results as [RunResult, RunResult];
    process.stdout.write(`${sideBySide(load, starved, roomy, terminalStyle())}\n`);
    return exitCodes[isReversed(starved, roomy) ? 'clean' : 'rig'].code;
  });
}
