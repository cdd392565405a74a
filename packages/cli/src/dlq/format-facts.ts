export const formatMoment = (ms: number): string =>
  Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')}Z` : '-'

export const formatCount = (count: number): string => count.toLocaleString('en-US')
