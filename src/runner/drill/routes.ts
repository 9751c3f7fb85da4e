import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { z } from 'zod';
import { bytesParams } from '../../contract/drill.js';
import { ProblemError } from '../../contract/problems.js';
import type { AllowList } from '../allow-list.js';
import { heldBy, type JobStore } from '../job-store.js';
import { MetronomeHolder, type StartMetronome } from './metronome-holder.js';
import { readVitals } from './vitals.js';

interface Drilled {
  store: JobStore;
  allowList: AllowList;
  startMetronome: StartMetronome | undefined;
  checked<S extends z.ZodType>(schema: S, given: unknown): z.output<S>;
}

/** Adds the routes of `ringside drill`. Those that use much CPU or bandwidth are refused while a job runs. */
export function addDrillRoutes(service: FastifyInstance, { store, allowList, startMetronome, checked }: Drilled): void {
  const metronome = new MetronomeHolder(startMetronome, allowList);
  const refuseBeside = (): void => {
    const [running] = store.running;
    if (running) throw new ProblemError([heldBy(running)]);
  };
  service.get('/vitals', () => readVitals());
  service.get('/bytes/:count', (request, reply) => {
    const { count } = checked(bytesParams, request.params);
    refuseBeside();
    // The bytes are random, so that a compressing proxy does not look fast.
    return reply.type('application/octet-stream').send(randomBytes(count));
  });
  service.post('/metronome', () => {
    refuseBeside();
    return metronome.take();
  });
  service.delete('/metronome', async () => {
    await metronome.end();
    return {};
  });
  service.addHook('onClose', () => metronome.end());
}
