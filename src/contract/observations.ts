/** Everything that can be observed of a target and its machine, with its meaning. */
export { metricTable as observationTable } from '../targets/observe/series.js';
