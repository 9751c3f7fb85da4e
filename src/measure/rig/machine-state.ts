import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { exhausted, unlessCode } from '../../units/system.js';

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
