import { describe, expect, it } from 'vitest'
import { acceptedResult, sampleOutcome } from '../testing/sample-outcome.ts'
import { historyDocumentOf, historyVersionOf } from './history-document.ts'
import { historyTemplate } from './history-template.ts'

describe('the document of an outcome', () => {
  it('is the outcome, and when it was sent', () => {
    const outcome = sampleOutcome()
    expect(historyDocumentOf(outcome)).toEqual({ ...outcome, sentAt: outcome.results[0]?.at })
  })

  it('was sent when the first target took it, however many followed', () => {
    const results = [
      acceptedResult({ code: 'UNREGISTERED', at: 1 }),
      acceptedResult({ at: 3 }),
      acceptedResult({ at: 2 }),
    ]
    expect(historyDocumentOf(sampleOutcome({ results })).sentAt).toBe(2)
  })

  it('was sent when it ended where no target is named', () => {
    expect(historyDocumentOf(sampleOutcome({ results: [], occurredAt: 5 })).sentAt).toBe(5)
  })

  it.each(['FAILED', 'RATE_LIMITED', 'DEFERRED'] as const)('was not sent if it is %s', (status) => {
    expect(historyDocumentOf(sampleOutcome({ status })).sentAt).toBeNull()
  })

  it('has a place in the mapping for every field an outcome has', () => {
    const { properties } = historyTemplate('any').template.mappings
    expect(Object.keys(properties).sort()).toEqual(Object.keys(historyDocumentOf(sampleOutcome())).sort())
    const { properties: ofResults = {} } = properties.results as { properties?: object }
    expect(Object.keys(ofResults).sort()).toEqual(Object.keys(acceptedResult()).sort())
  })
})

describe('the version of an outcome', () => {
  it("puts a sender's over any refusal or dead letter", () => {
    expect([0, 1, 7].map((revision) => historyVersionOf(sampleOutcome({ revision })))).toEqual([1, 2, 8])
  })
})
