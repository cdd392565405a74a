import avro from 'avsc'
import { BoundedArrayType, BoundedMapType } from './bounded-collections.ts'
import type { AvroSchema } from './contract.ts'
import { ClosedRecordType, PriceFloatType, StrictEnumType, StrictIntType } from './strict-values.ts'

/**
 * avsc is fast because it trusts its input, more than bytes from other teams and a contract allow. The gaps are closed
 * inside the read and write functions of its types, which costs far less than a second pass over every value.
 */
export function parseAvro(schema: AvroSchema): avro.Type {
  return avro.Type.forSchema(schema as avro.Schema, { typeHook: strictType, omitRecordMethods: true })
}

const int = new StrictIntType()
const float = new PriceFloatType()

function strictType(schema: avro.Schema, options: object): avro.Type | undefined {
  switch (typeof schema === 'string' ? schema : (schema as { type?: unknown }).type) {
    case 'int':
      return int
    case 'float':
      return float
    case 'array':
      return new BoundedArrayType(schema, options)
    case 'map':
      return new BoundedMapType(schema, options)
    case 'enum':
      return new StrictEnumType(schema, options)
    case 'record':
      return new ClosedRecordType(schema, options)
    default:
      return undefined
  }
}
