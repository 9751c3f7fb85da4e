import type { readMachine } from '../../measure/rig/machine.js';

/** Idle states that wake up faster disappear in the latency of any server. */
const wakesFastUs = 20;

/** Says what of a machine's state changes conclusions, and what to do: a line each. */
export function stateAdvice({
  governor,
  turbo,
  smt,
  wakeUs = 0,
  virtualisation,
}: ReturnType<typeof readMachine>): string[] {
  const isSlowing = governor !== undefined && governor !== 'performance';
  const isVirtual = virtualisation !== undefined && virtualisation !== 'none';
  return [
    ...(isSlowing ? [`governor ${governor} slows idle cores: sudo cpupower frequency-set -g performance`] : []),
    ...(turbo === 'on' ? ['turbo changes speed within minutes: compare in pairs, or turn it off'] : []),
    ...(smt === 'on' ? ['SMT: target and load may share a core: taskset both, or turn it off'] : []),
    ...(wakeUs > wakesFastUs
      ? [`idle cores take ${wakeUs} µs to wake up: sudo cpupower idle-set -D ${wakesFastUs}`]
      : []),
    ...(isVirtual
      ? [`virtual machine (${virtualisation}): others may take its cores; results count it as stolen`]
      : []),
  ];
}
