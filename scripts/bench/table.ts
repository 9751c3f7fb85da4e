import { metronomeCases } from './answers/case-list.js';
import {
  againstItself,
  caseBounds,
  defaultComparison,
  measuredCases,
  simulation,
  subscriberCases,
} from './answers/cases.js';
import { changesOverNights } from './answers/model.js';
import { declaredSendCost, flowCosts, flowMemory } from './flows/costs.js';
import { type BenchContext, type Bound, type Finding, type Measurement, printers } from './judge.js';
import { clientDelivery, engineDelivery, engineOpening, tls } from './rig/engines.js';
import { scale } from './rig/scale.js';

/** Returns a function that makes a bound whose values are printed so. */
const by =
  (print: (value: number) => string) =>
  (what: string, atMost: number): Bound => ({ what, atMost, print });
const ratio = by(printers.ratio);
const bytes = by(printers.bytes);
const megabytes = by(printers.megabytes);
const seconds = by(printers.seconds);
const ofCore = by(printers.ofCore);
const percent = by((value) => `${(value * 100).toFixed(1)} %`);
const inTenThousand = by((value) => `${(value * 10_000).toFixed(2)} in 10,000`);

function line<B extends object>(
  name: string,
  bounds: B,
  run: (bounds: B, context: BenchContext) => Promise<Finding[]>,
  isOnRequest = false,
): Measurement {
  return { name, bounds: Object.values(bounds), isOnRequest, run: (context) => run(bounds, context) };
}

const onRequest = true;
const perDelivery = 'CPU per delivery';

/** Measurements of the rig itself. */
export const ofRig: readonly Measurement[] = [
  line('delivery', { cpu: ratio(`${perDelivery}, wire client / library client`, 0.75) }, clientDelivery),
  line(
    'scale',
    {
      waiting: ofCore('driver CPU while 200 simulated shards publish', 0.5),
      merging: seconds('driver CPU to fetch, merge and keep 200 × 1,000,000 samples', 20_000),
      memory: megabytes('most memory of that driver', 1e9),
    },
    scale,
    onRequest,
  ),
  line(
    'tls',
    {
      ofJs: ratio(`${perDelivery} over wss, native / JS`, 0.58),
      ofPlain: ratio(`${perDelivery}, native, wss / ws`, 1.3),
    },
    tls,
    onRequest,
  ),
  line(
    'engine-delivery',
    {
      fewOfJs: ratio(`${perDelivery}, native / JS, whole bench-runner, 1,000 subscribers`, 0.7),
      fewOfFloor: ratio(`${perDelivery}, native / bare epoll floor, 1,000 subscribers`, 1.35),
      manyOfJs: ratio(`${perDelivery}, native / JS, whole bench-runner, 10,000 subscribers`, 0.7),
      manyOfFloor: ratio(`${perDelivery}, native / bare epoll floor, 10,000 subscribers`, 1.35),
      unstamped: inTenThousand('deliveries without a kernel timestamp, native engine', 0.0001),
    },
    engineDelivery,
  ),
  line('engine-opening', { ofJs: ratio('CPU per connection opened, native / JS', 0.45) }, engineOpening),
];

const perMessage = 'CPU per message, rooms of six';

/** Measurements of flows beside programs that do the same. */
export const ofFlows: readonly Measurement[] = [
  line(
    'flows',
    {
      nativeOfWs: ratio(`${perMessage}, class of a flow, native / ws`, 1.1),
      jsOfWs: ratio(`${perMessage}, class of a flow, JS / ws`, 1.1),
      declaredOfWs: ratio(`${perMessage}, declared sends, native / ws`, 0.8),
      nativeOfK6: ratio(`${perMessage}, class of a flow, native / k6`, 0.25),
      jsOfK6: ratio(`${perMessage}, class of a flow, JS / k6`, 0.25),
    },
    flowCosts,
  ),
  line(
    'flow-sends',
    { ofFloor: ratio('CPU per declared send in slots of 1 ms, native / bare C', 1.3) },
    declaredSendCost,
  ),
  line(
    'flow-memory',
    {
      native: bytes('JavaScript memory per idle client of a flow, native engine', 6000),
      js: bytes('JavaScript memory per idle client of a flow, JS engine', 6000),
    },
    flowMemory,
  ),
];

/** Claims about the answers of the product. */
export const ofAnswers: readonly Measurement[] = [
  line('bench', caseBounds('bench', ['orders', 'told', 'late']), defaultComparison),
  line('itself', caseBounds('itself', ['orders', 'none']), againstItself),
  line(
    'nights',
    {
      missed: percent('changes of 12 % over nights: missed', 0.1),
      alarms: percent('nights without one: false alarms', 0.05),
    },
    changesOverNights,
  ),
  line('simulation', caseBounds('simulation', ['orders', 'intervals', 'control', 'told', 'reasons']), simulation),
  ...Object.entries(metronomeCases).map(([name, cases]) => {
    const counted = caseBounds(name, [
      ...(['orders', 'intervals', 'reasons'] as const),
      ...(cases.some(({ isToldPromised }) => isToldPromised) ? (['told'] as const) : []),
      ...(cases.some(({ endsWithinMs }) => endsWithinMs) ? (['late'] as const) : []),
    ]);
    return line(name, counted, (bounds, context) => measuredCases(cases, bounds, context));
  }),
  line('subscribers', caseBounds('subscribers', ['orders', 'intervals', 'control', 'reasons']), subscriberCases),
];
