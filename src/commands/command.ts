import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { EngineOffer } from '../contract/engine.js';
import type { ExitName } from '../contract/exit-codes.js';
import { type ProblemError, problemError } from '../contract/problems.js';
import type { MachineLimits } from '../contract/shard.js';
import type { ExperimentContext } from '../experiment/cells.js';
import { optionsOf } from '../options/option.js';
import type { Document } from '../render/document/document.js';
import type { Style } from '../render/words/table.js';
import type { ProgressView } from '../results/progress.js';
import type { EngineCommands } from '../run/engines/engine-commands.js';
import type { GivenForRun, Reading } from '../run/plan/plan.js';
import { type FleetOptions, formOptions } from '../run/plan/run-options.js';
import type { PlannedTarget } from '../run/server/planned.js';
import type { ShardClient } from '../run/shards/shard-client.js';
import type { Scenario } from '../scenarios/scenario.js';

/** Describes a command as data. The cli defines it, opens its session, and exits with what `run` resolves to. */
export type CommandData = PlainCommand | ScenarioCommand | CommandGroup;

/** Resolves with the exit of a command by name, or with the exit code of a child. Nothing means `clean`. */
export type Ending = Promise<ExitName | number> | Promise<void>;

/** Describes a command with arguments and flags of its own. */
export interface PlainCommand<F extends z.ZodObject = z.ZodObject> {
  /** Summary of a subcommand. The cli's list has those of commands. */
  summary?: string;
  arguments?: readonly { form: string; help: string; choices?: readonly string[] }[];
  /** Options from flags, environment variables and, with `hasFile`, a job file. `run` resolves them. */
  options?: z.ZodObject;
  hasFile?: boolean;
  /** Options that only flags set. `run` receives them resolved. */
  flags?: F;
  /** Set for a command that makes load. Its help groups `options` by headings and shows examples for the scenario. */
  load?: { scenario: Scenario; options: z.ZodObject };
  examples?: readonly string[];
  notes?: string;
  run(session: CommandSession, call: Call<z.output<F>>): Ending;
}

/** Describes a command with one subcommand per scenario. */
export interface ScenarioCommand {
  scenarios: readonly Scenario[];
  schemaOf(scenario: Scenario): z.ZodObject;
  exampleFlags?(scenario: Scenario): string;
  /** `args` are the files of a scenario that runs some. */
  run(session: CommandSession, scenario: Scenario, read: Reading, args: readonly string[]): Ending;
}

/** Describes a command that only has subcommands, by name. */
export interface CommandGroup {
  commands: Readonly<Record<string, PlainCommand>>;
}

/** Holds everything that the user gave to a plain command. `own` are its resolved `flags`. */
export interface Call<F = Record<string, unknown>> extends GivenForRun {
  args: readonly string[];
  own: F;
}

/** Gives `run` the type of its own flags. */
export function plain<F extends z.ZodObject>(command: PlainCommand<F>): PlainCommand {
  return command as unknown as PlainCommand;
}

/** Gives a command the terminal, the signals and the shards, and prints and keeps its results. */
export interface CommandSession {
  readonly style: Style;
  print(text: string): void;
  printLines(text: string): void;
  printResult(asked: Asked, forms: Forms): Promise<void>;
  /** Writes pieces to a file, or to stdout. Throws `ProblemError` if the file can't be written. */
  write(pieces: Iterable<string> | AsyncIterable<string>, path?: string): Promise<void>;
  note(line: string): void;
  warn(error: Pick<ProblemError, 'problems'>): void;
  /** Aborted by the first signal; the next one ends the process. Listens from the first use on. */
  readonly interrupt: AbortSignal;
  readonly limits: MachineLimits;
  /** Runs the commands of container engines, each printed before it runs. */
  readonly engines: EngineCommands;
  /** Resolves with the wire engine that bench-runners of this machine take by default. */
  engine(): Promise<EngineOffer>;
  /** Runs `work` on the given shards, or on bench-runners that it starts and ends here. */
  withShards<T>(
    fleet: FleetOptions,
    targets: readonly PlannedTarget[],
    work: (shards: ShardClient[]) => Promise<T>,
  ): Promise<T>;
  /** Runs the command again in a network of its own if asked for. Resolves with its exit; null without. */
  inOwnNetwork(measurement: Pick<Measurement, 'fleet' | 'targets' | 'watch' | 'otlp'>): Promise<ExitName | null>;
  /** Runs a command that makes load: prepares shards, shows progress, prints and keeps. Resolves with the exit. */
  measure(measurement: Measurement): Promise<ExitName>;
  begin(label: string, subject?: string, isByShard?: boolean): Making;
  readonly foreground: Foreground;
}

/** Serves a command that runs a server in the foreground. */
export interface Foreground {
  /** Calls `end` on the first signal. SIGTERM also comes when the npm or npx that started the command is gone. */
  onSignals(end: (signal: NodeJS.Signals) => void | Promise<void>, again?: () => void): void;
  onOrphaned(end: () => void | Promise<void>): void;
  pipe(output: Readable): void;
  greet(line: string): void;
  exit(): never;
}

/** Holds the inputs of a measuring command besides its shards. */
export interface MakingContext extends Omit<ExperimentContext, 'shards'> {
  label(text: string): void;
  note(line: string): void;
  follow(view: ProgressView): void;
  tell(directory: string): void;
}

/** Holds the context of one piece of load, and prints and keeps its results. */
export interface Making {
  context: MakingContext;
  readonly isWhole: boolean;
  tell(directory: string): void;
  /** Returns the exit of a command that ends with `name`. It is not clean if the result was not kept. */
  exit(name: ExitName): ExitName;
  end(): void;
}

/** What is sent of a run, and where to. `metric` names the distribution that shards report live. */
export interface OtlpPlan {
  url: string;
  runId: string;
  scenario: string;
  target: string;
  metric: string | undefined;
}

export interface Measurement {
  label: string;
  fleet: FleetOptions;
  targets: readonly PlannedTarget[];
  /** Directories besides the results directory that must be writable, by flag. */
  writes?: Readonly<Record<string, string>>;
  /** Set if a terminal shows a line for each shard meanwhile. */
  isByShard?: boolean;
  /** Shows the run on a page served on loopback. `metric` names the metric whose percentiles it shows live. */
  watch?: { port: number; title: string; metric: string | undefined } | undefined;
  /** Sends a run to an OpenTelemetry collector. */
  otlp?: OtlpPlan | undefined;
  work(context: MakingContext & ExperimentContext): Promise<Measured>;
}

interface Measured extends Forms {
  directory: string;
  exit: ExitName;
  note?: string;
}

/** An answer: its data for JSON, and its document for all other forms. */
export interface Forms {
  data: object;
  document: Document;
  /** Set if a terminal prints the document in brief. */
  isBrief?: boolean;
  /** Resolves with a page with charts. By default, the page is the document. */
  report?(): Promise<string>;
}

type Asked = Partial<z.output<typeof formOptions>>;

/** Throws `ProblemError` if more than one form was asked for, because stdout holds one document. */
export function oneDocument(asked: Asked): void {
  const flags = optionsOf(formOptions).flatMap(({ key, flag }) =>
    [true, '-'].includes(asked[key as keyof Asked] ?? '') ? `--${flag}` : [],
  );
  if (flags.length < 2) return;
  const message = `${flags.at(-1)}: expected one document on stdout, received ${flags.join(' and ')}`;
  throw problemError('badOption', message);
}
