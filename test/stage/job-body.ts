import { contractVersion } from '../../src/contract/job.js';

/** What a driver posts to a bench-runner: a `connect` of the protocol `ws-json`, but for what a test has of its own. */
export function jobBody(own: Record<string, unknown> & { wsUrls: readonly string[]; publishUrl?: string }) {
  const { wsUrls, publishUrl = 'http://127.0.0.1:1/', ...others } = own;
  return {
    contract: contractVersion,
    runId: '7b39ba6e',
    idempotencyKey: 'one',
    driver: 'ring/4099',
    scenario: 'connect',
    protocol: 'ws-json',
    target: { wsUrls, publishUrl },
    stream: 'spring',
    slice: { index: 0, of: 1 },
    seed: 7,
    ...others,
  };
}
