import { z } from 'zod';
import { benchRunnerPort, byNumber, type Found, type ShardSource, urlAt } from './source.js';

/** The label of the pods in `deploy/kubernetes`. */
const ownPods = 'app.kubernetes.io/name=ringside-bench-runner';

const waiting = z.object({ reason: z.string().optional(), message: z.string().optional() });
/** What `kubectl get pods -o json` prints, as far as it matters here. */
const pods = z.object({
  items: z.array(
    z.object({
      metadata: z.object({ name: z.string(), deletionTimestamp: z.string().optional() }),
      spec: z.object({
        containers: z.array(z.object({ ports: z.array(z.object({ containerPort: z.number() })).optional() })),
      }),
      status: z.object({
        phase: z.string().optional(),
        podIP: z.string().optional(),
        conditions: z
          .array(z.object({ type: z.string(), status: z.string(), message: z.string().optional() }))
          .optional(),
        containerStatuses: z
          .array(z.object({ state: z.object({ waiting: waiting.optional() }).optional() }))
          .optional(),
      }),
    }),
  ),
});

type Pod = z.output<typeof pods>['items'][number];

/** Ready pods of the current context and namespace of `kubectl`, by their own addresses. */
export const kubernetes: ShardSource = {
  name: 'kubernetes',
  asks: '`kubectl get pods`',
  argument: { word: 'SELECTOR', means: `label selector; by default ${ownPods}` },
  hint: 'Check `kubectl config current-context` and its namespace, or give each address by --shard.',
  async find(selector = ownPods, engine) {
    return readPods(await engine.ask('kubectl', ['get', 'pods', '--selector', selector, '--output', 'json']));
  },
};

/** Reads a list of pods as JSON. Throws for anything else. */
export function readPods(json: string): Found {
  const found: Found = { urls: [], pending: [] };
  const { items } = pods.parse(JSON.parse(json));
  for (const pod of items.sort((one, other) => byNumber(one.metadata.name, other.metadata.name))) {
    const { podIP } = pod.status;
    if (podIP !== undefined && isReady(pod)) found.urls.push(urlAt(podIP, portOf(pod)));
    else found.pending.push(`pod ${pod.metadata.name}: ${stateOf(pod)}`);
  }
  return found;
}

function isReady({ metadata, status }: Pod): boolean {
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  return metadata.deletionTimestamp === undefined && ready?.status === 'True';
}

function portOf({ spec }: Pod): number {
  return spec.containers.flatMap(({ ports }) => ports ?? [])[0]?.containerPort ?? benchRunnerPort;
}

/** Why a pod is not ready. */
function stateOf({ metadata, status }: Pod): string {
  if (metadata.deletionTimestamp !== undefined) return 'is ending';
  const held = status.containerStatuses?.find(({ state }) => state?.waiting)?.state?.waiting;
  if (held) return [held.reason, held.message].filter(Boolean).join(': ');
  const unmet = status.conditions?.find(({ status: is, message }) => is === 'False' && message);
  return unmet?.message ?? `${status.phase ?? 'unknown'}, not ready`;
}
