/** A zone where it is about noon: the local day of its users, by which is counted, does not end while a test runs. */
export const middayZone = (now = Date.now()): string => {
  const hoursAhead = 12 - new Date(now).getUTCHours()
  // The signs of these names are those of POSIX: west is positive.
  return hoursAhead === 0 ? 'Etc/UTC' : `Etc/GMT${hoursAhead > 0 ? '-' : '+'}${Math.abs(hoursAhead)}`
}
