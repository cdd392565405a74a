import { constants } from 'node:http2'
import { describe, expect, it } from 'vitest'
import { classifyLoss, type LostStream } from './classify-loss.ts'

const lost = (changes: Partial<LostStream>) =>
  classifyLoss({ id: 5, rstCode: undefined, goawayLastId: undefined, sessionEnded: false, ...changes })

const refused = constants.NGHTTP2_REFUSED_STREAM

describe('a request without an answer', () => {
  it.each([
    ['never got a stream', { id: undefined, sessionEnded: true }, 'CONNECTION_FAILED'],
    ['is above the last of a GOAWAY', { goawayLastId: 3 }, 'GOAWAY'],
    [
      'is above it when the connection ends with an error',
      { goawayLastId: 3, sessionEnded: true, rstCode: 11 },
      'GOAWAY',
    ],
    ['was refused', { rstCode: refused }, 'REFUSED_STREAM'],
  ])('was not taken if it %s', (_, changes, code) => {
    expect(lost(changes)).toEqual({ kind: 'not-taken', code })
  })

  it.each([
    ['its connection was lost', { sessionEnded: true }, 'CONNECTION_LOST'],
    ['it is the last of a GOAWAY', { goawayLastId: 5, sessionEnded: true }, 'CONNECTION_LOST'],
    ['its stream was reset otherwise', { rstCode: constants.NGHTTP2_INTERNAL_ERROR }, 'STREAM_RESET'],
    ['its stream was cancelled', { rstCode: constants.NGHTTP2_CANCEL }, 'STREAM_RESET'],
    ['its stream just ended', {}, 'STREAM_RESET'],
  ])('may have been taken if %s', (_, changes, code) => {
    expect(lost(changes)).toEqual({ kind: 'unknown', code })
  })
})
