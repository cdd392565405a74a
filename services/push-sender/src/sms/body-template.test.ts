import { describe, expect, it } from 'vitest'
import { renderBody, type SmsContentType, templateFault } from './body-template.ts'

const values = {
  ...{ to: '+821012345678', text: '"},"to":"+1', title: 't', body: 'b', type: 'PRICE_DROP' },
  ...{ notificationId: 'n', idempotencyKey: 'k' },
}
const json: SmsContentType = 'application/json'
const form: SmsContentType = 'application/x-www-form-urlencoded'

describe('the body of a request to the gateway', () => {
  it('holds a text in JSON that tries to break out', () => {
    const body = renderBody('{"to":"{{to}}","text":"[Shop] {{text}}"}', json, values)
    expect(JSON.parse(body)).toEqual({ to: '+821012345678', text: '[Shop] "},"to":"+1' })
  })

  it('holds one in a form', () => {
    const body = renderBody('To={{to}}&Body={{text}}&From=123', form, { ...values, text: '안녕 & To=+1' })
    expect([...new URLSearchParams(body)]).toEqual([
      ['To', '+821012345678'],
      ['Body', '안녕 & To=+1'],
      ['From', '123'],
    ])
  })

  it('does not fill in what a value brings along', () => {
    const body = renderBody('{"to":"{{to}}","text":"{{text}}"}', json, { ...values, text: '{{to}}' })
    expect(JSON.parse(body)).toMatchObject({ text: '{{to}}' })
  })

  it.each([
    ['{"to":"{{to}}","text":"{{text}}"}', json],
    ['{"messages":[{"to":"{{to}}","content":"{{title}}: {{body}}, {{text}}"}],"type":"SMS"}', json],
    ['to={{to}}&text={{text}}', form],
  ])('takes the template %s', (template, type) => {
    expect(templateFault(template, type)).toBeUndefined()
  })

  it.each([
    ['without a recipient', '{"text":"{{text}}"}', json],
    ['with a placeholder there is not', '{"to":"{{to}}","text":"{{text}}","from":"{{from}}"}', json],
    ['whose placeholder is outside quotes', '{"to":{{to}},"text":"{{text}}"}', json],
    ['whose placeholder is a key', '{"{{to}}":"{{text}}"}', json],
    ['that is no JSON', 'to={{to}}&text={{text}}', json],
    ['that is no form', '{"to":"{{to}}","text":"{{text}}"}', form],
  ])('refuses a template %s', (_, template, type) => {
    expect(templateFault(template, type)).toEqual(expect.any(String))
  })
})
