import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import os from 'node:os';
import { join } from 'node:path';
import { exhausted, unlessCode } from '../../units/system.js';
import { nowNs } from './clock.js';

/** Describes the machine and runtime of this process. It omits the host name because results may be published. */
export function readMachine() {
  return {
    kernel: `${os.type()} ${os.release()}`,
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    memoryBytes: os.totalmem(),
    runtime: `node ${process.versions.node}`,
    ...readMachineState(),
  };
}

/** Returns the name of the monotonic clock: boot and time namespace. Subtract only stamps of one clock. */
export function readClockId(): string {
  if (process.platform !== 'linux') return `${os.hostname()}/${process.platform}`;
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  // Kernels before 5.6 have one unnamed time namespace.
  return `${bootId}/${unlessCode(['ENOENT'], () => readlinkSync('/proc/self/ns/time')) ?? 'time:host'}`;
}

/** Reads a file of `/proc`. Undefined if this process has no free descriptor. */
export function readProcText(path: string): string | undefined {
  return unlessCode(exhausted, () => readFileSync(path, 'utf8'));
}

/** Counts the open descriptors of this process. Undefined if it has no free one. */
export function countDescriptors(): number | undefined {
  return unlessCode(exhausted, () => readdirSync('/proc/self/fd').length);
}

/** Reads the resident memory of this process. Undefined if it has no free descriptor. */
export function readRssBytes(): number | undefined {
  return unlessCode(exhausted, () => process.memoryUsage.rss());
}

/** One reading takes a third of a millisecond, short enough to find one without interruption. */
const steps = 300_000;
const readings = 15;

let sink = 0;

function work(): void {
  let x = sink;
  for (let i = 0; i < steps; i++) x = (Math.imul(x, 31) + i) | 0;
  sink = x;
}

/** Returns steps of an integer loop per microsecond, the best of several. Compare within one machine and runtime. */
export function coreSpeed(clock: () => number = nowNs): number {
  let leastNs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < readings; i++) {
    const beganNs = clock();
    work();
    leastNs = Math.min(leastNs, clock() - beganNs);
  }
  return (steps * 1000) / Math.max(1, leastNs);
}

/** The ticks of one core since the boot. In `stolen` ticks the hypervisor kept it from this machine. */
export interface CoreTicks {
  core: string;
  busy: number;
  idle: number;
  stolen: number;
}

export function parseCores(text: string): CoreTicks[] {
  return [...text.matchAll(/^(cpu\d+) (.+)$/gm)].map(([, core = '', ticks = '']) => {
    // The guest times after the eighth are in user and nice already.
    const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, stolen = 0] = ticks
      .split(' ')
      .map(Number);
    return { core, busy: user + nice + system + irq + softirq, idle: idle + iowait, stolen };
  });
}

/** Reads the cores of this machine. Undefined without `/proc`, or if this process has no free descriptor. */
export function readCores(): CoreTicks[] | undefined {
  const text = process.platform === 'linux' ? readProcText('/proc/stat') : undefined;
  return text === undefined ? undefined : parseCores(text);
}

type Grown = Omit<CoreTicks, 'core'>;

/** Returns the ticks of each core between two readings. It omits cores that are new or stood still. */
export function coresBetween(before: readonly CoreTicks[], after: readonly CoreTicks[]): CoreTicks[] {
  return after.flatMap(({ core, ...now }): CoreTicks[] => {
    const then = before.find((each) => each.core === core);
    if (then === undefined) return [];
    const grown = { busy: grownBy(then.busy, now.busy), idle: grownBy(then.idle, now.idle) };
    const found = { core, ...grown, stolen: grownBy(then.stolen, now.stolen) };
    return found.busy + found.idle + found.stolen > 0 ? [found] : [];
  });
}

/** Returns the growth, and at least 0: the kernel may correct its idle time backwards by a tick. */
function grownBy(before: number, after: number): number {
  return Math.max(0, after - before);
}

export function busyShare({ busy, idle }: Pick<Grown, 'busy' | 'idle'>): number {
  return busy + idle > 0 ? busy / (busy + idle) : 0;
}

/** Returns the share of all cores' time that the hypervisor took. Undefined without ticks. */
export function stolenShare(cores: readonly Grown[]): number | undefined {
  const sum = (of: keyof Grown): number => cores.reduce((all, each) => all + each[of], 0);
  const stolen = sum('stolen');
  const all = sum('busy') + sum('idle') + stolen;
  return all > 0 ? stolen / all : undefined;
}

const cpus = 'sys/devices/system/cpu';
/** The kernel answers so for what this machine, its driver or its container does not have. */
const unreadable = [
  'ENOENT',
  'ENOTDIR',
  'EACCES',
  'EPERM',
  'EIO',
  'EINVAL',
  'ENODEV',
  'EBUSY',
  'EOPNOTSUPP',
  ...exhausted,
];

/** Reads what changes the speed of a machine beside its parts. It leaves out what can't be read. */
export function readMachineState(root = '/') {
  const textOf = (path: string): string | undefined =>
    unlessCode(unreadable, () => readFileSync(join(root, path), 'utf8').trim());
  const inside = (path: string): string[] => unlessCode(unreadable, () => readdirSync(join(root, path))) ?? [];
  const switchOf = (path: string): 'on' | 'off' | undefined => (({ 1: 'on', 0: 'off' }) as const)[textOf(path) ?? ''];
  const policies = inside(`${cpus}/cpufreq`).flatMap(
    (each) => textOf(`${cpus}/cpufreq/${each}/scaling_governor`) ?? [],
  );
  const noTurbo = switchOf(`${cpus}/intel_pstate/no_turbo`);
  const idle = `${cpus}/cpu0/cpuidle`;
  const wakesUs = inside(idle).flatMap((state) =>
    textOf(`${idle}/${state}/disable`) === '0' ? Number(textOf(`${idle}/${state}/latency`)) : [],
  );
  const flags = /^flags\b.*/m.exec(textOf('proc/cpuinfo') ?? '')?.[0];
  const product = ['sys_vendor', 'product_name'].flatMap((name) => textOf(`sys/class/dmi/id/${name}`) ?? []).join(' ');
  const faults = inside(`${cpus}/vulnerabilities`).flatMap((fault) => {
    const said = textOf(`${cpus}/vulnerabilities/${fault}`) ?? 'Not affected';
    return said === 'Not affected' ? [] : [[fault, said.replace(/^Mitigation: /, '').split(';', 1)[0]] as const];
  });
  return known({
    governor: [...new Set(policies)].sort().join(' + ') || undefined,
    turbo: noTurbo ? (noTurbo === 'on' ? 'off' : 'on') : switchOf(`${cpus}/cpufreq/boost`),
    smt: switchOf(`${cpus}/smt/active`),
    wakeUs: wakesUs.length > 0 ? Math.max(...wakesUs) : undefined,
    virtualisation: flags && (/\bhypervisor\b/.test(flags) ? product || 'unknown hypervisor' : 'none'),
    mitigations: faults.length > 0 ? (Object.fromEntries(faults) as Record<string, string>) : undefined,
    // Podman tells a container its image; others do not.
    image: /^imageid="(.+)"$/m.exec(textOf('run/.containerenv') ?? '')?.[1],
  });
}

function known<T extends object>(facts: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => fact !== undefined)) as never;
}
