import { spawnSync } from 'node:child_process';
import { built } from './built.js';
import type { Command } from './command.js';
import { inOwnNetwork } from './namespace.js';
import type { Workplace } from './workplace.js';

/** The driver and the shards talk over `control`; the shards and the target talk over `load`. */
export type Cable = 'control' | 'load';

const subnets: Readonly<Record<Cable, string>> = { control: '10.83.1', load: '10.83.2' };
const cables = Object.keys(subnets) as Cable[];
const token = 'drill';
const [targetPort, runnerPort] = [7077, 8080];

/** Shell text that makes machines in a network of its own, and says the process that holds each. */
function machinesScript(names: readonly string[]): string {
  const makeMachine = (name: string, index: number): string[] => [
    'unshare --net sleep 900 & holder=$!',
    'until [ "$(readlink /proc/$holder/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.05; done',
    'inside="nsenter --target $holder --net"',
    ...cables.flatMap((cable) => [
      `ip link add ${cable}-${name} type veth peer name ${cable} netns $holder`,
      `ip link set ${cable}-${name} master ${cable} up`,
      `$inside ip addr add ${subnets[cable]}.${index + 1}/24 dev ${cable}`,
      `$inside ip link set ${cable} up`,
    ]),
    '$inside ip link set lo up',
    `echo "${name}=$holder"`,
  ];
  const lines = [
    'set -e',
    "trap 'kill $(jobs -p)' EXIT",
    ...cables.map((cable) => `ip link add ${cable} type bridge && ip link set ${cable} up`),
    ...names.flatMap(makeMachine),
    'echo ready',
  ];
  return lines.join('\n');
}

/** Whether this system lets us have one: it takes `unshare`, `nsenter`, `ip`, and a kernel with veth and bridges. */
export const canHaveNetwork = spawnSync('unshare', inOwnNetwork(machinesScript(['one', 'two']))).status === 0;

/** Says on stderr why drills are skipped, and whether they run. */
export function canDrill(what: string, needs: Readonly<Record<string, boolean>> = {}): boolean {
  const all = { 'network namespaces (apt-get install util-linux iproute2; root or user namespaces)': canHaveNetwork };
  const missing = Object.entries({ ...all, ...needs }).flatMap(([need, isThere]) => (isThere ? [] : [need]));
  if (missing.length > 0) process.stderr.write(`not drilled here: ${what}. It takes ${missing.join(', ')}\n`);
  return missing.length === 0;
}

/** Whether a program can be started. */
export function hasProgram(program: string): boolean {
  return spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
}

/** Machines of a test: network namespaces that hang on two switches by a cable each. */
export class Network {
  readonly #place: Workplace;
  readonly #names: readonly string[];
  /** The process that holds the network of each machine, and of the `switches`. */
  readonly #holders: ReadonlyMap<string, number>;

  private constructor(place: Workplace, switches: Command, holders: readonly (readonly [string, number])[]) {
    this.#place = place;
    this.#names = holders.map(([name]) => name);
    this.#holders = new Map([...holders, ['switches', switches.pid]]);
  }

  /** A driver, a target and so many shards, which `s1`, `s2` … name. All end with the workplace. */
  static async open(place: Workplace, shards: number): Promise<Network> {
    const names = ['driver', 'target', ...Array.from({ length: shards }, (_, index) => `s${index + 1}`)];
    const switches = place.start('unshare', inOwnNetwork(`${machinesScript(names)}\nsleep 900`));
    const [said] = await switches.said('stdout', /(\w+=\d+\n)*ready\n/);
    const holders = [...said.matchAll(/^(\w+)=(\d+)$/gm)].map(([, name = '', pid]) => [name, Number(pid)] as const);
    return new Network(place, switches, holders);
  }

  address(machine: string, cable: Cable): string {
    return `${subnets[cable]}.${this.#names.indexOf(machine) + 1}`;
  }

  /** Starts a program on a machine, or at the `switches`. */
  start(machine: string, program: string, args: readonly string[], env: Record<string, string> = {}): Command {
    return this.#place.start('nsenter', [...this.#into(machine), program, ...args], env);
  }

  /** Runs a shell script to its end on a machine, or at the `switches`, whose ports are named `CABLE-MACHINE`. */
  shell(machine: string, script: string): void {
    const args = [...this.#into(machine), 'bash', '-ec', script];
    const { status, stderr } = spawnSync('nsenter', args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`${script}: ${stderr}`);
  }

  /** Pulls a machine's cable out of its switch. */
  cut(machine: string, cable: Cable): void {
    this.shell('switches', `ip link set ${cable}-${machine} down`);
  }

  /** Puts it back. */
  heal(machine: string, cable: Cable): void {
    this.shell('switches', `ip link set ${cable}-${machine} up`);
  }

  /** Starts a target, and gives the flags that lead a run to it. */
  async target(server = 'ws', args: readonly string[] = []): Promise<{ command: Command; flags: string[] }> {
    const at = `${this.address('target', 'load')}:${targetPort}`;
    const main = built(`servers/${server}/main.js`);
    const host = ['--host', this.address('target', 'load'), '--port', `${targetPort}`];
    const command = this.start('target', process.execPath, [main, ...host, ...args]);
    await command.said('stdout', /\n/);
    const urls = ['--target-url', `ws://${at}/ws`, '--publish-url', `http://${at}/_broadcast`];
    return { command, flags: [...urls, '--protocol', 'ws-json'] };
  }

  /** Starts a bench-runner on that machine. */
  async shard(machine: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<Command> {
    const where = ['--host', '0.0.0.0', '--port', `${runnerPort}`, '--allow-target', `${subnets.load}.0/24`];
    const all = [built('src/cli/main.js'), 'bench-runner', ...where, ...args];
    const command = this.start(machine, process.execPath, all, { RINGSIDE_TOKEN: token, ...env });
    await command.said('stdout', /\n/);
    return command;
  }

  /** Starts `ringside` on the driver's machine over those shards. */
  drive(args: readonly string[], shards: readonly string[], env: Record<string, string> = {}): Command {
    const urls = shards.map((machine) => this.urlOf(machine)).join(',');
    const all = [built('src/cli/main.js'), ...args];
    return this.start('driver', process.execPath, all, { RINGSIDE_TOKEN: token, SHARDS: urls, ...env });
  }

  /** Where the bench-runner of a machine listens. */
  urlOf(machine: string): string {
    return `http://${this.address(machine, 'control')}:${runnerPort}`;
  }

  #into(machine: string): string[] {
    return ['--target', `${this.#holders.get(machine)}`, '--user', '--net', '--preserve-credentials', '--'];
  }
}
