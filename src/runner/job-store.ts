import { randomUUID } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { rm } from 'node:fs/promises';
import { isIP, isIPv4 } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { engineProblems } from '../contract/engine.js';
import { digestOf, type JobModule, overLimits } from '../contract/job.js';
import { type Problem, ProblemError, problem, problemError } from '../contract/problems.js';
import { type GateBody, holderInWords, type ShardHolder } from '../contract/shard.js';
import { FlowFault, ModuleFolder } from '../flow/module/load-flow.js';
import { digestStart, loadJobProtocol } from '../flow/module/load-protocol.js';
import { nowNs } from '../measure/rig/clock.js';
import { mostSendsInLog, numbersOfMarks } from '../measure/samples/mark-table.js';
import { shareOf } from '../measure/share.js';
import { type Job, parseJob } from '../scenarios/job.js';
import { hostOf, parseAddressRanges } from '../units/addresses.js';
import { isMap } from '../units/text.js';
import { describeEngine } from '../wire/choice.js';
import { type AllowList, jobLimits, type RunnerOptions } from './allow-list.js';
import { ShardJob } from './shard-job.js';
import type { Identity } from './shard-self.js';

const finishedKept = 3;
const fetchedKept = 100;
const lookEveryMs = 100;

/** Holds the jobs of this bench-runner: the running ones, and the last few whose results were not collected. */
export class JobStore {
  #jobs: readonly ShardJob[] = [];
  readonly #fetched: { runId: string; jobId: string; driver: string }[] = [];
  #ending: string | undefined;

  constructor(
    private readonly identity: Identity,
    private readonly limits: RunnerOptions,
    private readonly allowed: { allowList: AllowList; modules: ModuleStore },
  ) {}

  /** Creates a job, or returns the one of the same order. Throws `ProblemError`. */
  async take(body: unknown): Promise<ShardJob> {
    const { modules } = this.allowed;
    // All awaits come first, as nothing may happen between the checks below and the new job.
    const protocolFile = await modules.protocolFile(isMap(body) ? String(body.protocol) : '');
    const job = parseJob(body);
    const ofEngine = engineProblems(job.load, job.target.wsUrls, await describeEngine());
    const same = this.#jobs.find((each) => each.job.idempotencyKey === job.idempotencyKey);
    if (same && isDeepStrictEqual(same.job, job)) return same;
    if (same) {
      const { id } = same;
      throw problemError('keyReused', `idempotencyKey: job ${id} has this key and is another order`);
    }
    if (this.#ending !== undefined)
      throw problemError('runnerEnding', `this bench-runner is about to end (${this.#ending})`);
    const ofSources = await sourceProblems(job);
    const problems = [...this.#refusals(job), ...modules.problems(job.modules), ...ofSources, ...ofEngine];
    if (problems.length > 0) throw new ProblemError(problems);
    const other = this.running.find((each) => !areBeside(each.job, job));
    if (other) throw new ProblemError([heldBy(other)]);
    const taken = new ShardJob(randomUUID(), job, this.identity, {
      maxDurationMs: this.limits.maxDurationMs,
      modules: modules.filesOf(job.modules),
      protocolFile,
    });
    const finished = this.#jobs.filter((each) => each.isDone).slice(-finishedKept * (job.slots?.slotsMs.length ?? 1));
    this.#jobs = [...finished, ...this.running, taken];
    void this.#forgetLater(taken);
    return taken;
  }

  #refusals(job: Job): Problem[] {
    const clients = shareOf(job.demand.clients, job.slice.index, job.slice.of) * (job.slots?.slotsMs.length ?? 1);
    const over = overLimits(job.demand, clients, jobLimits(this.limits));
    const strangers = addressesOf(job.target)
      .filter((url) => !this.allowed.allowList.allows(url))
      .map((url) =>
        problem(
          'targetNotAllowed',
          `${new URL(url).origin} is not among the allowed targets: ${this.allowed.allowList.entries.join(', ')}`,
        ),
      );
    return [...over, ...markProblems(job), ...strangers];
  }

  /** Running jobs: a single one, or those of one paired comparison. */
  get running(): readonly ShardJob[] {
    return this.#jobs.filter((job) => !job.isDone);
  }

  /** Returns the run whose jobs run here; null if none does. Waits until none does, at most `withinMs`. */
  async holder(withinMs: number): Promise<ShardHolder | null> {
    const overMs = performance.now() + withinMs;
    for (let leftMs = withinMs; leftMs > 0 && this.running.length > 0; leftMs = overMs - performance.now()) {
      const over = new AbortController();
      const waited = delay(leftMs, undefined, { signal: over.signal }).catch(() => undefined);
      await Promise.race([waited, ...this.running.map(({ done }) => done)]);
      over.abort();
    }
    const [first] = this.running;
    return first ? holderOf(first) : null;
  }

  /** Finds a job. Throws `ProblemError`: `notFound`, or `runTaken` if a driver other than the caller has fetched it. */
  find(id: string, driver: string | undefined): ShardJob {
    const job = this.#jobs.find((each) => each.id === id);
    if (job) return job;
    const fetched = this.#fetched.find(({ jobId }) => jobId === id);
    if (fetched && driver !== undefined && fetched.driver !== driver)
      throw problemError('runTaken', `${fetched.driver} has taken the run over and fetched it`);
    throw problemError('notFound', `there is no job ${id} on this bench-runner`);
  }

  /** Opens a gate; false if there is none. Jobs of a paired comparison start at the instant of the first of them. */
  openGate(job: ShardJob, name: string, { delayMs, isLast }: GateBody): boolean {
    const beside = this.#jobs.filter((each) => areBeside(each.job, job.job));
    const startAtNs = beside.map((each) => each.startOf(name)).find((atNs) => atNs !== undefined);
    return job.openGate(name, { isLast, startAtNs: startAtNs ?? nowNs() + delayMs * 1e6 });
  }

  /** Returns the job of a run. Throws `ProblemError`, which names the driver that fetched it or the runs here. */
  ofRun(runId: string): ShardJob {
    const job = this.#jobs.findLast((each) => each.job.runId === runId);
    if (job) return job;
    const fetched = this.#fetched.findLast((each) => each.runId === runId);
    const here = this.#jobs.map((each) => `${each.job.runId} (${each.isDone ? 'done' : 'running'})`);
    const why = fetched
      ? `run ${runId} is not here any more: ${fetched.driver} fetched it`
      : `there is no run ${runId} on this bench-runner, which has ${here.join(', ') || 'none'}`;
    throw problemError('notFound', why);
  }

  fetched(job: ShardJob): void {
    this.#fetched.push({ runId: job.job.runId, jobId: job.id, driver: job.holder.state.driver.name });
    this.#fetched.splice(0, this.#fetched.length - fetchedKept);
    this.#forget(job);
  }

  #forget(job: ShardJob): void {
    this.#jobs = this.#jobs.filter((each) => each !== job);
  }

  async #forgetLater(job: ShardJob): Promise<void> {
    await job.done;
    setTimeout(() => this.#forget(job), this.limits.keepMs).unref();
  }

  /** Accepts no more jobs and ends the running ones. Resolves when their results are ready. */
  async end(why: string): Promise<void> {
    this.#ending ??= why;
    const { running } = this;
    for (const job of running) job.stop('shardEnded', `the bench-runner was ended (${why})`);
    await Promise.all(running.map(({ done }) => done));
  }

  get isAwaited(): boolean {
    return this.#jobs.some((job) => job.holder.isAwaited);
  }

  async collected(): Promise<void> {
    while (this.isAwaited) await delay(lookEveryMs);
  }
}

function holderOf({ job: { runId }, holder, elapsedMs }: ShardJob): ShardHolder {
  return { runId, driver: holder.state.driver.name, heldMs: elapsedMs };
}

export function heldBy(job: ShardJob): Problem {
  return problem('shardBusy', `held by ${holderInWords(holderOf(job))} (job ${job.id})`);
}

function areBeside({ slots: one }: Pick<Job, 'slots'>, { slots: other }: Pick<Job, 'slots'>): boolean {
  return one !== undefined && one.group === other?.group && one.place !== other.place;
}

/** Refuses more declared sends than their numbers of nine digits tell apart, or than shards can tell each other. */
export function markProblems({ scenario, options, slice }: Pick<Job, 'scenario' | 'options' | 'slice'>): Problem[] {
  const most = slice.of === 1 ? numbersOfMarks : Math.min(mostSendsInLog, Math.floor(numbersOfMarks / slice.of));
  const asked = scenario.mostMarks?.(options, slice.of) ?? 0;
  const on = `on each of ${slice.of} shards`;
  return asked <= most
    ? []
    : [problem('overLimit', `declared sends ${on}: expected at most ${most}, received ${asked}`)];
}

function addressesOf({ wsUrls, publishUrl, furtherPublishUrls, inProcessUrl }: Job['target']): string[] {
  return [...wsUrls, publishUrl, ...furtherPublishUrls, ...(inProcessUrl ? [inProcessUrl] : [])];
}

const notOurs = ['EADDRNOTAVAIL', 'EINVAL', 'EAFNOSUPPORT'];

/** Reports the first source address that this machine lacks, and the first that can't reach the target. */
export async function sourceProblems({ load, target }: Pick<Job, 'load' | 'target'>): Promise<Problem[]> {
  const { addresses } = parseAddressRanges(load.localAddresses);
  const hosts = addressesOf(target).map(hostOf);
  const problems: Problem[] = [];
  const expect = (expected: string, address: string): void => {
    problems.push(problem('sourceAddress', `--local-address: expected ${expected}, received ${address}`));
  };
  // A host name has no known family yet.
  const outOfReach = (address: string) => hosts.find((each) => isIP(each) !== 0 && isIP(each) !== isIP(address));
  const stuck = addresses.find((address) => outOfReach(address) !== undefined);
  if (stuck !== undefined) expect(`addresses from which ${outOfReach(stuck)} can be reached`, stuck);
  for (const address of addresses) {
    if (await isOurs(address)) continue;
    expect('addresses of this machine', address);
    break;
  }
  return problems;
}

/** Returns true if a socket can be bound to the address. Other errors show when clients connect. */
async function isOurs(address: string): Promise<boolean> {
  // Linux has all addresses of 127.0.0.0/8.
  if (process.platform === 'linux' && isIPv4(address) && address.startsWith('127.')) return true;
  return new Promise((resolve) => {
    const socket = createSocket(isIPv4(address) ? 'udp4' : 'udp6');
    const told = (isBound: boolean): void => {
      socket.close();
      resolve(isBound);
    };
    socket.once('error', ({ code = '' }: NodeJS.ErrnoException) => told(!notOurs.includes(code)));
    socket.bind({ address, port: 0, exclusive: true }, () => told(true));
  });
}

/** Modules that stay. A driver that finds its module gone sends it again. */
const mostKept = 64;
const notAllowed = problem('modulesNotAllowed', 'this bench-runner runs no modules of users');

/** Holds the modules that drivers sent to this bench-runner, by digest, in a private temporary folder. */
export class ModuleStore {
  readonly #folder = new ModuleFolder();
  /** Paths by digest, the oldest first. */
  readonly #paths = new Map<string, string>();

  constructor(readonly isAllowed: boolean) {}

  refuseUnlessAllowed(): void {
    if (!this.isAllowed) throw new ProblemError([notAllowed]);
  }

  problems(modules: readonly JobModule[]): Problem[] {
    if (modules.length === 0) return [];
    if (!this.isAllowed) return [notAllowed];
    return modules
      .filter(({ digest }) => !this.#paths.has(digest))
      .map(({ name, digest }) =>
        problem('moduleMissing', `module ${name}: there is none of digest ${digest} on this bench-runner`),
      );
  }

  filesOf(modules: readonly JobModule[]): string[] {
    return modules.map(({ digest }) => this.#paths.get(digest)!);
  }

  /** Loads the protocol of a job, and returns its file. Undefined for a protocol of ours. Throws `ProblemError`. */
  async protocolFile(protocol: string): Promise<string | undefined> {
    const start = digestStart(protocol);
    if (start === undefined) return undefined;
    this.refuseUnlessAllowed();
    const [, path] = [...this.#paths].find(([digest]) => digest.startsWith(start)) ?? [];
    if (path === undefined)
      throw problemError(
        'moduleMissing',
        `protocol ${protocol}: there is no module of that digest on this bench-runner`,
      );
    await loadJobProtocol(protocol, path).catch((error: unknown) => {
      throw error instanceof FlowFault ? new ProblemError(error.faults.map((each) => problem('badFlow', each))) : error;
    });
    return path;
  }

  has(digest: string): boolean {
    return this.#paths.has(digest);
  }

  /** Takes a module. Throws `ProblemError` if its digest differs. */
  async put(digest: string, body: Uint8Array): Promise<void> {
    const found = digestOf(body);
    if (found !== digest)
      throw problemError('moduleDamaged', `expected a module of digest ${digest}, received ${found}`);
    this.#paths.set(digest, await this.#folder.write(digest, body));
    const [[oldest, path] = []] = this.#paths;
    if (oldest === undefined || path === undefined || this.#paths.size <= mostKept) return;
    this.#paths.delete(oldest);
    await rm(path, { force: true });
  }

  end(): Promise<void> {
    return this.#folder.remove();
  }
}
