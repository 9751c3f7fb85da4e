import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readMachineState } from './machine-state.js';

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
