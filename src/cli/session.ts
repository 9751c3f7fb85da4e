import {
  type CommandSession,
  type Ending,
  type Foreground,
  type Making,
  type MakingContext,
  type Measurement,
  oneDocument,
} from '../commands/command.js';
import type { EngineOffer } from '../contract/engine.js';
import { type ExitName, exitCodes } from '../contract/exit-codes.js';
import { type Problem, ProblemError } from '../contract/problems.js';
import type { MachineLimits } from '../contract/shard.js';
import { readProcText } from '../measure/rig/machine.js';
import type { Document } from '../render/document/document.js';
import { markdownText } from '../render/document/markdown.js';
import { terminalText } from '../render/document/terminal.js';
import { junitText } from '../render/junit.js';
import type { ProgressView } from '../results/progress.js';
import type { RunResult } from '../results/result.js';
import { EngineCommands } from '../run/engines/engine-commands.js';
import { begunInWords } from '../run/shards/open-shards.js';
import { descriptorLimit, machineLimits } from '../runner/machine-limits.js';
import { isGone } from '../targets/observe/proc-files.js';
import { jsonText } from '../units/text.js';
import { inOwnNetwork } from './own-network.js';
import { exitWithStdin, interruptSignal, onSignals, signalWords } from './signals.js';
import { note, print, printLines, printProblems, terminalStyle, writeOut } from './terminal/output.js';
import { Progress } from './terminal/progress.js';
import type { OtlpOutput } from './watch/otlp.js';
import type { WatchPage } from './watch/watch-page.js';

const lookEveryMs = 500;
const shellName = /^(ba|da|a|k|z)?sh$/;

/** Ends this process with the npm or npx that started it, as a signal to npm reaches only the shell between. */
function endWithNpm(): void {
  // A process that a driver started has the driver's environment.
  if (process.env.npm_execpath === undefined || process.env.RINGSIDE_EXIT_WITH_STDIN === '1') return;
  const session = statOf(process.pid)?.session;
  if (session === process.pid) return;
  const first = starters();
  const timer = setInterval(() => {
    const isAnother = starters().some((pid, place) => first[place] !== undefined && pid !== first[place]);
    // npm may have ended before this check. The process that adopts an orphan is in another session.
    if (!isAnother && (statOf(process.ppid)?.session ?? session) === session) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, lookEveryMs);
  timer.unref();
}

/** Returns the parents of this process up to the first program that is no shell: npm. */
function starters(): number[] {
  const pids = [process.ppid];
  for (let above = statOf(process.ppid); above && shellName.test(above.name); above = statOf(above.parent))
    pids.push(above.parent);
  return pids;
}

/** Undefined without `/proc`, for a process that is gone, and while no descriptor is free. */
function statOf(pid: number): { name: string; parent: number; session: number } | undefined {
  try {
    const text = readProcText(`/proc/${pid}/stat`);
    const [, name, parent, session] = /^\d+ \((.*)\) \S (\d+) \d+ (\d+) /s.exec(text ?? '') ?? [];
    return name === undefined ? undefined : { name, parent: Number(parent), session: Number(session) };
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

export async function inSession(work: (session: CommandSession) => Promise<Awaited<Ending>>): Promise<void> {
  const ending = (await work(new CliSession())) ?? 'clean';
  process.exitCode = typeof ending === 'number' ? ending : exitCodes[ending].code;
}

class CliSession implements CommandSession {
  readonly style = terminalStyle();
  readonly print = print;
  readonly printLines = printLines;
  readonly write = writeOut;
  readonly note = note;
  readonly warn = printProblems;
  readonly engines = new EngineCommands(process.env, note);
  readonly foreground: Foreground = {
    onSignals: (end, again) => {
      onSignals(end, again);
      endWithNpm();
    },
    onOrphaned: exitWithStdin,
    pipe: (output) => output.pipe(process.stdout),
    greet: (line) => {
      // A bench-runner that a driver started shares its terminal.
      if (process.stderr.isTTY && process.env.RINGSIDE_EXIT_WITH_STDIN !== '1') note(line);
    },
    exit: () => process.exit(),
  };
  #interrupt: AbortSignal | undefined;
  #ending = signalWords.unmeasured;

  get interrupt(): AbortSignal {
    this.#interrupt ??= interruptSignal(exitCodes.interrupted.code, () => this.#ending);
    return this.#interrupt;
  }

  get limits(): MachineLimits {
    return machineLimits();
  }

  async engine(): Promise<EngineOffer> {
    // Only one command needs it.
    const { describeEngine } = await import('../wire/choice.js');
    return describeEngine();
  }

  readonly printResult: CommandSession['printResult'] = async (asked, forms) => {
    const { data, document, isBrief, report = () => plainPage(document) } = forms;
    const { isJson, markdownFile, junitFile, htmlFile } = asked;
    const texts = [
      { file: markdownFile, text: () => markdownText(document) },
      { file: junitFile, text: () => junitText(document) },
      { file: htmlFile, text: report },
    ];
    if (isJson) print(jsonText(data));
    else if (texts.every(({ file }) => file !== '-')) printLines(terminalText(document, this.style, isBrief));
    for (const { file, text } of texts) {
      if (file === '-') print(await text());
      else if (file !== undefined) await this.write([await text()], file);
    }
  };

  readonly withShards: CommandSession['withShards'] = async (fleet, targets, work) => {
    // A bench-runner, or a command without load, does not need the HTTP client.
    const { withFleet } = await import('./fleet.js');
    return withFleet(fleet, targets, { engines: this.engines, interrupt: () => this.interrupt }, work);
  };

  readonly inOwnNetwork = inOwnNetwork;

  readonly begin: CommandSession['begin'] = (label, subject = '', isByShard = false) =>
    beginMaking({ label, subject, isByShard }, this.interrupt, () => {
      this.#ending = signalWords.measuring;
    });

  async measure({ label, fleet, targets, writes = {}, watch, otlp, isByShard, work }: Measurement): Promise<ExitName> {
    oneDocument(fleet);
    const elsewhere = await this.inOwnNetwork({ fleet, targets, watch, otlp });
    if (elsewhere !== null) return elsewhere;
    const { refuseUnwritable } = await import('../results/store.js');
    await refuseUnwritable({ '--results': fleet.resultsDir, ...writes });
    const making = this.begin(label, '', isByShard);
    let page: WatchPage | undefined;
    const collector = otlp && (await openCollector(otlp));
    const progress = (view: ProgressView): void => {
      making.context.progress(view);
      page?.show(view);
      collector?.show(view);
    };
    const made = await this.withShards(fleet, targets, async (shards) => {
      page = watch && (await openPage(watch));
      return work({ ...making.context, progress, shards });
    })
      .catch(async (error: unknown) => {
        await page?.end('The run failed; the terminal says why.').catch(tellOfPage);
        await collector?.end(undefined);
        throw error;
      })
      .finally(making.end);
    const place = making.isWhole ? `kept in ${made.directory}` : 'not kept';
    if (page) this.#ending = `the run is over and ${place}; its page is becoming its report`;
    try {
      await collector?.end(made.data as RunResult);
      await this.printResult(fleet, made);
      if (made.note !== undefined && making.isWhole) note(made.note);
      making.tell(made.directory);
      if (page && making.isWhole) note(`its page: \`ringside report ${made.directory} --html FILE\``);
    } finally {
      await page?.end(`The run is over. It is ${place}.`, making.isWhole ? made.report : undefined).catch(tellOfPage);
    }
    return making.exit(made.exit);
  }
}

async function plainPage(document: Document): Promise<string> {
  const [{ answerPage }, { pageAssets }] = await Promise.all([
    import('../render/html/document.js'),
    import('../commands/report/page.js'),
  ]);
  return answerPage(document, await pageAssets());
}

async function openPage({ port, title, metric }: NonNullable<Measurement['watch']>): Promise<WatchPage> {
  const { WatchPage } = await import('./watch/watch-page.js');
  return WatchPage.open(port, title, metric);
}

async function openCollector(plan: NonNullable<Measurement['otlp']>): Promise<OtlpOutput> {
  const { OtlpOutput } = await import('./watch/otlp.js');
  return OtlpOutput.open(plan, note);
}

/** Reports a failure of the page. It does not change the end of the run. A bug of Ringside shows its stack. */
function tellOfPage(error: unknown): void {
  const told = error instanceof ProblemError ? error.message : error instanceof Error ? error.stack : String(error);
  note(`no report on the page: ${told}`);
}

function beginMaking(
  { label, subject, isByShard }: { label: string; subject: string; isByShard: boolean },
  interrupt: AbortSignal,
  measures: () => void,
): Making {
  const progress = new Progress(label, isByShard);
  // By message, as one cause fails for every file.
  const notKept = new Map<string, Problem>();
  const end = (): void => progress.end();
  const noteBelow = (line: string): void => {
    end();
    note(line);
  };
  let isFirst = true;
  const tell = (directory: string): void => {
    end();
    if (notKept.size === 0) note(`kept in ${directory}`);
    else printProblems({ problems: [...notKept.values()] });
  };
  const context: MakingContext = {
    childDescriptors: descriptorLimit(),
    interrupt,
    notKept: (problem) => notKept.set(problem.message, problem),
    progress: (view) => {
      measures();
      progress.show(view);
    },
    follow: (view) => progress.show(view),
    begins: (name, number, of) => progress.begin(`${subject}${number}/${of} ${name}`),
    finished: end,
    label: (text) => progress.begin(text),
    note: noteBelow,
    begun: (runId, shards) => {
      noteBelow(isFirst ? begunInWords(runId, shards) : `run ${runId}`);
      isFirst = false;
    },
    tell,
  };
  return {
    context,
    get isWhole() {
      return notKept.size === 0;
    },
    tell,
    exit: (name) => (name === 'clean' && notKept.size > 0 ? 'rig' : name),
    end,
  };
}
