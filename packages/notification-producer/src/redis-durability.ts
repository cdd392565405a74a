/**
 * What is wrong with a Redis that must not forget, from its INFO: unlike CONFIG, managed ones allow it. A field that is
 * hidden there counts as wrong; whoever knows better says so with GATE_REDIS_CHECK.
 */
export const durabilityFaults = (info: string): string[] => {
  const fields = new Map(info.split('\r\n').map((line) => splitOnce(line)))
  return requirements.filter(({ field, value }) => fields.get(field) !== value).map(({ fault }) => fault)
}

const requirements = [
  { field: 'role', value: 'master', fault: 'is not a master' },
  { field: 'aof_enabled', value: '1', fault: 'does not write everything down (appendonly yes)' },
  { field: 'maxmemory_policy', value: 'noeviction', fault: 'may evict keys (maxmemory-policy noeviction)' },
] as const

const splitOnce = (line: string): [string, string] => {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1)]
}
