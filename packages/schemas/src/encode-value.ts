import type avro from 'avsc'
import { EncodeError } from './codec-errors.ts'
import { describeMisfits } from './describe-misfit.ts'
import { HEADER_BYTES, writeHeader } from './wire-format.ts'

const SLAB_BYTES = 65_536
const MOST_FAULTS_TOLD = 5

/**
 * Writes value after value into one slab and hands out the pieces, which spares avsc's allocation and copy per value:
 * more than the checks cost. A piece keeps its slab alive, so it is for sending, not for keeping.
 */
export function createValueEncoder(type: avro.Type, subject: string): (value: unknown, schemaId: number) => Buffer {
  let slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
  let start = 0

  function writeValue(value: unknown): number {
    const end = type.encode(value, slab, start + HEADER_BYTES)
    if (end >= 0) return end
    // A negative end is how many bytes were missing.
    const needed = slab.length - start - end
    slab = Buffer.allocUnsafeSlow(Math.max(needed, SLAB_BYTES))
    start = 0
    return type.encode(value, slab, HEADER_BYTES)
  }

  return (value, schemaId) => {
    let end: number
    try {
      end = writeValue(value)
    } catch (cause) {
      throw describeFailure(type, subject, value, cause)
    }
    writeHeader(slab, start, schemaId)
    const bytes = slab.subarray(start, end)
    start = end
    return bytes
  }
}

function describeFailure(type: avro.Type, subject: string, value: unknown, cause: unknown): EncodeError {
  const misfits = describeMisfits(type, value)
  const told = misfits.slice(0, MOST_FAULTS_TOLD).map(({ path, message }) => `${path || 'the value'} ${message}`)
  if (misfits.length > told.length) told.push(`and ${misfits.length - told.length} more`)
  return new EncodeError(subject, misfits[0]?.path ?? '', told.join('; '), cause)
}
