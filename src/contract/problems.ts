import { type ExitName, exitCodes } from './exit-codes.js';

interface ProblemSpec {
  exit: ExitName;
  hint: string;
}

/** Everything that can be wrong with what a user gives or with the machine. The one table. */
export const problemTable = {
  badOption: { exit: 'input', hint: 'Run the command with --help to see every option with its form.' },
  badBody: { exit: 'input', hint: 'The job body is described by `ringside schema job`.' },
  badFile: {
    exit: 'input',
    hint: 'A job file is YAML or JSON: option names in camelCase, values as on the command line.',
  },
  unknownName: { exit: 'input', hint: 'Run `ringside list targets`, `list scenarios` or `list protocols`.' },
  missingVerb: { exit: 'input', hint: 'Choose a protocol that has the verb, or another scenario.' },
  missingEndpoint: {
    exit: 'input',
    hint: 'Choose a target that publishes by itself (servers/README.md), name the endpoint of one with --in-process-url, or publish in another way.',
  },
  targetUnavailable: { exit: 'input', hint: 'Run `ringside doctor` to see what each target lacks here.' },
  targetFailed: { exit: 'input', hint: 'Start it alone with `ringside target NAME` to see what it prints.' },
  targetOutOfReach: {
    exit: 'input',
    hint: 'Start the target next to the shards (`ringside target NAME --host …`) and give --target-url, --protocol and --publish-url.',
  },
  targetNotAllowed: {
    exit: 'input',
    hint: 'A bench-runner loads only the targets on its allow-list: start it with --allow-target HOST.',
  },
  overLimit: { exit: 'input', hint: 'Ask for less, or start the bench-runner with a higher limit.' },
  shardBusy: { exit: 'input', hint: 'A bench-runner runs one job at a time: wait, or cancel the one that holds it.' },
  keyReused: { exit: 'input', hint: 'Give each order an idempotency key of its own.' },
  runnerEnding: { exit: 'input', hint: 'Start the bench-runner again, or leave it out.' },
  shardNotStarted: { exit: 'input', hint: 'Ask for fewer --local-shards, or spread them over more machines.' },
  shardTwice: { exit: 'input', hint: 'Give each bench-runner once: one shard is one process.' },
  shardAmbiguous: {
    exit: 'input',
    hint: 'Give each bench-runner by an address of its own, one --shard for each.',
  },
  shardUnreachable: { exit: 'input', hint: 'Check the address, that the bench-runner runs there, and its token.' },
  shardForeign: { exit: 'input', hint: 'Run the same version of ringside-bench on the driver and on every shard.' },
  unauthorized: {
    exit: 'input',
    hint: 'Give the token that the bench-runner was started with: --token or RINGSIDE_TOKEN.',
  },
  unsafeBind: {
    exit: 'input',
    hint: 'A bench-runner makes load for whoever may ask: give --token (or RINGSIDE_TOKEN) to listen beyond loopback.',
  },
  portInUse: { exit: 'input', hint: 'Choose another --port, or 0 for any free one.' },
  descriptorLimit: {
    exit: 'input',
    hint: 'Raise it (`ulimit -n`, LimitNOFILE=), or spread the clients over more processes: --local-shards or more --shard.',
  },
  portLimit: {
    exit: 'input',
    hint: 'Give other or more source addresses (--local-address 127.0.0.2-127.0.0.9), shards on more machines, or widen net.ipv4.ip_local_port_range.',
  },
  sourceAddress: {
    exit: 'input',
    hint: 'Give --local-address addresses that the bench-runner’s machine has, of the family of the target; without it the kernel chooses.',
  },
  notKept: {
    exit: 'rig',
    hint: 'Make room there, or name another directory with --results: of what could not be written, all that is left is what was printed.',
  },
  notWritten: {
    exit: 'rig',
    hint: 'Make room there. A run is kept all the same: `ringside show DIRECTORY` prints it again.',
  },
  notFound: { exit: 'input', hint: 'Nothing of that name is kept here.' },
  shapesDiffer: {
    exit: 'input',
    hint: 'Runs of different shapes are different tests. Give --force to see them side by side all the same.',
  },
  badResult: {
    exit: 'input',
    hint: 'Give a directory under results/ that holds a kept run, comparison, search, reproduction, calibration or suite.',
  },
} as const satisfies Record<string, ProblemSpec>;

export type ProblemCode = keyof typeof problemTable;

/** One thing that is wrong: what was expected and received is in `message`, what to do about it in `hint`. */
export interface Problem {
  code: ProblemCode;
  message: string;
  hint: string;
}

/** A problem of the table; `hint` replaces the table's where a closer one is known. */
export function problem(code: ProblemCode, message: string, hint: string = problemTable[code].hint): Problem {
  return { code, message, hint };
}

/** Thrown with every problem of a call at once. */
export class ProblemError extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map((each) => each.message).join('\n'));
    this.name = 'ProblemError';
    this.problems = problems;
  }

  /** The exit code of the first problem. */
  get exitCode(): number {
    const first = this.problems[0];
    return first ? exitCodes[problemTable[first.code].exit].code : exitCodes.bug.code;
  }
}
