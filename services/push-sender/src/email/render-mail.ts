import { html } from './html.ts'
import type { MailWords } from './mail-words.ts'

export interface MailContent {
  readonly title: string
  /** Line by line. */
  readonly lines: readonly string[]
  readonly footer: string
  readonly unsubscribeLink: string | undefined
  readonly words: MailWords
}

export const renderText = ({ title, lines, footer, unsubscribeLink, words }: MailContent): string =>
  [
    ...(title === '' ? [] : [title, '']),
    ...lines,
    '',
    '-- ',
    footer,
    ...(unsubscribeLink === undefined ? [] : [`${words.unsubscribe}: ${unsubscribeLink}`]),
    '',
  ].join('\n')

/** Styles are inline: many mail programs read no others. */
export const renderHtml = ({ title, lines, footer, unsubscribeLink, words }: MailContent): string =>
  html`<!doctype html>
<html lang="${words.lang}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
</head>
<body style="margin:0;padding:0;background:#f3f4f6;">
<div role="article" aria-label="${title}" lang="${words.lang}" style="max-width:560px;margin:0 auto;padding:24px 16px;font-family:-apple-system,'Segoe UI','Apple SD Gothic Neo','Noto Sans KR',sans-serif;">
<div style="background:#ffffff;border-radius:12px;padding:28px 24px;color:#111827;">
<h1 style="margin:0 0 16px;font-size:20px;line-height:1.4;">${title}</h1>
${lines.map((line) => html`<p style="margin:0 0 12px;font-size:16px;line-height:1.6;">${line}</p>\n`)}</div>
<p style="margin:16px 8px 0;font-size:12px;line-height:1.6;color:#6b7280;">${footer}${
    unsubscribeLink === undefined
      ? ''
      : html`<br><a href="${unsubscribeLink}" style="color:#6b7280;">${words.unsubscribe}</a>`
  }</p>
</div>
</body>
</html>
`.html
