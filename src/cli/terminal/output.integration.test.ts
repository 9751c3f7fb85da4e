import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { built } from '../../../test/built.js';
import { latencyFlags } from '../../../test/latency.js';
import {
  expectUnwritten,
  expectWhole,
  hasFull,
  hasPty,
  keptBy,
  outcomeOf,
  outcomeOverFleet,
  place,
  ringside,
  run,
} from '../../../test/runs/outlets.js';
import { filesIn } from '../../../test/workplace.js';
import { exitCodes } from '../../contract/exit-codes.js';
import { runResult } from '../../results/result.js';

describe.concurrent('a run', () => {
  it('without any of the three outlets is kept, and ends as it would', async () => {
    expectWhole(await outcomeOf(`${run} 0<&- >&- 2>&-; echo $? > code`));
  });

  it('whose stderr nobody reads after the first line, before its load, is kept, and ends as it would', async () => {
    expectWhole(await outcomeOverFleet(`{ ${run} 2>&1; echo $? > code; } | head -1`));
  });

  it.runIf(hasFull)('whose figures stdout does not take is kept, and not clean', async () => {
    expectUnwritten(await outcomeOverFleet(`${run} > /dev/full; echo $? > code`));
  });

  it('on a file system without room prints its figures, is not clean, and leaves no directory', async () => {
    const script = `ulimit -f 1; { ${run} --json; echo $? > code; } | cat`;
    const { command, code, stderr, stdout } = await outcomeOverFleet(script);
    expect(code).toBe(exitCodes.rig.code);
    expect(stderr.match(/^error: .*EFBIG/gm)).toHaveLength(1);
    expect(filesIn(join(command.folder, 'results'))).toEqual([]);
    expect(runResult.parse(JSON.parse(stdout)).stop.code).toBe('completed');
  });

  it.runIf(hasPty)('whose terminal is closed keeps what it measured, as an interrupted one', async () => {
    const flags = ['run', 'latency', '--target', 'ws', ...latencyFlags(3, 9973)];
    const call = ['-c', closesTerminal, process.execPath, built('src/cli/main.js'), ...flags];
    const command = place.start('python3', call);
    const { stdout, stderr } = await command.ended;
    expect([stdout, stderr]).toEqual([`${exitCodes.interrupted.code}\n`, '']);
    // Whether a broadcast was measured by then is the machine’s.
    expect(['interrupted', 'endedByUser']).toContain(keptBy(command).stop.code);
    expect(command.family('main.js')).toEqual([]);
  });
});

describe.concurrent('what is no run', () => {
  it.runIf(hasPty)('says on a terminal in words, too, where it listens', async () => {
    const server = [process.execPath, built('src/cli/main.js'), 'bench-runner', '--port', '0'];
    const command = place.start('python3', ['-c', 'import pty, sys; pty.spawn(sys.argv[1:])', ...server]);
    const [, port] = await command.said('stdout', /"port":(\d+)/);
    const [, inWords] = await command.said('stdout', /^bench-runner: .*port (\d+).*\r\n\{/);
    expect(inWords).toBe(port);
    const runners = command.family().filter((each) => each.command.startsWith(process.execPath));
    for (const { pid } of runners) process.kill(pid, 'SIGTERM');
    await command.ended;
    expect(command.family()).toEqual([]);
  });

  it.runIf(hasFull)('is refused where nobody can read the refusal', async () => {
    const { code } = await outcomeOf(`${ringside} run latency --target none 2>/dev/full; echo $? > code`);
    expect(code).toBe(exitCodes.input.code);
  });
});

/** Starts a command on a terminal, closes that once it publishes, and prints its exit code, or minus its signal. */
const closesTerminal = `
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 24, 80, 0, 0))
seen = b''
while b'publish' not in seen:
    seen += os.read(terminal, 65536)
os.kill(pid, 1)
os.close(terminal)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;
