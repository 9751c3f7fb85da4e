import { existsSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { ProblemError, problemError } from '../contract/problems.js';
import { metronomeLivesMs, type OwnMetronome } from '../contract/shard.js';
import { readProcText } from '../measure/rig/machine.js';
import type { AllowList } from './allow-list.js';
import { heldBy, type JobStore } from './job-store.js';

/** A metronome that serves on the loopback of this machine. */
interface ServingMetronome extends Pick<OwnMetronome, 'wsUrl' | 'publishUrl'> {
  stop(): Promise<void>;
}

/** Starts a metronome. Throws `ProblemError` if it can't start. */
export type StartMetronome = () => Promise<ServingMetronome>;

interface Around {
  store: JobStore;
  allowList: AllowList;
  startMetronome: StartMetronome | undefined;
}

/** Adds the routes of the single metronome of a bench-runner. It ends on request, with the service, or by itself. */
export function addMetronomeRoutes(service: FastifyInstance, { store, allowList, startMetronome }: Around): void {
  let serving: Promise<ServingMetronome> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const end = async (): Promise<void> => {
    clearTimeout(timer);
    const ending = serving;
    serving = undefined;
    // If the metronome did not start, the caller of `POST` received the error.
    await (await ending?.catch(() => undefined))?.stop();
  };
  service.post('/metronome', async (): Promise<OwnMetronome> => {
    const [running] = store.running;
    if (running) throw new ProblemError([heldBy(running)]);
    if (!allowList.allows('ws://127.0.0.1')) {
      const allowed = allowList.entries.join(', ');
      throw problemError('targetNotAllowed', `its own loopback is not among the allowed targets: ${allowed}`);
    }
    if (!startMetronome) throw problemError('targetUnavailable', 'this bench-runner has no metronome');
    clearTimeout(timer);
    timer = setTimeout(() => void end(), metronomeLivesMs);
    serving ??= startMetronome();
    try {
      const { wsUrl, publishUrl } = await serving;
      return { wsUrl, publishUrl, quotaCores: readCpuQuota() };
    } catch (error) {
      serving = undefined;
      clearTimeout(timer);
      throw error;
    }
  });
  service.delete('/metronome', async () => {
    await end();
    return {};
  });
  service.addHook('onClose', end);
}

const here = (path: string): string | undefined => (existsSync(path) ? readProcText(path) : undefined);

/** Returns the cores that the control group of this container may use, of version 2 or 1. Null without a limit. */
export function readCpuQuota(read: (path: string) => string | undefined = here): number | null {
  const [quota, period] = (read('/sys/fs/cgroup/cpu.max') ?? ofVersion1(read)).split(' ').map(Number);
  return quota && period && quota > 0 ? quota / period : null;
}

function ofVersion1(read: (path: string) => string | undefined): string {
  return ['quota', 'period'].map((of) => read(`/sys/fs/cgroup/cpu/cpu.cfs_${of}_us`) ?? '').join(' ');
}
