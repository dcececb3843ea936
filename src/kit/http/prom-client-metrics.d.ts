// The package declares only all of its default metrics together.
declare module 'prom-client/lib/metrics/*.js' {
  const addMetric: (registry: import('prom-client').Registry, config: object) => void;
  export default addMetric;
}
