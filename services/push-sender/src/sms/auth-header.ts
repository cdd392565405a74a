const named = /^([A-Za-z\d-]+):\s+(.+)$/
const printable = /^[\x20-\x7e]+$/

/** `Name: value`, or the value of Authorization alone. */
export const parseAuthHeader = (setting: string): { name: string; value: string } => {
  const [, name, value] = named.exec(setting.trim()) ?? []
  if (name === undefined || value === undefined) return { name: 'authorization', value: setting.trim() }
  return { name: name.toLowerCase(), value }
}

export const headerFault = (setting: string): boolean => !printable.test(setting.trim())
