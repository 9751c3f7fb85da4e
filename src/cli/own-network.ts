import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readlinkSync } from 'node:fs';
import type { CommandSession } from '../commands/command.js';
import { type ExitName, exitCodes } from '../contract/exit-codes.js';
import { type Problem, ProblemError, problem, problemError } from '../contract/problems.js';
import type { PlannedTarget } from '../run/server/planned.js';
import { ringsideProgram } from '../units/package-files.js';
import { onSignals } from './signals.js';

/** Names the variable with the network namespace of the process that started this one in another. */
const leftVariable = 'RINGSIDE_NETWORK_LEFT';

/** Calls `SIOCSIFFLAGS` with `IFF_UP | IFF_RUNNING`, for systems without iproute2. Perl is on every Debian. */
const upByPerl = [
  'socket(my $any, 2, 2, 0) or die "socket: $!\\n";',
  'my $lo = pack("a16 s x22", "lo", 0x41);',
  'ioctl($any, 0x8914, $lo) or die "lo: $!\\n";',
].join(' ');
/** Enables the loopback, which is down in a new namespace. */
const loopbackUp = `if command -v ip > /dev/null; then ip link set lo up; else perl -e '${upByPerl}'; fi`;

/** Arguments of `unshare`: as root, or as a user that may be root in a namespace of users. */
const ways: readonly (readonly string[])[] = [['-n'], ['-n', '-r']];

/** Returns true if `inOwnNetwork` started this process and it runs in the new namespace. */
export function isInOwnNetwork(): boolean {
  const left = process.env[leftVariable];
  return left !== undefined && left !== networkNamespace();
}

/**
 * Runs this command again in a network namespace of its own, with its signals and its terminal. Resolves with its exit;
 * with null if the option is not set or the process is already there. Throws `ProblemError` if the option makes no
 * sense or the system does not allow it.
 */
export const inOwnNetwork: CommandSession['inOwnNetwork'] = async ({ fleet, targets, watch, otlp }) => {
  if (!fleet.hasOwnNetwork) return null;
  if (isInOwnNetwork()) {
    // The process that started this one in the network may be killed and send no signal.
    process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
    process.channel?.unref();
    return null;
  }
  const problems = refusals(targets, { '--watch': watch, '--otlp': otlp });
  if (problems.length > 0) throw new ProblemError(problems);
  const args = [...wayOut(), 'sh', '-c', `${loopbackUp} && exec "$@"`, 'sh', process.execPath, ...process.execArgv];
  const child = spawn('unshare', [...args, ringsideProgram, ...process.argv.slice(2)], {
    // The channel closes when this process is gone.
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [leftVariable]: networkNamespace() },
  });
  const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
  onSignals(pass, pass);
  const [code] = await once(child, 'exit');
  return (Object.keys(exitCodes) as ExitName[]).find((name) => exitCodes[name].code === code) ?? 'bug';
};

function refusals(targets: readonly PlannedTarget[], outputs: Readonly<Record<string, unknown>>): Problem[] {
  const beyond = targets.filter(({ isOurs }) => !isOurs).map(({ name }) => name);
  return [
    ...(process.platform === 'linux'
      ? []
      : [problem('ownNetwork', '--own-network: only Linux has network namespaces')]),
    ...beyond.map((name) =>
      problem('ownNetwork', `--own-network: expected a target that starts here, but ${name} is reached by an address`),
    ),
    ...Object.entries(outputs)
      .filter(([, output]) => output !== undefined)
      .map(([flag]) => problem('ownNetwork', `--own-network: ${flag} would be out of reach`)),
  ];
}

function wayOut(): readonly string[] {
  const tries = ways.map((way) => {
    const { status, error, stderr } = spawnSync('unshare', [...way, 'sh', '-c', loopbackUp], { encoding: 'utf8' });
    return { way, isOpen: status === 0, why: error ? error.message : stderr.trim() };
  });
  const open = tries.find(({ isOpen }) => isOpen);
  if (open) return open.way;
  const why = [...new Set(tries.map((each) => each.why))].join('; ');
  throw problemError('ownNetwork', `--own-network: this system gives us no network of our own (${why})`);
}

function networkNamespace(): string {
  return readlinkSync('/proc/self/ns/net');
}
