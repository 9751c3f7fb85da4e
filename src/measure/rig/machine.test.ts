import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LoadWindow } from './load-window.js';
import {
  busyShare,
  coreSpeed,
  coresBetween,
  parseCores,
  readClockId,
  readMachineState,
  stolenShare,
} from './machine.js';

it('reads ticks of each core: waiting for a disk is idle, a guest counts once, stolen time is neither', () => {
  const text =
    'cpu  200 20 60 1400 40 6 14 2 30 0\ncpu0 100 10 30 700 20 3 7 1 15 0\ncpu11 101 11 31 701 21 5 9 3 17 0\nintr 7\n';
  expect(parseCores(text)).toEqual([
    { core: 'cpu0', busy: 150, idle: 720, stolen: 1 },
    { core: 'cpu11', busy: 157, idle: 722, stolen: 3 },
  ]);
});

describe('cores between two readings', () => {
  const before = parseCores('cpu0 100 0 0 900 0 0 0 0\ncpu1 7 0 0 7 0 0 0 0\ncpu2 1 0 0 1 0 0 0 0\n');
  // The kernel took a tick of idle time back from cpu1; cpu2 stood still; cpu3 is new.
  const after = parseCores(
    'cpu0 130 0 0 920 0 0 0 50\ncpu1 11 0 0 6 0 0 0 0\ncpu2 1 0 0 1 0 0 0 0\ncpu3 5 0 0 5 0 0 0 5\n',
  );
  const since = coresBetween(before, after);

  it('are those that both tell of, and none runs backwards', () =>
    expect(since).toEqual([
      { core: 'cpu0', busy: 30, idle: 20, stolen: 50 },
      { core: 'cpu1', busy: 4, idle: 0, stolen: 0 },
    ]));

  it('were busy for a share of the time that the machine had them', () => {
    expect(since.map(busyShare)).toEqual([0.6, 1]);
    expect(busyShare({ busy: 0, idle: 0 })).toBe(0);
  });

  it('had a share stolen, of the time of all together', () => {
    expect(stolenShare(since)).toBeCloseTo(50 / 104, 12);
    expect(stolenShare([])).toBeUndefined();
  });
});

/** A clock on which the readings take what they are told to, in nanoseconds, and the last of them over and over. */
function clockOf(...tookNs: number[]): () => number {
  let [atNs, calls] = [7e9, 0];
  return () => {
    const reading = Math.floor(calls / 2);
    if (calls++ % 2 === 1) atNs += tookNs[Math.min(reading, tookNs.length - 1)] as number;
    return atNs;
  };
}

it('is that of the reading in which nobody took the core away', () =>
  expect(coreSpeed(clockOf(3e6, 1_500_000, 300_000, 900_000))).toBe(1000));

it('halves with the speed of the core', () =>
  expect(coreSpeed(clockOf(1_000_000))).toBe(2 * coreSpeed(clockOf(2_000_000))));

it('is a number on a clock that stands still', () => expect(coreSpeed(clockOf(0))).toBe(300_000_000));

it('names one and the same clock each time', () => {
  expect(readClockId()).toBe(readClockId());
  expect(readClockId()).toMatch(
    process.platform === 'linux' ? /^[0-9a-f-]{36}\/time:(\[\d+\]|host)$/ : new RegExp(`/${process.platform}$`),
  );
});

interface Look {
  atMs: number;
  busyMs: number;
  received: number;
}

/** What of the looks is counted, the first at 0. */
function counted(...looks: Look[]): { windowMs: number; busyMs: number } {
  const window = new LoadWindow({ windowMs: 0, busyMs: 0 }, { received: 0 });
  for (const { atMs, busyMs, received } of looks) window.look({ windowMs: atMs, busyMs }, { received });
  return window.sums;
}

/** Four looks in a second, `busy` of the time between them busy, and deliveries only where there is a load. */
function stretch(fromMs: number, toMs: number, busyFromMs: number, busy: number): Look[] {
  const looks: Look[] = [];
  for (let atMs = fromMs + 250; atMs <= toMs; atMs += 250)
    looks.push({ atMs, busyMs: busyFromMs + (atMs - fromMs) * busy, received: busy > 0 ? atMs : fromMs });
  return looks;
}

it('is all of a load, and nothing of the wait for a lost delivery behind it', () => {
  const load = stretch(0, 10_000, 0, 1);
  expect(counted(...load, ...stretch(10_000, 40_000, 10_000, 0))).toEqual({ windowMs: 10_000, busyMs: 10_000 });
});

it('leaves out gates before, between and behind', () => {
  const looks = [
    ...stretch(0, 2000, 0, 0),
    ...stretch(2000, 5000, 0, 0.5),
    ...stretch(5000, 7000, 1500, 0),
    ...stretch(7000, 8000, 1500, 0.5),
    ...stretch(8000, 9000, 2000, 0),
  ];
  expect(counted(...looks)).toEqual({ windowMs: 4000, busyMs: 2000 });
});

it('counts a stall that kept both looks and deliveries back', () =>
  expect(
    counted(
      { atMs: 250, busyMs: 250, received: 7 },
      { atMs: 3250, busyMs: 3250, received: 7 },
      { atMs: 3500, busyMs: 3300, received: 97 },
    ),
  ).toEqual({ windowMs: 3500, busyMs: 3300 }));

it('goes on after a break, of which it counts nothing', () => {
  const window = new LoadWindow({ windowMs: 0 }, { received: 0 });
  window.look({ windowMs: 250 }, { received: 1 });
  window.resume({ windowMs: 5000 }, { received: 1 });
  window.look({ windowMs: 5250 }, { received: 2 });
  expect(window.sums).toEqual({ windowMs: 500 });
});

it('says what became of each stretch', () => {
  const window = new LoadWindow({ windowMs: 0 }, { received: 0 });
  const said = [250, 500, 750, 1000, 1250, 1500, 1750].map((windowMs) =>
    window.look({ windowMs }, { received: windowMs < 250 ? 0 : windowMs < 1750 ? 1 : 2 }),
  );
  expect(said).toEqual(['load', 'open', 'open', 'open', 'rest', 'rest', 'load']);
  expect(window.sums).toEqual({ windowMs: 500 });
  // Held up.
  expect(window.look({ windowMs: 2750 }, { received: 2 })).toBe('load');
});

const cpus = 'sys/devices/system/cpu';

function stateOf(files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'machine-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), `${text}\n`);
  }
  return readMachineState(root);
}

it('reads a machine of its own', () => {
  const idle = `${cpus}/cpu0/cpuidle`;
  const state = stateOf({
    [`${cpus}/cpufreq/policy0/scaling_governor`]: 'powersave',
    [`${cpus}/cpufreq/policy1/scaling_governor`]: 'performance',
    [`${cpus}/cpufreq/policy2/scaling_governor`]: 'powersave',
    [`${cpus}/intel_pstate/no_turbo`]: '0',
    [`${cpus}/smt/active`]: '1',
    ...{ [`${idle}/state0/latency`]: '2', [`${idle}/state0/disable`]: '0' },
    ...{ [`${idle}/state1/latency`]: '133', [`${idle}/state1/disable`]: '0' },
    ...{ [`${idle}/state2/latency`]: '890', [`${idle}/state2/disable`]: '1' },
    [`${cpus}/vulnerabilities/l1tf`]: 'Not affected',
    [`${cpus}/vulnerabilities/spectre_v2`]: 'Mitigation: Retpolines; STIBP: disabled',
    [`${cpus}/vulnerabilities/srbds`]: 'Vulnerable',
    'proc/cpuinfo': 'processor : 0\nflags : fpu vme\n',
    'run/.containerenv': 'engine="podman-5"\nimageid="5d89"',
  });
  expect(state).toEqual({
    governor: 'performance + powersave',
    turbo: 'on',
    smt: 'on',
    wakeUs: 133,
    virtualisation: 'none',
    mitigations: { spectre_v2: 'Retpolines', srbds: 'Vulnerable' },
    image: '5d89',
  });
});

it('reads a virtual machine', () => {
  const flags = { 'proc/cpuinfo': 'flags : fpu hypervisor vme', [`${cpus}/cpufreq/boost`]: '0' };
  expect(stateOf(flags)).toEqual({ turbo: 'off', virtualisation: 'unknown hypervisor' });
  const made = { ...flags, 'sys/class/dmi/id/sys_vendor': 'Amazon EC2', 'sys/class/dmi/id/product_name': 'm7g.large' };
  expect(stateOf(made).virtualisation).toBe('Amazon EC2 m7g.large');
});

it('leaves out what it can not read', () => expect(stateOf({})).toEqual({}));
