import { z } from 'zod'

/** What `.meta()` may say about a variable, beside zod's own `description`. */
export interface VariableMeta {
  secret?: boolean | undefined
  /** A URL may contain a password, so its value is never repeated in a fault. */
  mayHoldCredentials?: boolean | undefined
  /** Completes the sentence "expected …". */
  expected?: string | undefined
}

export interface VariableDescription {
  default: string | undefined
  required: boolean
  secret: boolean
  mayHoldCredentials: boolean
  expected: string | undefined
  description: string
}

export const describeVariable = (type: z.ZodType): VariableDescription => {
  const meta = collectMeta(type)
  const byDefault = type.safeParse(undefined)
  const value = byDefault.success ? byDefault.data : undefined
  return {
    default: value === undefined ? undefined : String(value),
    required: !byDefault.success,
    secret: meta.secret ?? false,
    mayHoldCredentials: meta.mayHoldCredentials ?? false,
    expected: meta.expected,
    description: meta.description ?? '',
  }
}

/** `.optional()` and `.default()` wrap a type and leave its metadata inside: look there too; the outermost word counts. */
const collectMeta = (type: z.ZodType): VariableMeta & { description?: string | undefined } => {
  const inner = type instanceof z.ZodOptional || type instanceof z.ZodDefault ? (type.unwrap() as z.ZodType) : undefined
  return { ...(inner && collectMeta(inner)), ...type.meta() }
}
