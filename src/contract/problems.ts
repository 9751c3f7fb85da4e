import { z } from 'zod';
import { withFewCauses } from '../measure/causes.js';
import { metricName } from '../measure/metric-names.js';
import { type Given, type OptionIssue, resolveOptions } from '../options/resolve.js';
import { longestSentence, outsideRecord, outsideText, outsideValue } from '../units/text.js';
import { type ExitName, exitCodes } from './exit-codes.js';

/** A text chosen by a target or a shard. */
export const outside = z.string().overwrite((text) => outsideText(text));

/** A sentence that may quote several such texts. */
export const outsideSentence = z.string().overwrite((text) => outsideText(text, longestSentence));

/** Sentences of another program, at most 64. */
export const outsideSentences = z.array(outsideSentence).overwrite((sentences) => sentences.slice(0, 64));

export const outsideVersions = z
  .record(z.string(), z.string())
  .overwrite((versions) => outsideRecord(versions, (version) => outsideText(version)));

export const outsideSettings = z
  .record(z.string(), z.unknown())
  .overwrite((settings) => outsideRecord(settings, outsideValue));

/** A name that a shard repeats: of a count, series, stage or gate. It may become a part of a path or address. */
export const ourName = z.string().regex(/^[\w:. -]{1,100}$/, 'expected a name of letters, digits, dashes and colons');

/** A name that a shard repeats of a metric, which may hold a name of the user's module. */
export const ourMetric = z.string().regex(metricName, 'expected the name of a metric');

/** Describes the ledger of a run. Counts by cause have few causes. */
export const ledgerEntries = z
  .record(z.string(), z.union([z.number(), z.record(z.string(), z.number())]))
  .overwrite((entries) => {
    const byCause = Object.entries(entries).filter(
      (entry): entry is [string, Record<string, number>] =>
        entry[0].endsWith('ByCause') && typeof entry[1] === 'object',
    );
    return { ...entries, ...withFewCauses({ causes: Object.fromEntries(byCause), timeline: {} }).causes };
  });

/** Events per second by name. Names that contain a cause have one of few causes. */
export const timelines = z
  .record(z.string(), z.array(z.number()))
  .overwrite((timeline) => withFewCauses({ causes: {}, timeline }).timeline);

const hints = {
  badOption: 'Run the command with --help to see every option with its form.',
  badBody: '`ringside schema job` describes the job body.',
  badFile: 'A job file is YAML or JSON: camelCase option names, values as on the command line.',
  unknownName: 'Run `ringside list targets`, `list scenarios` or `list protocols`.',
  missingVerb: 'Choose a protocol that has the verb, or another scenario.',
  missingEndpoint: 'Choose a target that publishes in process (servers/README.md), or another --publish.',
  targetUnavailable: 'Run `ringside doctor` to see what each target lacks here.',
  notInstalled: 'Nothing of it is left. Mend what that says, then run the command again.',
  targetFailed: 'Start it alone with `ringside target NAME` to see what it prints.',
  targetOutOfReach: 'Start the target next to the shards, and give --target-url, --protocol and --publish-url.',
  targetNotAllowed: 'A bench-runner loads only targets on its allow-list: start it with --allow-target HOST.',
  badFlow: 'Mend the file, then run the command again.',
  setupInterrupted: 'No load was made. Run the command again.',
  bundlerMissing: 'Install it where Ringside is: `npm i rolldown`.',
  modulesNotAllowed: 'Start the bench-runner with --allow-modules: `ringside bench-runner --allow-modules`.',
  moduleMissing: 'Send it first: PUT /modules/DIGEST with the module as the body.',
  moduleDamaged: 'Look for what changes bodies on the way, such as a proxy.',
  overLimit: 'Ask for less, or start the bench-runner with a higher limit.',
  shardBusy: 'A bench-runner runs one job at a time: give --wait 10m to wait for it, or end the other run.',
  runHeld: 'Another driver has the run: `ringside attach RUN` follows it and takes over when that one is gone.',
  runTaken: 'Nothing is kept here: that driver has the run and its result, which `ringside attach RUN` can fetch.',
  runGoesOn: 'Call `ringside attach` again to follow it, and to fetch its result.',
  sourceAddress: 'Give a --local-address that the bench-runner’s machine has, of the target’s family, or none.',
  notAttachable: 'Wait for the driver that began it.',
  keyReused: 'Give each order an idempotency key of its own.',
  runnerEnding: 'Start the bench-runner again, or leave it out.',
  shardNotStarted: 'Ask for fewer --local-shards, or spread them over more machines.',
  shardTwice: 'Give each bench-runner once: one shard is one process.',
  shardsUnknown: 'Check the name, or give each bench-runner its own --shard.',
  sourceFailed: 'Check what it knows, or give the address of each bench-runner by --shard.',
  engineFailed: 'Install the program, or mend what it says, then run the command again.',
  shardsMissing: 'Start more bench-runners, give them longer (--for), or expect fewer (--wait-shards).',
  waitInterrupted: 'Run the command again to wait on.',
  drillInterrupted: 'A drill keeps nothing: run it again.',
  shardUnreachable: 'Check the address, that the bench-runner runs there, and its token.',
  samplesDamaged: 'Look for what changes answers on the way, such as a proxy. The result covers the other shards.',
  shardForeign: 'Run the same version of ringside-bench on the driver and on every shard.',
  unauthorized: 'Give the token that the bench-runner was started with: --token or RINGSIDE_TOKEN.',
  fromPage: 'Ask from a program, at 127.0.0.1 or localhost, or start the bench-runner with a --token.',
  unsafeBind: 'A bench-runner loads whatever it is asked to: give --token (or RINGSIDE_TOKEN) beyond loopback.',
  portInUse: 'Choose another --port, or 0 for any free one.',
  descriptorLimit: 'Raise `ulimit -n` (LimitNOFILE=), use --local-shards or more --shard, or --engine native.',
  trackingLimit: 'Run it with --own-network, or raise net.netfilter.nf_conntrack_max.',
  memoryLimit: 'Free memory, ask for fewer clients, or spread them over more machines (--shard).',
  ownNetwork: 'Leave it out, or give it for targets that start here, on Linux with util-linux and iproute2.',
  portLimit: 'Give more --local-address or more machines, or widen net.ipv4.ip_local_port_range.',
  engineLacking: 'Install a C compiler (cc) and run `npm rebuild ringside-native`, or leave --engine out.',
  notKept: 'Free space or change --results; the printed output is the only copy.',
  notWritten: 'Free space. The run is kept: `ringside show DIRECTORY` prints it again.',
  notFound: 'Nothing of that name is kept here.',
  shapesDiffer: 'Runs of different loads are different tests. Give --force to see them side by side anyway.',
  badResult: 'Give a directory under results/ with a kept run, comparison, search, calibration or suite.',
} as const;

export type ProblemCode = keyof typeof hints;

const exits: Partial<Record<ProblemCode, ExitName>> = {
  notKept: 'rig',
  notWritten: 'rig',
  runGoesOn: 'interrupted',
  runTaken: 'shardLost',
  waitInterrupted: 'interrupted',
  drillInterrupted: 'interrupted',
  setupInterrupted: 'interrupted',
};

export const problemTable = Object.fromEntries(
  Object.entries(hints).map(([code, hint]) => [code, { exit: exits[code as ProblemCode] ?? 'input', hint }]),
) as Record<ProblemCode, { exit: ExitName; hint: string }>;

/** Describes one problem. `message` says what was expected and received, `hint` says how to fix it. */
export interface Problem {
  code: ProblemCode;
  message: string;
  hint: string;
}

/** Makes a problem of the table. `hint` replaces the table's if a more precise one is known. */
export function problem(code: ProblemCode, message: string, hint: string = problemTable[code].hint): Problem {
  return { code, message, hint };
}

/** Error with every problem of a call at once. */
export class ProblemError extends Error {
  constructor(readonly problems: readonly Problem[]) {
    super(problems.map((each) => each.message).join('\n'));
    this.name = 'ProblemError';
  }

  get exitCode(): number {
    const first = this.problems[0];
    return first ? exitCodes[problemTable[first.code].exit].code : exitCodes.bug.code;
  }
}

/** Returns an error of one problem of the table. */
export function problemError(...given: Parameters<typeof problem>): ProblemError {
  return new ProblemError([problem(...given)]);
}

export function optionProblems(issues: readonly OptionIssue[]): Problem[] {
  return issues.map(({ option, expected, received }) =>
    problem('badOption', `${option}: expected ${expected}, received ${received}`),
  );
}

/** Returns the values of all options. Throws `ProblemError` with everything that is wrong with them. */
export function resolveOrRefuse<S extends z.ZodObject>(schema: S, given: Given): z.output<S> {
  const resolved = resolveOptions(schema, given);
  if (resolved.ok) return resolved.values;
  throw new ProblemError(optionProblems(resolved.issues));
}
