export interface Sender {
  readonly name: string
  readonly address: string
  readonly domain: string
}

/** Narrower than the RFCs: no comments, quotes, groups or lists, in which something else could be hidden. */
const address = /^[^\s@<>()[\]\\,;:"\p{Cc}]{1,64}@([^\s@<>()[\]\\,;:"\p{Cc}]{1,255})$/u
const named = /^\s*"?([^<>"\r\n]*?)"?\s*<([^<>]+)>\s*$/

export const isMailAddress = (text: string): boolean => address.test(text)

/** `Name <address>` or an address alone; undefined for anything else. */
export const parseSender = (text: string): Sender | undefined => {
  const [, name = '', within = text.trim()] = named.exec(text) ?? []
  const domain = address.exec(within)?.[1]
  return domain === undefined ? undefined : { name, address: within, domain }
}
