/** The port that a program of this package is told to listen on; ends the process if there is none. */
export const portOf = (name: string): number => {
  const port = Number(process.env[name] || Number.NaN)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  process.stderr.write(`${name} is not set to a port\n`)
  process.exit(1)
}
