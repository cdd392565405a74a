import PostalMime from 'postal-mime'

/** A mail that was taken, as it came. */
export interface SunkMail {
  readonly envelope: { readonly from: string; readonly to: readonly string[] }
  readonly source: Buffer
  /** Whether it came over TLS. */
  readonly secure: boolean
}

/** The same, as the read API shows it. */
export interface ShownMail {
  readonly envelope: SunkMail['envelope']
  readonly secure: boolean
  /** All of it, as it came over the wire. */
  readonly source: string
  /** In order, names in lower case. */
  readonly headers: readonly { readonly key: string; readonly value: string }[]
  readonly subject: string | null
  readonly text: string | null
  readonly html: string | null
}

export const showMail = async ({ envelope, source, secure }: SunkMail): Promise<ShownMail> => {
  const { headers, subject, text, html } = await PostalMime.parse(source)
  return {
    ...{ envelope, secure, source: source.toString('utf8') },
    headers: headers.map(({ key, value }) => ({ key, value })),
    ...{ subject: subject ?? null, text: text ?? null, html: html ?? null },
  }
}
